import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The end of a store's history, its deletions and its consumers: all that is stored of it besides the transactions.
struct HistoryMetadata {
  private static let allKey = "history.deleted.all"
  private static let authorsKey = "history.deleted.authors"
  private static let deletionKey = "history.deletion"
  static let consumerPrefix = "history.consumer."
  /// Ends with the character after the full stop: all keys with the prefix sort before it.
  private static let consumerEnd = "history.consumer/"

  let connection: PostgresConnection
  /// The store, for errors.
  let address: String

  /// The ends of the history.
  struct Ends {
    /// The number of the last transaction ever.
    let last: Int64
    /// The number of the newest deleted transaction; 0 when none was deleted.
    let mark: Int64
  }

  func ends() throws -> Ends {
    let row = try connection.run("SELECT number, deleted FROM \"_store\" WHERE id = 1")
    guard row.rowCount == 1 else {
      throw StoreError(
        .damaged, path: address, explanation: "its table _store has no row; restore it from a copy")
    }
    return Ends(last: row.integer(0, 0) ?? 0, mark: row.integer(0, 1) ?? 0)
  }

  private func text(_ key: String, locks: Bool = false) throws -> String? {
    let row = try connection.run(
      "SELECT value FROM \"_metadata\" WHERE key = $1" + (locks ? " FOR UPDATE" : ""),
      [.text(key)])
    return row.rowCount == 1 ? row.text(0, 0) : nil
  }

  private func set(_ key: String, to text: String) throws {
    try connection.run(Self.setting(key, to: text))
  }

  private static func setting(_ key: String, to text: String) -> PostgresCommand {
    PostgresCommand(
      "INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 0, $2)"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [.text(key), .blob(Array(text.utf8))])
  }

  // MARK: - Deletions

  /// Checks that all transactions after a number still exist.
  ///
  /// - Parameters:
  ///   - name: The name of the store, for the error.
  ///   - wants: Whether an author's transactions are requested.
  /// - Throws: ``SwiftDataError/historyTokenExpired``.
  func check(
    _ start: Int64, of name: String, wants: (String?) throws -> Bool = { _ in true }
  ) throws {
    let ends = try ends()
    if start < ends.mark,
      try deleted(before: ends.mark)?.isMissed(after: start, wants: wants) ?? true
    {
      throw SwiftDataError.historyTokenExpired.explained(
        "Transactions of the history of \(name) up to \(ends.mark) have been deleted, and the token stands at"
          + " \(start). Read the models anew, then go on from the newest token.")
    }
    guard start <= ends.last else {
      throw SwiftDataError.historyTokenExpired.explained(
        "The token stands at transaction \(start), but the history of \(name) ends at \(ends.last): the"
          + " database is an older copy. Read the models anew, then go on from the newest token.")
    }
  }

  /// - Returns: nil when only the newest deleted transaction is known.
  private func deleted(before mark: Int64) throws -> DeletedHistory? {
    guard let all = try text(Self.allKey).flatMap({ Int64($0) }),
      let authors = try text(Self.authorsKey)
    else { return nil }
    return DeletedHistory(all: all, authors: authors, mark: mark)
  }

  /// Makes the row that deletions lock, unless it exists, in a transaction of its own: a row that isn't committed yet
  /// can't be passed over by ``excludesDeletionsAtOnce()``. A part of another transaction leaves it out.
  func prepareDeletion() throws {
    guard connection.depth == 0 else { return }
    try connection.transaction {
      guard try text(Self.deletionKey) == nil else { return }
      try connection.run(
        "INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 0, '')"
          + " ON CONFLICT (key) DO NOTHING", [.text(Self.deletionKey)])
    }
  }

  /// Makes other deletions wait until the transaction ends, without waiting for any: for the end of a save, which
  /// deletes what exceeds the bounds.
  ///
  /// - Returns: Whether no other one is under way.
  func excludesDeletionsAtOnce() throws -> Bool {
    let locked = try connection.run(
      "SELECT 1 FROM \"_metadata\" WHERE key = $1 FOR UPDATE SKIP LOCKED",
      [.text(Self.deletionKey)])
    // Without a row, this is the first deletion, which makes it.
    return try locked.rowCount == 1 || text(Self.deletionKey) == nil
  }

  /// Waits for other deletions, and makes others wait until the transaction ends: each one reads what those before have
  /// deleted, and adds to it.
  ///
  /// The rest of the transaction may take any time. A part of another transaction leaves its settings alone.
  private func excludeDeletions() throws {
    try connection.runLater(Self.setting(Self.deletionKey, to: ""))
    if !connection.isPart {
      try connection.runLater(PostgresCommand("SET LOCAL statement_timeout = 0"))
    }
  }

  /// Deletes the transactions up to a number, in a transaction.
  func delete(through number: Int64) throws {
    try excludeDeletions()
    try connection.run([
      PostgresCommand("DELETE FROM \"_history_change\" WHERE number <= $1", [.integer(number)]),
      PostgresCommand(
        "DELETE FROM \"_history_transaction\" WHERE number <= $1", [.integer(number)]),
    ])
    if let all = try text(Self.allKey).flatMap({ Int64($0) }), all < number {
      try set(Self.allKey, to: String(number))
    }
    try raiseMark(to: number)
  }

