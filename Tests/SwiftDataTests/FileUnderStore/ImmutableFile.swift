import CSQLite
import Foundation

/// A file opened through a URI.
final class ImmutableFile {
  private let handle: OpaquePointer

  init(_ name: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    guard sqlite3_open_v2(name, &opened, flags, nil) == SQLITE_OK, let opened else {
      throw SQLiteFile.Failure(description: "\(name) can't be opened")
    }
    handle = opened
  }

  deinit { sqlite3_close_v2(handle) }

  func integer(_ sql: String) throws -> Int64 {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { throw SQLiteFile.Failure(description: String(cString: sqlite3_errmsg(handle))) }
    return sqlite3_column_int64(statement, 0)
  }
}
