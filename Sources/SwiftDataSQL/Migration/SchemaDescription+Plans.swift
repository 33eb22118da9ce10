import SwiftDataCore

extension SchemaDescription {
  /// The description of a store's entities.
  package init(
    _ plans: [EntityPlan], plansByType: [ObjectIdentifier: EntityPlan], version: Schema.Version?,
    dialect: any SQLDialect
  ) {
    var entities: [String: EntityDescription] = [:]
    for plan in plans { entities[plan.name] = EntityDescription(plan, plansByType, dialect) }
    self.init(version: version, entities: entities)
  }
}

extension EntityDescription {
  init(
    _ plan: EntityPlan, _ plans: [ObjectIdentifier: EntityPlan], _ dialect: any SQLDialect
  ) {
    let superclass = ModelInheritance.superclass(of: plan.type).map(Self.name)
    self.init(
      name: plan.name, table: plan.table, superentity: superclass, sharesTable: plan.family != nil,
      properties: plan.properties.map { PropertyDescription($0, plan, plans, dialect) },
      inheritedCount: plan.inheritedCount)
    func names(_ positions: [[Int]]) -> [[String]] {
      positions.map { $0.map { plan.columns[$0].name } }
    }
    uniqueness = names(plan.uniqueness)
    indices = names(plan.indices)
    spatialIndices = names(plan.spatialIndices)
    objects = DatabaseObject.all(of: plan, plans: plans, dialect: dialect)
    searchTables = dialect.searchTables(for: [plan]).map(\.name)
  }

  private static func name(of type: any PersistentModel.Type) -> String {
    func open<Model: PersistentModel>(_ type: Model.Type) -> String { Schema.entityName(for: type) }
    return open(type)
  }
}

extension PropertyDescription {
  init(
    _ property: PropertyPlan, _ plan: EntityPlan, _ plans: [ObjectIdentifier: EntityPlan],
    _ dialect: any SQLDialect
  ) {
    let type = "\(PropertyShape.unwrapped(property.valueType).type)"
    var members: [[String]: CompositeShape.Column] = [:]
    if case .composite(let shape, _) = property.shape {
      for member in shape.columns { members[member.path] = member }
    }
    self.init(
      name: property.name, originalName: property.originalName, type: type,
      isOptional: property.isOptional,
      columns: Self.columns(of: property, type, members, plan, plans, dialect),
      relationship: property.relationship.map(RelationshipDescription.init),
      storage: property.storage, hashModifier: property.hashModifier)
  }

  private static func columns(
    of property: PropertyPlan, _ type: String, _ members: [[String]: CompositeShape.Column],
    _ plan: EntityPlan, _ plans: [ObjectIdentifier: EntityPlan], _ dialect: any SQLDialect
  ) -> [ColumnDescription] {
    var columns = property.columns.map { position in
      let column = plan.columns[position]
      let member = members[column.members]
      let (definition, check) = TableDefinition.definition(
        of: column, in: plan, plans: plans, dialect: dialect)
      return ColumnDescription(
        name: column.name, kind: column.kind,
        type: member?.type ?? (column.kind == .presence ? "" : type),
        isOptional: column.isOptional, members: column.members,
        isRequiredMember: property.isOptional ? member.map { !$0.isOptional } : nil,
        definition: definition, check: check)
    }
    if let position = plan.propertiesByName[property.name],
      let name = plan.orderColumn(of: position)
    {
      columns.append(
        ColumnDescription(
          name: name, kind: .integer, type: "Int", isOptional: true, members: [],
          definition: dialect.type(of: .integer), check: nil))
    }
    return columns
  }
}

extension DatabaseObject {
  /// All objects of an entity except the virtual tables, in an order in which they can be created. Triggers may name
  /// tables of other entities.
  package static func all(
    of plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) -> [DatabaseObject] {
    var objects = TableDefinition.objects(for: plan, plans: plans, dialect: dialect)
    if plan.family?.isRoot(plan) ?? true,
      let (name, statement) = dialect.rowNumberTrigger(of: plan)
    {
      objects.append(DatabaseObject(.trigger, name, statement))
    }
    for (name, statements) in RelationshipTables.pairs(of: plan, plans: plans, dialect: dialect) {
      objects += zip([(Kind.table, name), (.index, name + "_index")], statements).map {
        DatabaseObject($0.0, $0.1, $1)
      }
    }
    objects += TableDefinition.foreignKeys(for: plan, plans: plans, dialect: dialect).map {
      DatabaseObject(.reference, $0.name, $0.statement)
    }
    for (name, statement) in RelationshipTables.triggers(
      of: plan, plans: plans, dialect: dialect)
    {
      objects.append(DatabaseObject(.trigger, name, statement))
    }
    return objects
  }
}
