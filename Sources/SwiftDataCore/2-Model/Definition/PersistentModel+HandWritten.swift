/// The members that `@Model` writes into a class, for classes that state their conformance by hand with Apple's
/// requirements only: `init(backingData:)`, `persistentBackingData` and `schemaMetadata`.
///
/// The values move through the key paths of ``PersistentModel/schemaMetadata``, one boxed value at a time, which is
/// correct but several times slower than the macro's code. Properties may be computed properties that call
/// ``PersistentModel/getValue(forKey:)`` and ``PersistentModel/setValue(forKey:to:)``, as in Apple's expansion of
/// `@Model`, or plain stored variables. Changes of stored variables are not detected, and relationships have to be
/// computed properties, because only accessors can load and record them.
extension PersistentModel {
  public var _$modelState: _ModelState { HandWrittenStates.state(of: self) }

  public init(_hollow: _HollowModel) { self.init(backingData: Self.createBackingData()) }

  public func _$encode(into writer: inout _RowWriter) {
    for index in writer.plan.properties.indices { _$encode(index, into: &writer) }
  }

  public func _$encode(_ index: Int, into writer: inout _RowWriter) {
    let property = writer.plan.properties[index]
    writer.property = index
    func writeOne<Destination: PersistentModel>(_ type: Destination.Type) {
      writer.write(stored(property.keyPath, as: Destination?.self))
    }
    func writeMany<Destination: PersistentModel>(_ type: Destination.Type) {
      let list = stored(property.keyPath, as: [Destination].self)
      writer.write(list.value == nil && isSet(property.keyPath) ? _Stored([Destination]()) : list)
    }
    switch property.shape {
    case .toOne(let type): writeOne(type)
    case .toMany(let type): writeMany(type)
    case .scalar, .composite, .json:
      writer.write(erased: isUnset(property.keyPath) ? nil : self[keyPath: property.keyPath])
    }
  }

  public func _$decode(from reader: inout _RowReader) throws {
    for index in reader.plan.properties.indices { try _$decode(index, from: &reader) }
  }

  public func _$decode(_ index: Int, from reader: inout _RowReader) throws {
    let property = reader.plan.properties[index]
    reader.property = index
    func readOne<Destination: PersistentModel>(_ type: Destination.Type) throws {
      let stored: _Stored<Destination?> = try reader.read()
      fill(stored, property.keyPath)
    }
    func readMany<Destination: PersistentModel>(_ type: Destination.Type) throws {
      let stored: _Stored<[Destination]> = try reader.read()
      fill(stored, property.keyPath)
    }
    switch property.shape {
    case .toOne(let type): try readOne(type)
    case .toMany(let type): try readMany(type)
    case .scalar, .composite, .json:
      if !property.storage.isEphemeral {
        fill(try reader.nextUntyped(), property.keyPath)
      } else if let restored = reader.restoredValue {
        fill(restored, property.keyPath)
      } else if isUnset(property.keyPath), let initial = property.defaultValue {
        fill(initial, property.keyPath)
      }
      reader.property = index + 1
    }
  }

  public func _$clear(_ index: Int) {
    guard let plan = _$modelState.plan else { return }
    clear(plan.properties[index].keyPath)
  }

  private func clear(_ keyPath: AnyKeyPath) {
    (persistentBackingData as? _DetachedBackingData<Self>)?.removeValue(at: keyPath)
  }

  /// Whether the property would read this module's backing data, and that has no value for it.
  private func isUnset(_ keyPath: AnyKeyPath) -> Bool {
    guard let detached = persistentBackingData as? _DetachedBackingData<Self>,
      detached.value(at: keyPath) == nil
    else { return false }
    return Self.isComputed(keyPath)
  }

  /// Whether this module's backing data has a value for the property. An optional list that was set to nil has one.
  private func isSet(_ keyPath: AnyKeyPath) -> Bool {
    (persistentBackingData as? _DetachedBackingData<Self>)?.value(at: keyPath) != nil
  }

  /// Whether a property's value may be in the backing data: a stored variable has its value in the object. Only a key
  /// path's description reveals its kind.
  private static func isComputed(_ keyPath: AnyKeyPath) -> Bool {
    keyPath.debugDescription.contains("<computed")
  }

  /// The value of a relationship; an unset value when it was never loaded.
  private func stored<Value>(_ keyPath: AnyKeyPath, as type: Value.Type) -> _Stored<Value> {
    if isUnset(keyPath) { return _Stored() }
    guard let value = self[keyPath: keyPath] as? Value else { return _Stored() }
    return _Stored(value)
  }

  /// Puts a relationship's destinations into the property; resets it to unset when they aren't loaded.
  private func fill<Value>(_ stored: _Stored<Value>, _ keyPath: AnyKeyPath) {
    clear(keyPath)
    if let value = stored.value { fill(value as Any, keyPath) }
  }

  private func fill(_ value: Any, _ keyPath: AnyKeyPath) {
    let state = _$modelState
    state.flags.insert(.filling)
    defer { state.flags.remove(.filling) }
    // Setting a computed property by key path reads it first, so the value must already be in the backing data.
    if Self.isComputed(keyPath) {
      (persistentBackingData as? _DetachedBackingData<Self>)?.setValue(value, at: keyPath)
    }
    _ModelBackingData.set(value, at: keyPath, of: self)
  }
}
