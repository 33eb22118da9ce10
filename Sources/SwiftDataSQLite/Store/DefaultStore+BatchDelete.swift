import SwiftDataCore
import SwiftDataSQL

/// A deletion by predicate as a statement.
struct PreparedDeletion {
  let sql: String
  let bindings: [SQLValue]
}

extension DefaultStore {
  /// To be called before the transaction: what SQL can't say of the predicate is evaluated on models here.
  func prepare<Deletion: BatchDeletion>(
    _ deletion: Deletion, _ editingState: EditingState
  ) throws -> PreparedDeletion {
    guard let plan = plansByType[ObjectIdentifier(Deletion.Model.self)] else {
      throw SwiftDataError.unknownSchema.explained(
        "The store \(name) doesn't hold \(Deletion.Model.self).")
    }
    let table = try statements(of: plan).table
    // Rows of subclasses are in the same table.
    let discriminator = SQLIdentifier.quoted(EntityFamily.discriminator)
    let only =
      plan.family == nil || deletion.includeSubclasses
      ? "" : " AND \(discriminator) = '\(plan.name)'"
    var request = StoreRequest<Deletion.Model>(plan: plan)
    request.predicate = deletion.predicate
    request.purpose = .identifiers
    let query = try prepare(request)
    if query.isFilterExact, let statement = query.statement as? SQLiteQuery {
      return PreparedDeletion(
        sql: "DELETE FROM \(table) WHERE \"_id\" IN"
          + " (SELECT t0.\"_id\" FROM \(table) AS t0\(statement.source))\(only)",
        bindings: statement.bindings)
    }
    let context = ModelContext(
      ModelContainer(schema: schema, migrationPlan: nil, stores: [self]))
    context.editingState = editingState
    let rowIDs = try context.fetchIdentifiers(FetchDescriptor(predicate: deletion.predicate))
      .compactMap(\.rowID)
    return PreparedDeletion(
      sql: "DELETE FROM \(table) WHERE \"_id\" IN (SELECT value FROM json_each(?))\(only)",
      bindings: [.text("[\(rowIDs.map(String.init).joined(separator: ","))]")])
  }

  /// - Returns: The rows that are gone, by entity, those that delete rules took among them.
  func delete(
    _ deletions: [PreparedDeletion], on connection: Connection
  ) throws -> [String: Set<Int64>] {
    guard !deletions.isEmpty else { return [:] }
    for deletion in deletions {
      let statement = try connection.statement(deletion.sql)
      try statement.bind(deletion.bindings)
      try statement.run()
    }
    return connection.recorder?.deleted.mapValues { Set($0) } ?? [:]
  }
}
