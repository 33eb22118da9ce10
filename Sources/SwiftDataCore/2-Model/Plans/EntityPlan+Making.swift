extension EntityPlan {
  /// The plan of a model class.
  ///
  /// - Throws: ``SchemaError`` naming the property that can't be persisted.
  ///
  /// - Parameter relationships: The relationships of the whole schema; an inverse outside of it isn't found.
  static func make<Model: PersistentModel>(
    for type: Model.Type, relationships: RelationshipResolution, families: EntityFamilies
  ) throws -> EntityPlan {
    let entityName = Schema.entityName(for: type)
    var making = EntityPlanBuilder(
      entityName: entityName, relationships: relationships.plans[entityName] ?? [:],
      families: families)
    for property in type.schemaMetadata {
      if let paths = property.metadata as? any PropertyPaths & SchemaProperty {
        making.paths.append((paths.propertyPaths, paths.isUnique, paths.spatialPositions))
      } else {
        try making.append(property)
      }
    }
    return try making.plan(for: type)
  }
}

extension EntityPlan {
  /// The plans of all classes of a schema, in their order.
  ///
  /// - Throws: ``SchemaError`` for a class that can't be stored or relationships that contradict each other.
  package static func plans(of types: [any PersistentModel.Type]) throws -> [EntityPlan] {
    let relationships = RelationshipResolution(types)
    if let error = relationships.errors.first { throw error }
    SchemaNotices.report(relationships.ambiguities)
    let families = EntityFamilies(types)
    let plans = try types.map {
      try make(for: $0, relationships: relationships, families: families)
    }
    for plan in plans.sorted(by: { $0.inheritedCount < $1.inheritedCount }) {
      plan.family?.add(plan)
    }
    var tables: Set<String> = []
    for plan in plans {
      let joins = plan.ownRelationships.compactMap { plan.properties[$0].relationship?.joinTable }
        .filter { $0.ownerColumn == "owner" }
      for name in [plan.name] + joins.map(\.name) where !tables.insert(name.lowercased()).inserted {
        throw SchemaError.entityClash(entity: name)
      }
    }
    return plans
  }
}

private struct EntityPlanBuilder {
  let entityName: String
  let relationships: [String: RelationshipPlan]
  let families: EntityFamilies
  var properties: [PropertyPlan] = []
  var columns: [ColumnPlan] = []
  var uniqueness: [[Int]] = []
  var indices: [[Int]] = []
  var paths: [(paths: [[String]], isUnique: Bool, spatial: Set<Int>)] = []

  mutating func append(_ property: Schema.PropertyMetadata) throws {
    let valueType = type(of: property.keypath).valueType
    let attribute = property.metadata as? Schema.Attribute
    let (wrapped, isOptional) = PropertyShape.unwrapped(valueType)
    let storage = AttributeStorage(attribute)
    if let suffix = attribute?.rowMethodSuffix,
      !storage.fits(rowMethodSuffix: suffix, storing: wrapped)
    {
      throw SchemaError.misalignedRow(entity: entityName, property: property.name)
    }
    guard let shape = PropertyShape.shape(of: valueType, storage) else {
      throw SchemaError.unsupportedType(
        entity: entityName, property: property.name, type: "\(valueType)")
    }
    // A single NULL can't distinguish nil from a value that is itself nil; a transformer's bytes can.
    if storage.transformerName == nil, !storage.isEphemeral,
      PlainTypes.known(wrapped)?.isOptional ?? (wrapped is any OptionalType.Type)
    {
      throw SchemaError.nestedOptional(
        entity: entityName, property: property.name, type: "\(valueType)")
    }
    let first = columns.count
    if !storage.isEphemeral {
      appendColumns(
        of: shape, named: families.columnName(of: property.name, in: entityName),
        isOptional: isOptional, relationship: relationships[property.name])
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
        relationship: relationships[property.name], storage: storage,
        hashModifier: attribute?.hashModifier ?? relationship?.hashModifier))
    if isUnique, first < columns.count { uniqueness.append(Array(first..<columns.count)) }
  }

  private mutating func appendColumns(
    of shape: PropertyShape, named name: String, isOptional: Bool, relationship: RelationshipPlan?
  ) {
    let property = properties.count
    func column(
      _ name: String, _ kind: ColumnKind, isOptional: Bool, members: [String] = []
    ) -> ColumnPlan {
      ColumnPlan(
        name: ColumnPlan.free(name), kind: kind, isOptional: isOptional, property: property,
        members: members)
    }
    switch shape {
    case .scalar(let kind): columns.append(column(name, kind, isOptional: isOptional))
    case .json: columns.append(column(name, .json, isOptional: isOptional))
    case .toOne:
      // With `inverseColumn`, the other end of a one-to-one relationship has the key.
      if relationship?.storage != .inverseColumn {
        columns.append(column(name, .reference, isOptional: true))
      }
    case .toMany: break
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
    var spatialIndices: [[Int]] = []
    for group in paths {
      // A group without properties says nothing.
      for (number, path) in group.paths.enumerated() where !path.isEmpty {
        let positions = try path.flatMap { try position(of: $0) }
        if group.isUnique {
          uniqueness.append(positions)
        } else if group.spatial.contains(number), isSpatial(positions) {
          spatialIndices.append(positions)
        } else {
          indices.append(positions)
        }
      }
    }
    let names = Set(columns.map { $0.name.lowercased() })
    guard names.count == columns.count else {
      throw SchemaError.columnClash(entity: entityName, columns: columns.map(\.name))
    }
    return EntityPlan(
      name: entityName, type: type, properties: properties, columns: columns,
      uniqueness: uniqueness, indices: indices, spatialIndices: spatialIndices,
      family: families.family(of: type))
  }

  /// Whether an R*Tree can serve the columns: one to five numbers that aren't optional. For any other columns `.rtree`
  /// makes an ordinary index.
  private func isSpatial(_ positions: [Int]) -> Bool {
    guard (1...5).contains(positions.count), Set(positions).count == positions.count else {
      return false
    }
    return positions.allSatisfy { position in
      let column = columns[position]
      guard !column.isOptional, properties[column.property].storage.isComparable else {
        return false
      }
      return column.kind == .real || column.kind == .integer
    }
  }

  private func position(of path: String) throws -> [Int] {
    let parts = path.split(separator: ".").map(String.init)
    guard let name = parts.first, let property = properties.first(where: { $0.name == name }) else {
      throw SchemaError.unknownProperty(entity: entityName, property: path)
    }
    let members = Array(parts.dropFirst())
    let found = property.columns.filter { columns[$0].members.starts(with: members) }
    guard !found.isEmpty else {
      // A part behind `?` has an address for a name.
      let named = [name] + members.prefix { !$0.hasPrefix("<") }
      throw SchemaError.noColumn(
        entity: entityName, property: name, path: named.joined(separator: "."),
        reason: Self.reasonAgainstColumn(property.shape))
    }
    return Array(found)
  }

  /// The reason why a property of this shape, or a member of it, has no column.
  private static func reasonAgainstColumn(_ shape: PropertyShape) -> String {
    switch shape {
    case .toMany: "is a relationship to many, which is kept by the rows that it leads to"
    case .toOne: "is a relationship, and its model has a table of its own. Name the relationship"
    case .json:
      "is stored as JSON: only structures whose members are all values with a column, or such"
        + " structures, get a column for each. Move the member to a property of the class"
    case .composite: "has no stored member of that name"
    case .scalar: "is one value with one column. Name the property itself"
    }
  }
}
