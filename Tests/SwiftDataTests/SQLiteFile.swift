import CSQLite
import Foundation

/// A database file, opened as any other program would open it.
final class SQLiteFile {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let handle: OpaquePointer

  init(_ file: URL) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(file.path, &opened) == SQLITE_OK, let opened else {
      throw Failure(description: "\(file.path) can't be opened")
    }
    handle = opened
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close_v2(handle) }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(description: String(cString: sqlite3_errmsg(handle)))
    }
  }

  /// Returns SQLite's plan for a query, without values for its parameters.
  func queryPlan(_ sql: String) throws -> String {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, "EXPLAIN QUERY PLAN " + sql, -1, &statement, nil) == SQLITE_OK
    else { throw Failure(description: String(cString: sqlite3_errmsg(handle))) }
    defer { sqlite3_finalize(statement) }
    var steps: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      if let text = sqlite3_column_text(statement, 3) { steps.append(String(cString: text)) }
    }
    return steps.joined(separator: "; ")
  }

  func integer(_ sql: String) throws -> Int64 {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(description: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else {
      throw Failure(description: "no row: \(sql)")
    }
    return sqlite3_column_int64(statement, 0)
  }
}
