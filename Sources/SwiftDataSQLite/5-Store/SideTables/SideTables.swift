import SwiftDataCore
import SwiftDataSQL

/// Tables that a toolkit keeps in a store's file beside those of the models. Their names begin with an underscore, so
/// that they can't be an entity's.
///
/// They are written in the transactions of the models, so both are committed or neither. The history doesn't contain
/// them.
package struct SideTables {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Runs a statement to its end.
  package func run(_ sql: String, _ bindings: [SQLValue] = []) throws {
    let statement = try connection.statement(sql)
    try statement.bind(bindings)
    try statement.run()
  }

  /// A statement that runs many times.
  package func statement(_ sql: String) throws -> SideStatement {
    try SideStatement(sql, on: connection)
  }

  /// A writer of an entity's rows in the same transaction, which must be recorded in the history.
  fileprivate func writer(_ statements: EntityStatements) throws -> TableWriter {
    let writer = TableWriter(
      connection: connection, statements: statements, existing: .left, needsRowIDs: false)
    try writer.learnNumbering()
    return writer
  }

  /// Calls `body` with each row.
  package func forEach(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: ([SQLValue]) throws -> Void
  ) throws {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(bindings)
    while try statement.step() { try body(statement.row(from: 0).map { SQLValue($0) }) }
  }

  /// Calls `body` with the cells of each row; they are valid during the call.
  package func forEachRow(
    _ sql: String, _ bindings: [SQLValue] = [],
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(bindings)
    while try statement.step() { try body(statement.row(from: 0)) }
  }

  /// The number of the history's last transaction; the current one isn't counted before its end.
  package func lastTransaction() throws -> Int64 { try HistoryTables.last(on: connection).number }

  /// Whether the history after a transaction still exists, and was written only by `author`.
  package func history(after number: Int64, isOnlyBy author: String) throws -> Bool {
    guard try HistoryTables.mark(on: connection) <= number, try lastTransaction() >= number else {
      return false
    }
    return try connection.integer(
      "SELECT 1 FROM \"_history_transaction\" WHERE number > ? AND author IS NOT ? LIMIT 1",
      [.integer(number), .text(author)]) == nil
  }

  /// Records how far a consumer of the history has read, in the same transaction.
  package func acknowledgeHistory(through number: Int64, by consumer: String) throws {
    _ = try HistoryConsumers.apply(.acknowledge(number), to: consumer, on: connection)
  }
}

/// Side tables written with a context's save.
package final class SideWork: SaveCompanion {
  let begin: (SideTables) throws -> Void
  let end: (SideTables) throws -> Void

  /// - Parameters:
  ///   - begin: Called before anything is written; the snapshot that it reads stays valid until the commit.
  ///   - end: Called after all models are written.
  package init(
    begin: @escaping (SideTables) throws -> Void, end: @escaping (SideTables) throws -> Void
  ) {
    self.begin = begin
    self.end = end
  }
}

extension DefaultStore {
  /// Reads one snapshot of the side tables and of the models' rows.
  package func readSideTables<Result>(_ body: (SideTables) throws -> Result) throws -> Result {
    try withReader { connection in
      try connection.begin("BEGIN")
      defer { connection.rollback() }
      return try body(SideTables(connection))
    }
  }

  /// A writer of new rows of an entity in the transaction of side tables, which must be recorded in the history: that of
  /// a save, or of ``writeRows(author:_:)``. Rows with unique values that exist are left alone.
  package func writer(of plan: EntityPlan, in tables: SideTables) throws -> TableWriter {
    try tables.writer(try statements(of: plan))
  }

  /// Whether the rows of an entity are stored as their models write them: no value is encrypted or in a file.
  package func keepsPlainRows(of plan: EntityPlan) -> Bool {
    entities.statements(of: plan)?.codec == nil
  }

  /// Writes side tables and inserts rows of models without a save. The rows are in the history under `author`, and
  /// contexts and observers are notified of them.
  package func writeRows<Result>(
    author: String, _ body: (SideTables) throws -> Result
  ) throws -> Result {
    let (result, written) = try withWriter { connection in
      try connection.recordedTransaction(author: author) {
        let result = try body(SideTables(connection))
        if connection.recorder?.recordedCount ?? 0 == 0 {
          try HistoryTables.countUnrecordedCommit(on: connection)
        }
        return result
      }
    }
    if let written { recordCommit(written, author: author) }
    return result
  }

  /// Writes side tables without a save, in a separate transaction.
  package func writeSideTables<Result>(_ body: (SideTables) throws -> Result) throws -> Result {
    try withWriter { connection in
      try connection.transaction {
        let result = try body(SideTables(connection))
        try HistoryTables.countUnrecordedCommit(on: connection)
        return result
      }
    }
  }
}
