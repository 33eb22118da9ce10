import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The tables of the history.
///
/// A transaction has one row in `_history_transaction`, numbered without gaps, and one in `_history_change` for each
/// entity that it changed (more when that grows beyond ``HistoryRecorder/maximumPartSize`` bytes): the changes packed
/// as ``HistoryPacker`` describes. They identify properties by position; `_history_layout` contains the names in that
/// order, a row for each form that an entity ever had in this file. `total` is the number of bytes of all transactions
/// up to this one, so that the current size is computed by a subtraction.
enum HistoryTables {
  static let statements = [
    """
    CREATE TABLE IF NOT EXISTS "_history_transaction" (
      number INTEGER PRIMARY KEY, timestamp REAL NOT NULL, author TEXT, program TEXT NOT NULL,
      process INTEGER NOT NULL, total INTEGER NOT NULL)
    """,
    """
    CREATE TABLE IF NOT EXISTS "_history_layout" (
      id INTEGER PRIMARY KEY, entity TEXT NOT NULL, properties TEXT NOT NULL,
      UNIQUE (entity, properties))
    """,
    """
    CREATE TABLE IF NOT EXISTS "_history_change" (
      number INTEGER NOT NULL, layout INTEGER NOT NULL, part INTEGER NOT NULL,
      changes BLOB NOT NULL, PRIMARY KEY (number, layout, part)) WITHOUT ROWID
    """,
  ]

  /// Creates the tables, and a layout for each entity that has changed its form.
  static func create(for plans: [EntityPlan], on connection: Connection) throws {
    for statement in statements { try connection.execute(statement) }
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO \"_history_layout\" (entity, properties) VALUES (?, ?)")
    for plan in plans {
      try insert.bind([.text(plan.name), .text(StoredLayouts.names(of: plan))])
      try insert.run()
    }
  }

  static func exist(on connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN"
        + " ('_history_transaction', '_history_layout', '_history_change')") == 3
  }

  // MARK: - The mark of deletions

  static let markKey = "history.deleted"

  /// The number of the newest deleted transaction; 0 when none was deleted. A reader that has read up to it, or
  /// further, has missed nothing; ``HistoryGaps`` decides for older tokens.
  static func mark(on connection: Connection) throws -> Int64 {
    try connection.integer("SELECT value FROM \"_metadata\" WHERE key = ?", [.text(markKey)]) ?? 0
  }

  static func raiseHighWaterMark(to number: Int64, on connection: Connection) throws {
    guard try mark(on: connection) < number else { return }
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
    try statement.bind([.text(markKey), .integer(number)])
    try statement.run()
  }

  /// Records a commit that changes no model and isn't in the history, so that it isn't taken for the commit of a
  /// program that doesn't write the history.
  static func countUnrecordedCommit(on connection: Connection) throws {
    let statement = try connection.statement(
      "INSERT INTO \"_metadata\" (key, value) VALUES (?, 1)"
        + " ON CONFLICT (key) DO UPDATE SET value = value + 1")
    try statement.bind([.text(unrecordedKey)])
    try statement.run()
  }

  static let unrecordedKey = "history.unrecorded"

  /// The number of the last transaction ever, and the total stored with the last existing one; 0 when all were deleted.
  static func last(on connection: Connection) throws -> (number: Int64, total: Int64) {
    let statement = try connection.statement(
      "SELECT number, total FROM \"_history_transaction\" ORDER BY number DESC LIMIT 1")
    defer { statement.reset() }
    let mark = try mark(on: connection)
    guard try statement.step() else { return (max(mark, 0), 0) }
    return (max(mark, statement.rowID(at: 0), 0), statement.rowID(at: 1))
  }

  /// The number of the next transaction.
  ///
  /// - Throws: ``StoreError`` with the code `damaged` when there is none: only another program can have written the
  ///   last number.
  static func next(on connection: Connection) throws -> Int64 {
    let last = try last(on: connection).number
    guard last < maximumNumber else {
      throw StoreError(
        .damaged, path: connection.path,
        explanation:
          "its history ends at transaction \(last), behind which there is no number; this"
          + " library didn't write that. Restore the file from a copy")
    }
    return last + 1
  }

  /// The identifier of a change consists of its transaction's number and 28 more bits.
  private static let maximumNumber: Int64 = 1 << 35 - 1

  /// Deletes the transactions up to `number`.
  static func delete(through number: Int64, on connection: Connection) throws {
    for table in ["_history_change", "_history_transaction"] {
      let statement = try connection.statement("DELETE FROM \"\(table)\" WHERE number <= ?")
      try statement.bind([.integer(number)])
      try statement.run()
    }
    try raiseHighWaterMark(to: number, on: connection)
    try HistoryGaps.record(through: number, on: connection)
  }

  /// Deletes single transactions.
  static func delete(_ numbers: [Int64], on connection: Connection) throws {
    guard let newest = numbers.max() else { return }
    let list = "[\(numbers.map(String.init).joined(separator: ","))]"
    try HistoryGaps.record(list, on: connection)
    for table in ["_history_change", "_history_transaction"] {
      let statement = try connection.statement(
        "DELETE FROM \"\(table)\" WHERE number IN (SELECT value FROM json_each(?))")
      try statement.bind([.text(list)])
      try statement.run()
    }
    // Changes without a transaction are orphaned, and would conflict with the transaction that gets their number.
    try connection.execute(
      "DELETE FROM \"_history_change\" WHERE number NOT IN"
        + " (SELECT number FROM \"_history_transaction\")")
    try raiseHighWaterMark(to: newest, on: connection)
  }
}
