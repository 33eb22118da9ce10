import CSQLite
import Foundation

/// A database file, opened as any other program would open it.
package final class SQLiteFile {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let handle: OpaquePointer

  package convenience init(_ file: URL) throws {
    try self.init(file.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    sqlite3_busy_timeout(handle, 10_000)
  }

  /// Opens a file for reading by a `file:` URI.
  package convenience init(uri: String) throws {
    try self.init(uri, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }

  private init(_ name: String, flags: CInt) throws {
    var opened: OpaquePointer?
    guard sqlite3_open_v2(name, &opened, flags, nil) == SQLITE_OK, let opened else {
      throw Failure(description: "\(name) can't be opened")
    }
    handle = opened
  }

  deinit { sqlite3_close_v2(handle) }

  private func failure() -> Failure {
    Failure(description: String(cString: sqlite3_errmsg(handle)))
  }

  package func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  /// Calls a closure with the statement at each row of a query.
  private func forEachRow(_ sql: String, _ body: (OpaquePointer?) -> Void) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
    defer { sqlite3_finalize(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: body(statement)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  /// Returns the first column of all rows, as text.
  package func values(_ sql: String) throws -> [String?] {
    var values: [String?] = []
    try forEachRow(sql) { values.append(sqlite3_column_text($0, 0).map { String(cString: $0) }) }
    return values
  }

  /// Returns the first column of the first row.
  package func integer(_ sql: String) throws -> Int64 {
    var first: Int64?
    try forEachRow(sql) { if first == nil { first = sqlite3_column_int64($0, 0) } }
    guard let first else { throw Failure(description: "no row: \(sql)") }
    return first
  }

  /// Returns SQLite's plan for a query, without values for its parameters.
  package func queryPlan(_ sql: String) throws -> String {
    var steps: [String] = []
    try forEachRow("EXPLAIN QUERY PLAN " + sql) {
      if let text = sqlite3_column_text($0, 3) { steps.append(String(cString: text)) }
    }
    return steps.joined(separator: "; ")
  }
}
