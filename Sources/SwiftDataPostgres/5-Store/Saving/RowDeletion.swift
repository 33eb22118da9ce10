import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Deletes rows with those that delete rules add. No trigger follows the rules on the own key, so all rows are found and
/// locked before the first one is deleted, and it is known which ones go.
struct RowDeletion {
  /// A delete rule that leads from the rows of a table to others.
  private struct Rule {
    /// `Entity.property`, for errors.
    let name: String
    let rule: Schema.Relationship.DeleteRule
    let destination: EntityPlan
    /// The condition for the destinations `d`, by a list of row IDs.
    let condition: String
    /// Deletes the pairs of a list of rows; nil where the foreign key does.
    let unlink: String?
  }

  private let store: PostgresStore
  private let connection: PostgresConnection
  /// The rules of the classes in a table.
  private var rules: [String: [Rule]] = [:]
  /// The entities of the rows, by table and row ID.
  private var found: [String: [Int64: String]] = [:]

  init(_ store: PostgresStore, on connection: PostgresConnection) {
    self.store = store
    self.connection = connection
  }

  /// Deletes the rows of a class, which are locked.
  ///
  /// - Returns: All deleted rows, by entity.
  mutating func run(
    _ plan: EntityPlan, _ rows: [Int64: String]
  ) throws -> [String: [Int64]] {
    guard !rows.isEmpty else { return [:] }
    found[plan.table] = rows
    var level = [plan.table: Array(rows.keys)]
    while !level.isEmpty { level = try next(behind: level) }
    try refuseDenied()
    for (table, rows) in found {
      let rowIDs = PostgresValue.integers(rows.keys)
      for rule in rules(of: table) {
        if let unlink = rule.unlink { try run(unlink, [rowIDs]) }
      }
      try run(
        "DELETE FROM \(SQLIdentifier.quoted(table)) WHERE \(SQLIdentifier.rowID) = ANY (?)",
        [rowIDs])
    }
    var deleted: [String: [Int64]] = [:]
    for rows in found.values {
      for (rowID, entity) in rows { deleted[entity, default: []].append(rowID) }
    }
    return deleted.mapValues { $0.sorted() }
  }

  @discardableResult
  private func run(_ sql: String, _ values: [PostgresValue]) throws -> PostgresResult {
    try connection.run(PostgresCommand(PostgresStatementText.finished(sql), values))
  }

  /// The rows that one more step of cascades reaches.
  private mutating func next(behind level: [String: [Int64]]) throws -> [String: [Int64]] {
    var next: [String: [Int64]] = [:]
    for (table, rowIDs) in level {
      for rule in rules(of: table) where rule.rule == .cascade {
        let destination = rule.destination
        let reached = try store.lockedRows(
          "SELECT d.\(SQLIdentifier.rowID)\(Self.entity(of: destination, in: "d"))"
            + " FROM \(SQLIdentifier.quoted(destination.table)) AS d WHERE \(rule.condition)"
            + " ORDER BY d.\(SQLIdentifier.rowID) FOR UPDATE",
          [.integers(rowIDs)], destination, on: connection)
        for (rowID, entity) in reached where found[destination.table]?[rowID] == nil {
          found[destination.table, default: [:]][rowID] = entity
          next[destination.table, default: []].append(rowID)
        }
      }
    }
    return next
  }

  /// - Throws: ``StoreError/Code/danglingReference`` where a row leads to one that stays, and the rule denies that.
  private mutating func refuseDenied() throws {
    for (table, rows) in found {
      for rule in rules(of: table) where rule.rule == .deny {
        let going = found[rule.destination.table]?.keys.map { $0 } ?? []
        let kept = try run(
          "SELECT 1 FROM \(SQLIdentifier.quoted(rule.destination.table)) AS d"
            + " WHERE \(rule.condition) AND d.\(SQLIdentifier.rowID) <> ALL (?) LIMIT 1",
          [.integers(rows.keys), .integers(going)])
        guard kept.rowCount > 0 else { continue }
        throw StoreError(
          .danglingReference, path: store.address,
          explanation: "a relationship leads to a model that isn't stored"
            + " (\(rule.name)\(RelationshipTables.denied))")
      }
    }
  }

  /// The column with a row's entity, behind a comma; empty for a class with its own table.
  static func entity(of plan: EntityPlan, in alias: String) -> String {
    plan.family == nil
      ? "" : ", \(alias).\(SQLIdentifier.quoted(EntityFamily.discriminator))"
  }

  // MARK: - Rules

  private mutating func rules(of table: String) -> [Rule] {
    if let known = rules[table] { return known }
    let made = store.plans.filter { $0.table == table }.flatMap { plan in
      plan.ownRelationships.compactMap { rule(of: plan, $0) }
    }
    rules[table] = made
    return made
  }

