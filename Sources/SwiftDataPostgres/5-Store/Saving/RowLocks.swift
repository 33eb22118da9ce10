import SwiftDataCore

/// Rows that a save writes by several statements. They are locked before the first one, in the order of their tables
/// and IDs: two saves of the same rows would wait for each other in a circle if each wrote them in an order of its own.
///
/// Rows of which only the server knows aren't among them: those that have the unique values of new models, those that
/// delete rules, predicates and orders of lists reach, and those of batches.
struct RowLocks {
  private var tables: [String: (plan: EntityPlan, rowIDs: [Int64])] = [:]

  var tableCount: Int { tables.count }

  mutating func append(_ rowIDs: [Int64], of plan: EntityPlan) {
    tables[plan.table, default: (plan, [])].rowIDs += rowIDs
  }

  /// Locks the rows, with the next statement that is waited for.
  func take(_ save: SaveOperation) throws {
    for (plan, rowIDs) in tables.values.sorted(by: { $0.plan.table < $1.plan.table }) {
      try save.connection.runLater(
        PostgresCommand(
          PostgresStatementText.finished(RowBatch.lockingExisting(plan)), [.integers(rowIDs)]))
    }
  }
}
