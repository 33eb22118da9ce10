import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Tracks individually deleted transactions: for each author, the newest.
///
/// Besides the number of the newest deleted transaction, the
/// metadata contain the number up to which transactions of any author may be deleted (`history.deleted.all`) and the
/// newest deleted transaction of each author (`history.deleted.authors`, a JSON array). Where these don't reach the
/// newest deleted transaction, a program that doesn't know them has deleted more, and only tokens from that transaction
/// on are valid.
enum HistoryGaps {
  private static let allKey = "history.deleted.all"
  private static let authorsKey = "history.deleted.authors"

  /// Whether a reader that has read up to `start` would miss a deleted transaction.
  ///
  /// - Parameters:
  ///   - mark: The newest deleted transaction.
  ///   - wants: Whether the reader requests an author's transactions.
  static func missDeletions(
    _ start: Int64, before mark: Int64, on connection: Connection,
    wants: (String?) throws -> Bool
  ) throws -> Bool {
    guard start < mark else { return false }
    guard let known = try known(before: mark, on: connection) else { return true }
    return try known.isMissed(after: start, wants: wants)
  }

  /// - Returns: nil when only the newest deleted transaction is known.
  private static func known(
    before mark: Int64, on connection: Connection
  ) throws -> DeletedHistory? {
    guard
      let all = try connection.integer(
        "SELECT CAST(value AS INTEGER) FROM \"_metadata\" WHERE key = ?", [.text(allKey)]),
      let text = try connection.text(
        "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(authorsKey)])
    else { return nil }
    return DeletedHistory(all: all, authors: text, mark: mark)
  }

  /// Records that all transactions up to a number are being deleted.
  static func record(through number: Int64, on connection: Connection) throws {
    // There is nothing to change as long as no single transactions were deleted.
    let statement = try connection.statement(
      "UPDATE \"_metadata\" SET value = max(CAST(value AS INTEGER), ?) WHERE key = ?")
    try statement.bind([.integer(number), .text(allKey)])
    try statement.run()
  }

  /// Records that single transactions are being deleted. Call it while they still exist.
  ///
  /// - Parameter numbers: A JSON array.
  static func record(_ numbers: String, on connection: Connection) throws {
    let mark = try HistoryTables.mark(on: connection)
    var known = try known(before: mark, on: connection) ?? DeletedHistory(all: mark)
    let statement = try connection.statement(
      "SELECT author IS NULL, author, max(number) FROM \"_history_transaction\""
        + " WHERE number IN (SELECT value FROM json_each(?)) GROUP BY author")
    defer { statement.reset() }
    try statement.bind([.text(numbers)])
    while try statement.step() {
      known.add(
        statement.rowID(at: 2), of: statement.rowID() == 1 ? nil : statement.string(at: 1))
    }
    known.settle()
    try write(known, on: connection)
  }

  private static func write(_ known: DeletedHistory, on connection: Connection) throws {
    for (key, value) in [
      (allKey, SQLValue.integer(known.all)), (authorsKey, .text(try known.authors)),
    ] {
      let statement = try connection.statement(
        "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
      try statement.bind([.text(key), value])
      try statement.run()
    }
  }
}
