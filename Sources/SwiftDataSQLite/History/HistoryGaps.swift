import Foundation
import SwiftDataCore
import SwiftDataSQL

/// What is known of single transactions that were deleted: of each author's the newest.
///
/// A token is as good as what its reader would still find, so one that asks for an author whose transactions are all there
/// goes on to work when another author's are deleted. The metadata keep, beside the number of the newest transaction that
/// was deleted, up to where transactions of anybody may be gone (`history.deleted.all`) and the newest that is gone of
/// each author (`history.deleted.authors`, a JSON array). Where these don't lead up to the newest one, a program that
/// doesn't know them has deleted more, and nobody has read far enough but who has read up to that.
enum HistoryGaps {
  private static let allKey = "history.deleted.all"
  private static let authorsKey = "history.deleted.authors"
  /// Of more authors than these the ones with the oldest deletions are forgotten, and count for all.
  private static let mostAuthors = 64

  private struct Gap: Codable {
    /// Nil for transactions without an author.
    var author: String?
    var number: Int64
  }

  private struct Known {
    var all: Int64
    var gaps: [Gap]
    var newest: Int64 { max(all, gaps.map(\.number).max() ?? all) }
  }

  /// Whether a reader who has read up to `start` would miss something that was deleted.
  ///
  /// - Parameters:
  ///   - mark: The newest transaction that was deleted.
  ///   - wants: Whether the reader asks for an author's transactions.
  static func concern(
    _ start: Int64, before mark: Int64, on connection: Connection,
    wants: (String?) throws -> Bool
  ) throws -> Bool {
    guard start < mark else { return false }
    guard let known = try known(before: mark, on: connection), start >= known.all else {
      return true
    }
    return try known.gaps.contains { gap in try gap.number > start && wants(gap.author) }
  }

  /// - Returns: nil when nothing is known beside the newest transaction that was deleted.
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
      return nil  // Damaged: the number of the newest one says enough.
    }
  }

  /// Notes that all transactions up to one are going.
  static func note(through number: Int64, on connection: Connection) throws {
    // Nothing is there to change as long as nobody has deleted single transactions.
    let statement = try connection.statement(
      "UPDATE \"_metadata\" SET value = max(CAST(value AS INTEGER), ?) WHERE key = ?")
    try statement.bind([.integer(number), .text(allKey)])
    try statement.run()
  }

  /// Notes that single transactions are going, which are there still.
  ///
  /// - Parameter numbers: A JSON array.
  static func note(_ numbers: String, on connection: Connection) throws {
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
    if let first = known.gaps.dropFirst(mostAuthors).first {
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