  private func rule(of plan: EntityPlan, _ index: Int) -> Rule? {
    guard let relationship = plan.properties[index].relationship,
      relationship.deleteRule == .cascade || relationship.deleteRule == .deny,
      let destination = store.plansByType[ObjectIdentifier(relationship.destination)]
    else { return nil }
    let condition: String
    var unlink: String?
    let id = "d.\(SQLIdentifier.rowID)"
    switch relationship.storage {
    case .column:
      guard let key = Self.key(of: plan, index) else { return nil }
      condition =
        "\(id) IN (SELECT \(key) FROM \(SQLIdentifier.quoted(plan.table))"
        + " WHERE \(SQLIdentifier.rowID) = ANY (?))"
    case .inverseColumn:
      guard let inverse = relationship.inverse, let key = Self.key(of: destination, inverse) else {
        return nil
      }
      condition = "d.\(key) = ANY (?)"
    case .joinTable(let join):
      let pairs = SQLIdentifier.quoted(join.name)
      let owner = SQLIdentifier.quoted(join.ownerColumn)
      condition =
        "\(id) IN (SELECT \(SQLIdentifier.quoted(join.destinationColumn)) FROM \(pairs)"
        + " WHERE \(owner) = ANY (?))"
      if relationship.deleteRule == .cascade {
        unlink = "DELETE FROM \(pairs) WHERE \(owner) = ANY (?)"
      }
    }
    return Rule(
      name: "\(plan.name).\(plan.properties[index].name)", rule: relationship.deleteRule,
      destination: destination, condition: condition, unlink: unlink)
  }

  private static func key(of plan: EntityPlan, _ index: Int) -> String? {
    plan.properties[index].columns.first.map { SQLIdentifier.quoted(plan.columns[$0].name) }
  }
}

extension PostgresStore: PredicateDeleting {
  func plan<Model: PersistentModel>(of type: Model.Type) throws -> EntityPlan {
    guard let plan = plansByType[ObjectIdentifier(type)] else {
      throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(type).")
    }
    return plan
  }

  /// Deletes the rows that match a predicate, in an open transaction.
  ///
  /// - Returns: All deleted rows, by entity.
  func delete<Deletion: BatchDeletion>(
    _ deletion: Deletion, on connection: PostgresConnection
  ) throws -> [String: [Int64]] {
    let rows = try lockedRows(
      of: Deletion.Model.self, deletion.predicate,
      includeSubclasses: deletion.includeSubclasses, on: connection)
    var deleting = RowDeletion(self, on: connection)
    return try deleting.run(try plan(of: Deletion.Model.self), rows)
  }

  /// Locks the rows of a class that match a predicate, in an open transaction, so that they stay as they are. What SQL
  /// can't express is evaluated on models of the locked rows.
  ///
  /// - Returns: The entities of the rows, by row ID.
  func lockedRows<Model: PersistentModel>(
    of type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool,
    on connection: PostgresConnection
  ) throws -> [Int64: String] {
    let lent = LentPostgresConnection(connection)
    defer { lent.end() }
    let store = PostgresStore(self, lending: lent)
    let plan = try plan(of: type)
    var request = StoreRequest<Model>(plan: plan)
    request.predicate = predicate
    request.purpose = .identifiers
    let query = try store.postgresQuery(request)
    var sql =
      "SELECT t0.\(SQLIdentifier.rowID)\(RowDeletion.entity(of: plan, in: "t0"))"
      + " FROM \(query.queries.table) AS t0\(query.source)"
    if plan.family != nil, !includeSubclasses {
      sql += query.source.isEmpty ? " WHERE " : " AND "
      sql +=
        "t0.\(SQLIdentifier.quoted(EntityFamily.discriminator))"
        + " = \(SQLIdentifier.literal(plan.name))"
    }
    sql += " ORDER BY t0.\(SQLIdentifier.rowID) FOR UPDATE OF t0"
    let rows = try evaluating {
      try lockedRows(sql, query.parameters, plan, on: connection)
    }
    guard !query.storeQuery.isFilterExact else { return rows }
    let context = ModelContext(
      ModelContainer(schema: schema, migrationPlan: nil, stores: [store]))
    let matching = try context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
    let rowIDs = Set(matching.compactMap(\.rowID))
    return rows.filter { rowIDs.contains($0.key) }
  }

  /// Runs a query for row IDs, and the entities of a family's rows.
  func lockedRows(
    _ sql: String, _ values: [PostgresValue], _ plan: EntityPlan,
    on connection: PostgresConnection
  ) throws -> [Int64: String] {
    let result = try connection.run(
      PostgresCommand(PostgresStatementText.finished(sql), values))
    var rows: [Int64: String] = [:]
    rows.reserveCapacity(result.rowCount)
    for row in 0..<result.rowCount {
      guard let rowID = result.integer(row, 0) else { continue }
      rows[rowID] = plan.family == nil ? plan.name : result.text(row, 1)
    }
    return rows
  }
}
