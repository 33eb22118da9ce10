/// Access to properties by key path, for hand-written accessors and tools.
///
/// The values are those of ``PersistentModel/persistentBackingData``: for a class with `@Model` a view of the model's
/// own storage, for a hand-written class its own backing data.
extension PersistentModel {
  /// Returns the value of an attribute.
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    if let original = _$modelState.original as? Self { return original.getValue(forKey: key) }
    fillIfUnset(key)
    return persistentBackingData.getValue(forKey: key)
  }
  /// Returns the model that a relationship leads to.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>) -> Value {
    if let original = _$modelState.original as? Self { return original.getValue(forKey: key) }
    if let index = unsetRelationship(key) { return _$modelState.fault(self, index) }
    return persistentBackingData.getValue(forKey: key)
  }
  /// Returns the model that an optional relationship leads to.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>) -> Value? {
    if let original = _$modelState.original as? Self { return original.getValue(forKey: key) }
    if let index = unsetRelationship(key) { return _$modelState.fault(self, index) }
    return persistentBackingData.getValue(forKey: key)
  }
  /// Returns the models that a relationship leads to.
  public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    if let original = _$modelState.original as? Self { return original.getValue(forKey: key) }
    if let list = unsetList(key, of: OtherModel.self), let value = list as? Value { return value }
    return persistentBackingData.getValue(forKey: key)
  }
  /// Returns the models that a relationship leads to, for a list that is `Decodable`.
  public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, Value: Decodable, OtherModel == Value.PersistentElement {
    if let original = _$modelState.original as? Self { return original.getValue(forKey: key) }
    if let list = unsetList(key, of: OtherModel.self), let value = list as? Value { return value }
    return persistentBackingData.getValue(forKey: key)
  }
  /// Returns the value of an attribute that a transformer encodes.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    if let original = _$modelState.original as? Self {
      return original.getTransformableValue(forKey: key)
    }
    fillIfUnset(key)
    return persistentBackingData.getTransformableValue(forKey: key)
  }

  /// Sets the value of an attribute.
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    assign(newValue, at: key) { $0.setValue(forKey: key, to: newValue) }
  }
  /// Sets the model that a relationship leads to.
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Self, Value>, to newValue: Value
  ) {
    assign(newValue, at: key) { $0.setValue(forKey: key, to: newValue) }
  }
  /// Sets the model that an optional relationship leads to.
  public func setValue<Value: PersistentModel>(
    forKey key: KeyPath<Self, Value?>, to newValue: Value?
  ) {
    assign(newValue, at: key) { $0.setValue(forKey: key, to: newValue) }
  }
  /// Sets the models that a relationship leads to.
  public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    assign(newValue, at: key) { $0.setValue(forKey: key, to: newValue) }
  }
  /// Sets the models that a relationship leads to, for a list that is `Encodable`.
  public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, Value: Encodable, OtherModel == Value.PersistentElement {
    assign(newValue, at: key) { $0.setTransformableValue(forKey: key, to: newValue) }
  }
  /// Sets the value of an attribute that a transformer encodes.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    assign(newValue, at: key) { $0.setTransformableValue(forKey: key, to: newValue) }
  }

  /// Assigns a value by key path. With `@Model` the property's own setter does everything; a key path to a `let` or to
  /// a computed property without a setter changes nothing. In a hand-written class the setter itself made this call, so
  /// the value goes into the backing data, and the change is recorded as the macro's setter would record it.
  private func assign<Value>(
    _ value: Value, at key: KeyPath<Self, Value>, _ store: (any BackingData<Self>) -> Void
  ) {
    if let original = _$modelState.original as? Self {
      return original.assign(value, at: key, store)
    }
    let backing = persistentBackingData
    if backing is _ModelBackingData<Self> {
      guard let writable = key as? ReferenceWritableKeyPath<Self, Value> else { return }
      self[keyPath: writable] = value
      return
    }
    let state = _$modelState
    guard !state.flags.contains(.filling), let index = state.plan?.property(for: key) else {
      return store(backing)
    }
    let before = links(at: index)
    state.willChange(self, index)
    store(backing)
    updateInverses(at: index, from: before)
  }

  /// Updates the other ends of a hand-written class's relationship after a change.
  private func updateInverses(at index: Int, from before: LoadedLinks) {
    let state = _$modelState
    guard let context = state.context, state.relationship(at: index) != nil else { return }
    switch links(at: index) {
    case .notLoaded: break
    case .one(let destination):
      if case .one(let old) = before, old === destination { return }
      context.didRelate(self, index, from: before, to: destination)
    case .many(let list):
      var old: (any ErasedModelArray)?
      if case .many(let known) = before { old = known }
      context.didRelate(
        self, index, from: old, to: list,
        empty: list.merging(added: [], removed: Set(list.models.map { ObjectIdentifier($0) })))
    }
  }

  /// The position of a relationship whose destination a hand-written class hasn't loaded.
  private func unsetRelationship(_ key: PartialKeyPath<Self>) -> Int? {
    guard let detached = persistentBackingData as? _DetachedBackingData<Self>,
      detached.value(at: key) == nil, !_$modelState.flags.contains(.filling)
    else { return nil }
    return _$modelState.plan?.property(for: key)
  }

  /// The destinations of a to-many relationship that a hand-written class hasn't loaded, or whose changes at the other
  /// end aren't merged yet.
  private func unsetList<Destination: PersistentModel>(
    _ key: PartialKeyPath<Self>, of type: Destination.Type
  ) -> [Destination]? {
    guard let index = unsetRelationship(key) else { return nil }
    let loader = _$modelState.link?.loader
    return loader?.list(of: self, index, empty: [Destination]()) as? [Destination]
  }

  /// Loads the row of a hand-written class whose property isn't loaded.
  private func fillIfUnset(_ key: PartialKeyPath<Self>) {
    guard let detached = persistentBackingData as? _DetachedBackingData<Self>,
      detached.value(at: key) == nil
    else { return }
    let state = _$modelState
    guard state.rowID != 0, !state.flags.contains(.filling), let context = state.context else {
      return
    }
    _ = context.fill(self)
  }
}
