import CSQLite
import SwiftDataSQL

/// A statement on side tables that runs many times: bound by position; parameters that aren't bound again keep their
/// values.
package final class SideStatement {
  private let connection: Connection
  private let statement: Statement

  init(_ sql: String, on connection: Connection) throws {
    self.connection = connection
    statement = try connection.statement(sql)
  }

  package func bind(_ value: SQLValue, at position: Int32) throws {
    try statement.bind(value, at: position)
  }

  /// Binds bytes without a copy: they must stay unchanged until the statement has run.
  package func bind(blob bytes: UnsafeRawBufferPointer, at position: Int32) throws {
    try statement.bind(blob: bytes, at: position)
  }

  /// Runs the statement to its end.
  ///
  /// - Returns: The number of changed rows in the side tables.
  package func run() throws -> Int64 {
    try statement.run()
    return sqlite3_changes64(connection.handle)
  }
}
