import CSQLite
import SwiftDataCore

extension Connection {
  /// Lets the connection do nothing but read from now on, whatever SQL it is given.
  ///
  /// Three things stand in the way: SQLite's own switch, an authorizer that refuses what a statement that only reads
  /// could still do (https://sqlite.org/c3ref/set_authorizer.html), and the check of each statement by
  /// `sqlite3_stmt_readonly`. The authorizer lets virtual tables prepare the writing statements that they keep, which
  /// the switch keeps from running.
  func guardReading() throws {
    try execute("PRAGMA query_only = ON")
    try execute("PRAGMA trusted_schema = OFF")
    let result = sqlite3_set_authorizer(
      handle,
      { _, action, first, second, _, _ in
        switch action {
        case SQLITE_ATTACH, SQLITE_DETACH, SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return SQLITE_DENY
        case SQLITE_PRAGMA:
          // Text indices ask for it.
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

  /// How many statements a text has.
  enum Extent {
    case nothing, one, several
  }

  /// Looks for the end of the first statement. What can't be compiled counts as one: preparing it says what is wrong.
  func extent(of sql: String) -> Extent {
    sql.withCString { start in
      var tail: UnsafePointer<CChar>? = start
      var count = 0
      while let next = tail, next.pointee != 0, count < 2 {
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v2(handle, next, -1, &statement, &tail)
        defer { sqlite3_finalize(statement) }
        if result != SQLITE_OK { return count == 0 ? .one : .several }
        // Blanks and comments make no statement.
        if statement != nil { count += 1 }
      }
      return count == 0 ? .nothing : count == 1 ? .one : .several
    }
  }
}

extension StoreError {
  /// Whether the authorizer refused. Of functions it has no code of its own.
  var isRefusal: Bool {
    resultCode & 0xFF == SQLITE_AUTH || explanation.hasPrefix("not authorized")
  }
}
