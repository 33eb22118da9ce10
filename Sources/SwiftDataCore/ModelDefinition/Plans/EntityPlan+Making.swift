extension EntityPlan {
  /// The plan of a model class.
  ///
  /// - Throws: ``SchemaError`` naming the property that can't be persisted.
  package static func make<Model: PersistentModel>(for type: Model.Type) throws -> EntityPlan {
    let entityName = Schema.entityName(for: type)
    var making = EntityPlanMaking(entityName: entityName)
    for property in type.schemaMetadata {
      if let paths = property.metadata as? any PropertyPaths & SchemaProperty {
        making.paths.append((paths.propertyPaths, paths.isUnique))
      } else {
        try making.append(property)
      }
    }
    return try making.plan(for: type)
  }
}

private struct EntityPlanMaking {
  let entityName: String
  var properties: [PropertyPlan] = []
  var columns: [ColumnPlan] = []
  var uniqueness: [[Int]] = []
  var indices: [[Int]] = []
  var paths: [(paths: [[String]], isUnique: Bool)] = []

  mutating func append(_ property: Schema.PropertyMetadata) throws {
    let valueType = type(of: property.keypath).valueType
    let attribute = property.metadata as? Schema.Attribute
    let (wrapped, isOptional) = PropertyShape.unwrapped(valueType)
    if wrapped is any RelationshipCollection.Type {
      throw SchemaError.toManyRelationship(entity: entityName, property: property.name)
    }
    let storage = AttributeStorage(attribute)
    guard let shape = PropertyShape.shape(of: valueType, storage) else {
      throw SchemaError.unsupportedType(
        entity: entityName, property: property.name, type: "\(valueType)")
    }
    let first = columns.count
    if !storage.isEphemeral {
      appendColumns(of: shape, named: property.name, isOptional: isOptional)
    }
    let isUnique = property.metadata?.isUnique ?? false
    let relationship = property.metadata as? Schema.Relationship
    properties.append(
      PropertyPlan(
        name: property.name,
        originalName: [attribute?.originalName, relationship?.originalName]
          .compactMap { $0 }.first { !$0.isEmpty } ?? property.name,
        keyPath: property.keypath, valueType: valueType, shape: shape,
        columns: first..<columns.count, isOptional: isOptional, isUnique: isUnique,
        defaultValue: property.defaultValue,
        deleteRule: relationship?.deleteRule ?? .nullify, storage: storage))
    if isUnique, first < columns.count { uniqueness.append(Array(first..<columns.count)) }
  }

  private mutating func appendColumns(
    of shape: PropertyShape, named name: String, isOptional: Bool
  ) {
    let property = properties.count
    func column(
      _ name: String, _ kind: ColumnKind, isOptional: Bool, members: [String] = []
    ) -> ColumnPlan {
      ColumnPlan(
        name: name, kind: kind, isOptional: isOptional, property: property, members: members)
    }
    switch shape {
    case .scalar(let kind): columns.append(column(name, kind, isOptional: isOptional))
    case .json: columns.append(column(name, .json, isOptional: isOptional))
    case .toOne: columns.append(column(name, .reference, isOptional: true))
    case .composite(let composite, let isOptional):
      if isOptional { columns.append(column(name, .presence, isOptional: true)) }
      for member in composite.columns {
        columns.append(
          column(
            ([name] + member.path).joined(separator: "_"), member.kind,
            isOptional: isOptional || member.isOptional, members: member.path))
      }
    }
  }

  func plan(for type: any PersistentModel.Type) throws -> EntityPlan {
    var uniqueness = uniqueness
    var indices = indices
    for group in paths {
      for path in group.paths {
        let positions = try path.flatMap { try position(of: $0) }
        if group.isUnique { uniqueness.append(positions) } else { indices.append(positions) }
      }
    }
    let names = Set(columns.map { $0.name.lowercased() })
    guard names.count == columns.count else {
      throw SchemaError.columnClash(entity: entityName, columns: columns.map(\.name))
    }
    return EntityPlan(
      name: entityName, type: type, properties: properties, columns: columns,
      uniqueness: uniqueness, indices: indices)
  }

  private func position(of path: String) throws -> [Int] {
    let parts = path.split(separator: ".").map(String.init)
    guard let name = parts.first, let property = properties.first(where: { $0.name == name }) else {
      throw SchemaError.unknownProperty(entity: entityName, property: path)
    }
    let members = Array(parts.dropFirst())
    let found = property.columns.filter { columns[$0].members.starts(with: members) }
    guard !found.isEmpty else {
      throw SchemaError.unknownProperty(entity: entityName, property: path)
    }
    return Array(found)
  }
}
