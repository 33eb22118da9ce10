import Foundation

extension DefaultSnapshot {
  private typealias Key = DataStoreSnapshotCodingKey

  public func encode(to encoder: any Encoder) throws {
    if let failure { throw failure }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    try encode(as: plan.type, into: &container)
  }

  /// Encodes the values with their types, which they get back in a temporary model for the row.
  private func encode<Model: PersistentModel>(
    as type: Model.Type, into container: inout KeyedEncodingContainer<DataStoreSnapshotCodingKey>
  ) throws {
    let model = Model(_hollow: _HollowModel())
    for (index, property) in plan.properties.enumerated() {
      let key = Key.modeledProperty(property.name)
      switch references[index] {
      case .toOne(let identifier): try container.encode(identifier, forKey: key)
      case .toMany(let identifiers): try container.encode(identifiers, forKey: key)
      case nil where property.columns.isEmpty: break  // Not stored.
      case nil:
        try row.read(plan: plan, state: model._$modelState, property: index) { reader in
          try model._$decode(index, from: &reader)
        }
        try encode(property, of: model, forKey: key, into: &container)
      }
    }
  }

  private func encode<Model: PersistentModel>(
    _ property: PropertyPlan, of model: Model, forKey key: DataStoreSnapshotCodingKey,
    into container: inout KeyedEncodingContainer<DataStoreSnapshotCodingKey>
  ) throws {
    func open<Value: Encodable>(_ type: Value.Type) throws {
      guard let value = model[keyPath: property.keyPath as AnyKeyPath] as? Value else {
        throw uncodable(property)
      }
      try container.encode(value, forKey: key)
    }
    if let type = property.valueType as? any Encodable.Type { return try open(type) }
    // A type that isn't Codable is encoded as the bytes of its column.
    try container.encode(try bytes(of: property), forKey: key)
  }

  private func bytes(of property: PropertyPlan) throws -> Data? {
    guard property.columns.count == 1 else { throw uncodable(property) }
    let cell = row.cells[property.columns.lowerBound]
    switch cell.kind {
    case .null: return nil
    case .blob: return Data(row.arena[Int(cell.bits)..<Int(cell.bits) + cell.count])
    default: throw uncodable(property)
    }
  }

  private func uncodable(_ property: PropertyPlan) -> SwiftDataError {
    .modelValidationFailure.explained(
      "\(plan.name).\(property.name) can't be part of a snapshot: its type"
        + " \(property.valueType) isn't Codable.")
  }
}

extension DefaultSnapshot {
  /// - Throws: `DecodingError` when the entity isn't known to this program, or a value without a default is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    guard let plan = SnapshotPlans.plan(named: identifier.entityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "No schema in use has the entity \(identifier.entityName)."
          + " Make a ModelContainer with its class first.")
    }
    var writer = _RowWriter(plan: plan)
    writer.begin(nil)
    var references: [Int: SnapshotReference] = [:]
    for (index, property) in plan.properties.enumerated() {
      let key = Key.modeledProperty(property.name)
      if property.referencedType != nil {
        references[index] = try Self.reference(property, forKey: key, from: container)
        writer.skip()
      } else if property.columns.isEmpty {
        writer.skip()
      } else if let type = property.valueType as? any Codable.Type {
        writer.write(erased: try Self.value(type, of: property, forKey: key, from: container))
      } else {
        writer.write(stored: try container.decodeIfPresent(Data.self, forKey: key))
      }
    }
    if let failure = writer.failure { throw failure }
    self.init(identifier, plan: plan, row: writer.rowCopy, references: references)
  }

  private static func reference(
    _ property: PropertyPlan, forKey key: DataStoreSnapshotCodingKey,
    from container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
  ) throws -> SnapshotReference {
    property.isToManyReference
      ? .toMany(try container.decodeIfPresent([PersistentIdentifier].self, forKey: key) ?? [])
      : .toOne(try container.decodeIfPresent(PersistentIdentifier.self, forKey: key))
  }

  private static func value<Value: Codable>(
    _ type: Value.Type, of property: PropertyPlan, forKey key: DataStoreSnapshotCodingKey,
    from container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
  ) throws -> Any {
    if container.contains(key) { return try container.decode(type, forKey: key) }
    if let value = property.defaultValue as? Value { return value }
    if let optional = type as? any OptionalType.Type,
      let none = optional.makeOptional(nil) as? Value
    {
      return none
    }
    return try container.decode(type, forKey: key)
  }
}
