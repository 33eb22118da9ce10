import SwiftDataCore
import SwiftDataSQL

/// The tables of a schema's entities, with keys, checks, indices and readable views.
struct EntityTables: Sendable {
  private static let dialect = PostgresDialect()

  private let plans: [EntityPlan]
  private let plansByType: [ObjectIdentifier: EntityPlan]

  /// - Throws: ``SchemaError`` for a name that a table or column can't have.
  init(_ plans: [EntityPlan]) throws {
    self.plans = plans
    plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    try SchemaNames.check(plans, plansByType: plansByType, dialect: Self.dialect)
    for plan in plans {
      for column in plan.columns where PostgresDialect.systemColumns.contains(column.name) {
        throw SchemaError.reservedName(
          entity: plan.name, property: plan.properties[column.property].name,
          reason: "every table of PostgreSQL has a column \(column.name) of its own")
      }
    }
  }

  /// The statements that create everything, in an order in which that is possible: a key's table comes before the key.
  var creation: [String] {
    var tables: [String] = []
    var keys: [String] = []
    var pairs: [String] = []
    var others: [String] = []
    for plan in plans {
      for object in TableDefinition.objects(
        for: plan, plans: plansByType, dialect: Self.dialect)
      {
        if object.kind == .table {
          tables.append(object.statement)
        } else {
          others.append(object.statement)
        }
      }
      keys += TableDefinition.foreignKeys(
        for: plan, plans: plansByType, dialect: Self.dialect
      ).map(\.statement)
      pairs += RelationshipTables.pairs(of: plan, plans: plansByType, dialect: Self.dialect)
        .flatMap(\.statements)
    }
    return tables + keys + pairs + others + comments
  }

  /// The statements that create the triggers for writes of other programs.
  ///
  /// - Parameter tables: The names of the tables that have them already.
  func noteTriggers(besides tables: Set<String> = []) -> [String] {
    Self.tables(of: plans).filter { !tables.contains(PostgresStatementText.shortened($0)) }
      .map { StoreTables.noteTrigger(of: $0) }
  }

  /// The tables of the entities and of their pairs.
  static func tables(of plans: [EntityPlan]) -> [String] {
    let pairs = plans.flatMap { plan in
      plan.relationships.compactMap { plan.properties[$0].relationship?.joinTable?.name }
    }
    return Set(plans.map(\.table) + pairs).sorted()
  }

  /// Comments with the whole names of tables and columns whose names are cut.
  var comments: [String] {
    plans.flatMap { plan -> [String] in
      guard plan.family?.isRoot(plan) ?? true else { return [] }
      var comments: [String] = []
      let table = SQLIdentifier.quoted(plan.table)
      if isCut(plan.table) {
        comments.append("COMMENT ON TABLE \(table) IS \(SQLIdentifier.literal(plan.table))")
      }
      for column in (plan.family?.plans ?? [plan]).flatMap(\.columns) where isCut(column.name) {
        comments.append(
          "COMMENT ON COLUMN \(table).\(SQLIdentifier.quoted(column.name))"
            + " IS \(SQLIdentifier.literal(column.name))")
      }
      return comments
    }
  }

  private func isCut(_ name: String) -> Bool {
    name.utf8.count > PostgresStatementText.maximumNameLength
  }

  /// The description with which a store remembers its tables.
  func description(version: Schema.Version?) -> SchemaDescription {
    SchemaDescription(plans, plansByType: plansByType, version: version, dialect: Self.dialect)
  }
}
