import CSQLite
import Dispatch
import SwiftDataCore

/// The commits that a connection has noticed, and its shared read transaction.
struct ReadingState {
  /// The last result of `PRAGMA data_version`.
  var dataVersion: Int64 = 0
  /// The last commit at the time ``dataVersion`` was read.
  var observedCommit: LogCommit?
  /// The commit included in the read transaction in which the connection waits for its next use; nil while none is
  /// open, see ``Connection/continueReading(_:within:)``.
  fileprivate(set) var openCommit: LogCommit?
  /// The time of the last read of rows, in nanoseconds of ``DispatchTime``.
  fileprivate(set) var last: UInt64 = 0
}

/// Shares a read transaction among reads in close succession: beginning and ending one, which requests locks from the
/// system, takes longer than finding a row by its key.
///
/// The header of the write-ahead log's index shows, by one read of memory, whether there was a commit since the
/// transaction began. Without one, the transaction sees the same data as a new one. Between two reads that aren't close
/// to each other no transaction is open, so that the log can be written back and restarted.
extension Connection {
  private static let beginning = StatementText("BEGIN")
  private static let end = StatementText("COMMIT")

  /// Whether a statement begins or ends a read transaction, which isn't work on models.
  static func isBoundOfReading(_ sql: String) -> Bool { sql == beginning.sql || sql == end.sql }

  /// Prepares for a read: in the open transaction when that is up to date; in a new one that stays open when the last
  /// read was recent; otherwise in none.
  ///
  /// - Parameters:
  ///   - mark: The last commit; nil when it isn't known.
  ///   - span: The time after a read within which another one counts as close, in nanoseconds; 0 ends an open
  ///     transaction.
  func continueReading(_ mark: LogCommit?, within span: UInt64) throws {
    if reading.openCommit != nil, span == 0 || reading.openCommit != mark { endReadTransaction() }
    guard span > 0, let mark else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    let isClose = now &- reading.last < span
    reading.last = now
    guard isClose, reading.openCommit == nil else { return }
    try statement(Self.beginning).run()
    reading.openCommit = mark
  }

  /// Runs `body` on one snapshot of the database, however many statements it executes.
  func inReadTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    guard sqlite3_get_autocommit(handle) != 0 else { return try body() }
    try statement(Self.beginning).run()
    do {
      let result = try body()
      try statement(Self.end).run()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Runs `body` on one snapshot of the database, in a transaction that is rolled back. Within another read of a store
  /// in memory it is that read's snapshot.
  func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    let isInner = !openTransaction.isEnclosed && sqlite3_get_autocommit(handle) == 0
    if isInner { return try body() }
    try begin("BEGIN")
    defer { rollback() }
    return try body()
  }

  /// Ends the open read transaction.
  func endReadTransaction() {
    guard reading.openCommit != nil else { return }
    reading.openCommit = nil
    // SQLite ends the transaction by itself after some read errors.
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    do { try statement(Self.end).run() } catch { rollback() }
  }
}
