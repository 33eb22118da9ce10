import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: PredicateDeleting {
  func plan<Model: PersistentModel>(of type: Model.Type) throws -> EntityPlan {
    guard let plan = plansByType[ObjectIdentifier(type)] else {
      throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(type).")
    }
    return plan
  }

  /// Deletes the rows that match any of several predicates, in an open transaction. All predicates are evaluated before
  /// the first row is deleted.
  ///
  /// - Returns: All deleted rows, by entity.
  func delete(
    _ deletions: [any BatchDeletion], on connection: PostgresConnection,
    _ recording: HistoryRecording
  ) throws -> [String: [Int64]] {
    var rows: [String: Set<Int64>] = [:]
    for deletion in deletions {
      let (table, rowIDs) = try lockedRows(of: deletion, on: connection)
      rows[table, default: []].formUnion(rowIDs)
    }
    var deletion = RowDeletion(self, on: connection, recording, following: .all)
    return try deletion.run(rows)
  }

  private func lockedRows<Deletion: BatchDeletion>(
    of deletion: Deletion, on connection: PostgresConnection
  ) throws -> (table: String, rowIDs: Set<Int64>) {
    let rowIDs = try lockedRows(
      of: Deletion.Model.self, deletion.predicate, includeSubclasses: deletion.includeSubclasses,
      on: connection)
    return (try plan(of: Deletion.Model.self).table, rowIDs)
  }

  /// Deletes the rows that match a predicate, in an open transaction.
  ///
  /// - Returns: All deleted rows, by entity.
  func delete<Model: PersistentModel>(
    _ type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool,
    on connection: PostgresConnection, _ recording: HistoryRecording
  ) throws -> [String: [Int64]] {
    let rowIDs = try lockedRows(
      of: type, predicate, includeSubclasses: includeSubclasses, on: connection)
    var deletion = RowDeletion(self, on: connection, recording, following: .all)
    return try deletion.run([try plan(of: type).table: rowIDs])
  }

  /// Locks the rows of a class that match a predicate, in an open transaction, so that they stay as they are. Parts
  /// that SQL can't express are evaluated on models of the locked rows.
  func lockedRows<Model: PersistentModel>(
    of type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool,
    on connection: PostgresConnection
  ) throws -> Set<Int64> {
    let lent = LentPostgresConnection(connection)
    defer { lent.end() }
    let store = PostgresStore(self, lending: lent)
    let plan = try plan(of: type)
    var request = StoreRequest<Model>(plan: plan)
    request.predicate = predicate
    request.purpose = .identifiers
    let query = try store.postgresQuery(request)
    var sql = "SELECT t0.\(SQLIdentifier.rowID) FROM \(query.queries.table) AS t0\(query.source)"
    if plan.family != nil, !includeSubclasses {
      sql += query.source.isEmpty ? " WHERE " : " AND "
      sql +=
        "t0.\(SQLIdentifier.quoted(EntityFamily.discriminator))"
        + " = \(SQLIdentifier.literal(plan.name))"
    }
    sql += " ORDER BY t0.\(SQLIdentifier.rowID) FOR UPDATE OF t0"
    let command = PostgresCommand(PostgresStatementText.finished(sql), query.parameters)
    let result = try evaluating { try connection.run(command) }
    let rows = Set((0..<result.rowCount).compactMap { result.integer($0, 0) })
    guard !query.storeQuery.isFilterExact else { return rows }
    let context = ModelContext(
      ModelContainer(schema: schema, migrationPlan: nil, stores: [store]))
    let matching = try context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
    return rows.intersection(matching.compactMap(\.rowID))
  }
}
