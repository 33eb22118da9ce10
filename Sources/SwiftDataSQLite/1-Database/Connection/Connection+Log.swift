import CSQLite
import Foundation

/// The write-ahead log as a connection has seen it.
struct LogState {
  /// Whether the log is open, see ``Connection/opensLog()``.
  fileprivate(set) var isOpen = false
  /// The number of pages in it after a commit, where ``StoreWriter`` manages it.
  var length = 0
}

extension Connection {
  /// Opens the write-ahead log, as the first read does; false for a database without one.
  ///
  /// From then on a lock on the file lasts as long as the connection, and with it the log and its index: the last
  /// connection to close removes them, which SQLite refuses while others hold that lock. Without the lock, the index
  /// must not be read: a connection that has only the index open keeps the index of a removed log, and shows it to
  /// connections that create the log again.
  func opensLog() -> Bool {
    if log.isOpen { return true }
    var isLog = false
    // Without the SELECT, SQLite would return the journal mode from its last read. The next statement reports any
    // error.
    let result = withUnsafeMutablePointer(to: &isLog) { isLog in
      sqlite3_exec(
        handle, "SELECT 1 FROM sqlite_schema LIMIT 1; PRAGMA journal_mode",
        { context, _, values, _ in
          if let mode = values?.pointee {
            context?.assumingMemoryBound(to: Bool.self).pointee = strcmp(mode, "wal") == 0
          }
          return SQLITE_OK
        }, isLog, nil)
    }
    log.isOpen = result == SQLITE_OK && isLog
    return log.isOpen
  }
}
