import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Tracks individually deleted transactions: for each author, the newest.
///
/// A token stays valid as long as its reader misses nothing, so a token used for an author whose transactions all exist
/// continues to work when another author's are deleted. Besides the number of the newest deleted transaction, the
/// metadata contain the number up to which transactions of any author may be deleted (`history.deleted.all`) and the
/// newest deleted transaction of each author (`history.deleted.authors`, a JSON array). Where these don't reach the
/// newest deleted transaction, a program that doesn't know them has deleted more, and only tokens from that transaction
/// on are valid.
enum HistoryGaps {
  private static let allKey = "history.deleted.all"
  private static let authorsKey = "history.deleted.authors"
  /// The maximum number of authors: beyond it, those with the oldest deletions are dropped and count for all authors.
  private static let maximumAuthorCount = 64

  private struct Gap: Codable {
    /// nil for transactions without an author.
    var author: String?
    var number: Int64
  }

  private struct Known {
    var all: Int64
    var gaps: [Gap]
    var newest: Int64 { max(all, gaps.map(\.number).max() ?? all) }
  }

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
    guard let known = try known(before: mark, on: connection), start >= known.all else {
      return true
    }
    return try known.gaps.contains { gap in try gap.number > start && wants(gap.author) }
  }

  /// - Returns: nil when only the newest deleted transaction is known.
  private static func known(before mark: Int64, on connection: Connection) throws -> Known? {
    guard
      let all = try connection.integer(
        "SELECT CAST(value AS INTEGER) FROM \"_metadata\" WHERE key = ?", [.text(allKey)]),
      let text = try connection.text(
        "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(authorsKey)])
    else { return nil }
    do {
      let known = Known(
        all: all, gaps: try JSONDecoder().decode([Gap].self, from: Data(text.utf8)))
      return known.newest == mark ? known : nil
    } catch {
      return nil  // Damaged: the number of the newest deleted transaction suffices.
    }
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
    var known = try known(before: mark, on: connection) ?? Known(all: mark, gaps: [])
    let statement = try connection.statement(
      "SELECT author IS NULL, author, max(number) FROM \"_history_transaction\""
        + " WHERE number IN (SELECT value FROM json_each(?)) GROUP BY author")
    defer { statement.reset() }
    try statement.bind([.text(numbers)])
    while try statement.step() {
      let author = statement.rowID() == 1 ? nil : statement.string(at: 1)
      let number = statement.rowID(at: 2)
      if let place = known.gaps.firstIndex(where: { $0.author == author }) {
        known.gaps[place].number = max(known.gaps[place].number, number)
      } else {
        known.gaps.append(Gap(author: author, number: number))
      }
    }
    known.gaps.sort { $0.number > $1.number }
    if let first = known.gaps.dropFirst(maximumAuthorCount).first {
      known.all = max(known.all, first.number)
    }
    known.gaps.removeAll { $0.number <= known.all }
    try write(known, on: connection)
  }

  private static func write(_ known: Known, on connection: Connection) throws {
    let gaps = String(decoding: try JSONEncoder().encode(known.gaps), as: UTF8.self)
    for (key, value) in [(allKey, SQLValue.integer(known.all)), (authorsKey, .text(gaps))] {
      let statement = try connection.statement(
        "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
      try statement.bind([.text(key), value])
      try statement.run()
    }
  }
}
