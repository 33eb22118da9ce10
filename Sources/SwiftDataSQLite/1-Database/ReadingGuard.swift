import CSQLite
import SwiftDataCore

extension Connection {
  /// Restricts the connection to reading from now on, whatever SQL it is given.
  ///
  /// Three measures ensure this: SQLite's own `query_only` setting, an authorizer that refuses other actions of
  /// read-only statements (https://sqlite.org/c3ref/set_authorizer.html), and the check of each statement by
  /// `sqlite3_stmt_readonly`. The authorizer lets virtual tables prepare the writing statements that they keep, which
  /// `query_only` prevents from running.
  func guardReading() throws {
    try execute("PRAGMA query_only = ON")
    try execute("PRAGMA trusted_schema = OFF")
    let result = sqlite3_set_authorizer(
      handle,
      { _, action, first, second, _, _ in
        switch action {
        case SQLITE_ATTACH, SQLITE_DETACH, SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return SQLITE_DENY
        case SQLITE_PRAGMA:
          // Text indices read this pragma.
          return Connection.name(first) == "data_version" && second == nil ? SQLITE_OK : SQLITE_DENY
        case SQLITE_FUNCTION:
          return Connection.name(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK
        default: return SQLITE_OK
        }
      }, nil)
    guard result == SQLITE_OK else { throw error(result) }
  }

  private static func name(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0).lowercased() } ?? ""
  }

  /// The number of statements in a text.
  enum Extent {
    case nothing, one, several
  }

  /// Finds the end of the first statement. A text that can't be compiled counts as one: preparing it reports the error.
  func extent(of sql: String) -> Extent {
    sql.withCString { start in
      var tail: UnsafePointer<CChar>? = start
      var count = 0
      while let next = tail, next.pointee != 0, count < 2 {
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v2(handle, next, -1, &statement, &tail)
        defer { sqlite3_finalize(statement) }
        if result != SQLITE_OK { return count == 0 ? .one : .several }
        // Whitespace and comments yield no statement.
        if statement != nil { count += 1 }
      }
      return count == 0 ? .nothing : count == 1 ? .one : .several
    }
  }
}

extension StoreError {
  /// Whether the authorizer refused. For functions there is no separate result code.
  var isRefusal: Bool {
    resultCode & 0xFF == SQLITE_AUTH || explanation.hasPrefix("not authorized")
  }
}
