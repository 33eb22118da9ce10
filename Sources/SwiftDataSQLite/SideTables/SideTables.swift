import SwiftDataCore
import SwiftDataSQL

/// Tables that a toolkit keeps in a store's file beside those of the models. Their names begin with an underscore, so
/// that they can't be an entity's.
///
/// They are written in the transactions of the models, so both are there or neither. The history doesn't have them.
package struct SideTables {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Runs a statement to its end.
  package func run(_ sql: String, _ bindings: [SQLValue] = []) throws {
    let statement = try connection.statement(sql)
    try statement.bind(bindings)
    try statement.run()
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

  /// The number of the history's last transaction; the present one isn't counted before its end.
  package func lastTransaction() throws -> Int64 { try HistoryTables.last(on: connection).number }

  /// Notes how far a consumer of the history has come, in the same transaction.
  package func acknowledgeHistory(through number: Int64, by consumer: String) throws {
    _ = try HistoryConsumers.apply(.acknowledge(number), to: consumer, on: connection)
  }
}

/// Side tables written with a context's save.
package final class SideWork: SaveCompanion {
  let begin: (SideTables) throws -> Void
  let end: (SideTables) throws -> Void

  /// - Parameters:
  ///   - begin: Done before anything is written; the state that is seen lasts until the commit.
  ///   - end: Done after all models are written.
  package init(
    begin: @escaping (SideTables) throws -> Void, end: @escaping (SideTables) throws -> Void
  ) {
    self.begin = begin
    self.end = end
  }
}

extension DefaultStore {
  /// Reads one state of the side tables and of the models' rows.
  package func readSideTables<Result>(_ body: (SideTables) throws -> Result) throws -> Result {
    try withReader { connection in
      try connection.begin("BEGIN")
      defer { connection.rollback() }
      return try body(SideTables(connection))
    }
  }

  /// Writes side tables without a save, in a transaction of their own.
  package func writeSideTables<Result>(_ body: (SideTables) throws -> Result) throws -> Result {
    try withWriter { connection in
      try connection.transaction {
        let result = try body(SideTables(connection))
        try HistoryTables.noteUnrecorded(on: connection)
        return result
      }
    }
  }
}
