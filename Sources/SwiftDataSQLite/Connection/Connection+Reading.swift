import CSQLite
import Dispatch
import SwiftDataCore

/// Reads that follow each other closely share a read transaction: beginning and ending one, which asks the system for
/// locks, takes longer than finding a row by its key.
///
/// The header of the write-ahead log's index tells, by one look at memory, whether anybody has committed since the
/// transaction began. As long as nobody has, it sees what a new one would see. Between two reads that aren't close to
/// each other no transaction is open, so that the log can be written back and begin anew.
extension Connection {
  private static let beginning = StatementText("BEGIN")
  private static let end = StatementText("COMMIT")

  /// Whether a statement begins or ends a read transaction: that isn't work on models.
  static func isBoundOfReading(_ sql: String) -> Bool { sql == beginning.sql || sql == end.sql }

  /// Makes ready for a read: in the open transaction when that is up to date, in one that stays open when the last read
  /// was just now, else in none.
  ///
  /// - Parameters:
  ///   - mark: The last commit; nil when it isn't known.
  ///   - span: How long after a read another one counts as close, in nanoseconds; 0 lets go of an open transaction.
  func continueReading(_ mark: CommitMark?, within span: UInt64) throws {
    if heldCommit != nil, span == 0 || heldCommit != mark { letGo() }
    guard span > 0, let mark else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    let isClose = now &- lastReading < span
    lastReading = now
    guard isClose, heldCommit == nil else { return }
    try statement(Self.beginning).run()
    heldCommit = mark
  }

  /// Runs `body` with the database as it is at one moment, however many statements that takes.
  func atOneMoment<Result>(_ body: () throws -> Result) throws -> Result {
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

  /// Ends the open read transaction.
  func letGo() {
    guard heldCommit != nil else { return }
    heldCommit = nil
    // SQLite ends it by itself when reading fails badly.
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    do { try statement(Self.end).run() } catch { rollback() }
  }
}