  /// Deletes single transactions, in a transaction.
  func delete(_ numbers: [Int64]) throws {
    guard let newest = numbers.max() else { return }
    try excludeDeletions()
    let mark = try ends().mark
    var known = try deleted(before: mark) ?? DeletedHistory(all: mark)
    let authors = try connection.run(
      PostgresCommand(
        "SELECT author, max(number) FROM \"_history_transaction\" WHERE number = ANY ($1)"
          + " GROUP BY author", [PostgresValue.integers(numbers)]))
    for row in 0..<authors.rowCount {
      known.add(authors.integer(row, 1) ?? 0, of: authors.text(row, 0))
    }
    known.settle()
    try set(Self.allKey, to: String(known.all))
    try set(Self.authorsKey, to: try known.authors)
    for table in ["_history_change", "_history_transaction"] {
      try connection.run(
        PostgresCommand(
          "DELETE FROM \"\(table)\" WHERE number = ANY ($1)", [PostgresValue.integers(numbers)]))
    }
    try raiseMark(to: newest)
  }

  /// The last statement of a transaction: it locks the row that saves need.
  private func raiseMark(to number: Int64) throws {
    try connection.run(
      "UPDATE \"_store\" SET deleted = $1 WHERE id = 1 AND deleted < $1", [.integer(number)])
  }

  // MARK: - Consumers

  private func consumerTexts() throws -> [(name: String, text: String)] {
    let rows = try connection.run(
      "SELECT key, value FROM \"_metadata\" WHERE key >= $1 AND key < $2 ORDER BY key",
      [.text(Self.consumerPrefix), .text(Self.consumerEnd)])
    return (0..<rows.rowCount).map { row in
      let key = rows.text(row, 0) ?? ""
      return (String(key.dropFirst(Self.consumerPrefix.count)), rows.text(row, 1) ?? "")
    }
  }

  func consumers() throws -> [StoredHistoryConsumer] {
    let mark = try ends().mark
    return try consumerTexts().map { name, text in
      try ConsumerPosition(text, of: name, path: address).consumer(name, mark: mark)
    }
  }

  /// The number up to which all consumers have read; nil without consumers.
  func lowestConsumed() throws -> Int64? {
    try consumerTexts().compactMap { name, text in
      // A damaged entry must not prevent saves; reading the consumer reports it.
      do { return try ConsumerPosition(text, of: name, path: address).number } catch { return nil }
    }.min()
  }

  /// Changes a consumer, in a transaction.
  ///
  /// - Returns: The consumer after the change; nil when it doesn't exist or was removed.
  func apply(
    _ change: HistoryConsumerChange, to name: String
  ) throws -> StoredHistoryConsumer? {
    let ends = try ends()
    let key = Self.consumerPrefix + name
    var place: ConsumerPosition
    switch change {
    case .register(let number):
      place = .registering(at: number, known: try position(of: name), last: ends.last)
    case .acknowledge(let number):
      guard let known = try position(of: name) else { return nil }
      place = known
      place.acknowledge(number, last: ends.last)
    case .remove:
      // The entry isn't read first: a damaged entry must be removable.
      try connection.run("DELETE FROM \"_metadata\" WHERE key = $1", [.text(key)])
      return nil
    }
    try set(key, to: try place.text)
    return place.consumer(name, mark: ends.mark)
  }

  private func position(of name: String) throws -> ConsumerPosition? {
    try text(Self.consumerPrefix + name, locks: true).map {
      try ConsumerPosition($0, of: name, path: address)
    }
  }
}

extension HistoryMetadata: HistoryBounds {
  func oldest() throws -> Int64? {
    try connection.run("SELECT min(number) FROM \"_history_transaction\"").integer(0, 0)
  }

  func first(notBefore time: Double, limit: Int64) throws -> Int64 {
    try search("timestamp >= $1", .real(time), limit)
  }

  func first(reaching total: Int64, limit: Int64) throws -> Int64 {
    try search("total >= $1", .integer(total), limit)
  }

  private func search(_ condition: String, _ value: ColumnValue, _ limit: Int64) throws -> Int64 {
    let row = try connection.run(
      "SELECT number FROM \"_history_transaction\" WHERE \(condition) OR number >= $2"
        + " ORDER BY number LIMIT 1", [value, .integer(limit)])
    return row.rowCount == 1 ? row.integer(0, 0) ?? limit : limit
  }

  func start(of number: Int64) throws -> Int64 {
    let row = try connection.run(
      "SELECT (t.total - \(HistoryRetention.transactionSize) - (SELECT coalesce(sum(length(changes)), 0)"
        + " FROM \"_history_change\" WHERE number = t.number))::bigint"
        + " FROM \"_history_transaction\" AS t WHERE t.number = $1", [.integer(number)])
    return row.rowCount == 1 ? row.integer(0, 0) ?? 0 : 0
  }

  /// The oldest transaction's time, and the number of bytes before it; nil when there is no transaction.
  func beginning() throws -> (time: Double, total: Int64)? {
    let row = try connection.run(
      "SELECT t.timestamp, (t.total - \(HistoryRetention.transactionSize)"
        + " - (SELECT coalesce(sum(length(changes)), 0)"
        + " FROM \"_history_change\" WHERE number = t.number))::bigint"
        + " FROM \"_history_transaction\" AS t ORDER BY t.number LIMIT 1")
    guard row.rowCount == 1 else { return nil }
    return (row.real(0, 0) ?? 0, row.integer(0, 1) ?? 0)
  }
}
