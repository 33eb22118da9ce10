import Foundation
import SwiftDataCore
import SwiftDataSQL

/// A deletion by predicate as a statement.
struct PreparedDeletion {
  let plan: EntityPlan
  /// The condition for the rows of the plan's table to delete.
  let rows: SQLFragment

  var sql: String { "DELETE FROM \(SQLIdentifier.quoted(plan.table)) WHERE \(rows.sql)" }
  var bindings: [SQLValue] { rows.bindings }
}

extension DefaultStore {
  /// Prepares a deletion. Call it in the transaction, before it changes anything: parts of the predicate that SQL can't
  /// express are evaluated here on models, which another connection reads from the last commit.
  ///
  /// - Parameter connection: The transaction's connection, to find the rows now: other deletions change them before
  ///   this one is carried out, by their delete rules at least. nil leaves that to the deletion's own statement.
  func prepare<Deletion: BatchDeletion>(
    _ deletion: Deletion, _ editingState: EditingState, findingRowsOn connection: Connection?
  ) throws -> PreparedDeletion {
    let plan = try plan(of: Deletion.Model.self)
    let rows = try rows(
      of: Deletion.Model.self, deletion.predicate, includeSubclasses: deletion.includeSubclasses,
      editingState)
    guard let connection, deletion.predicate != nil else {
      return PreparedDeletion(plan: plan, rows: rows)
    }
    let rowID = SQLIdentifier.rowID
    let statement = try connection.statement(
      "SELECT \(rowID) FROM \(SQLIdentifier.quoted(plan.table)) WHERE \(rows.sql)")
    try statement.bind(rows.bindings)
    var found: [Int64] = []
    while try statement.step() { found.append(statement.rowID()) }
    return PreparedDeletion(
      plan: plan, rows: SQLFragment("\(rowID) \(Self.isListed)", [Self.list(of: found)]))
  }

  /// Whether a row's ID is in a list, which is the value of ``list(of:)``.
  private static let isListed = "IN (SELECT value FROM json_each(?))"

  private static func list(of rowIDs: [Int64]) -> SQLValue {
    .text("[\(rowIDs.map(String.init).joined(separator: ","))]")
  }

  func plan<Model: PersistentModel>(of type: Model.Type) throws -> EntityPlan {
    guard let plan = plansByType[ObjectIdentifier(type)] else {
      throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(type).")
    }
    return plan
  }

  /// The rows of a class's table that a batch applies to, as a condition on their IDs.
  func rows<Model: PersistentModel>(
    of type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool,
    _ editingState: EditingState
  ) throws -> SQLFragment {
    let plan = try plan(of: type)
    let table = try statements(of: plan).table
    // Rows of subclasses are in the same table.
    let discriminator = SQLIdentifier.quoted(EntityFamily.discriminator)
    let only =
      plan.family == nil || includeSubclasses
      ? "" : " AND \(discriminator) = \(SQLIdentifier.literal(plan.name))"
    var request = StoreRequest<Model>(plan: plan)
    request.predicate = predicate
    request.purpose = .identifiers
    let query = try sqliteQuery(request)
    if query.isFilterExact {
      return SQLFragment(
        "\(SQLIdentifier.rowID) IN (SELECT t0.\(SQLIdentifier.rowID) FROM \(table)"
          + " AS t0\(query.source))\(only)",
        query.bindings)
    }
    let context = ModelContext(
      ModelContainer(schema: schema, migrationPlan: nil, stores: [self]))
    context.editingState = editingState
    // A store in memory is read in the transaction itself, because no other connection can read meanwhile.
    let rowIDs = try StoreConnections.$readsBeforeWriting.withValue(true) {
      try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)).compactMap(\.rowID)
    }
    return SQLFragment(
      "\(SQLIdentifier.rowID) \(Self.isListed)\(only)", [Self.list(of: rowIDs)])
  }

  /// - Returns: The deleted rows by entity, including those deleted by delete rules.
  func delete(
    _ deletions: [PreparedDeletion], on connection: Connection
  ) throws -> [String: Set<Int64>] {
    guard !deletions.isEmpty else { return [:] }
    for deletion in deletions {
      if var cascading = CascadingDeletion(deletion, entities, on: connection) {
        try cascading.run()
        continue
      }
      let statement = try connection.statement(deletion.sql)
      try statement.bind(deletion.bindings)
      try statement.run()
    }
    return connection.recorder?.deleted.mapValues { Set($0) } ?? [:]
  }
}
