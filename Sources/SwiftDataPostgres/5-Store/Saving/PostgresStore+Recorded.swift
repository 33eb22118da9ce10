import SwiftDataCore
import SwiftDataStore

/// Transactions that are in the history.
extension PostgresStore {
  /// Begins a transaction, or a part of the open one, and checks that the store is still the one that was opened.
  func beginRecorded(_ connection: PostgresConnection) throws {
    let answers = try connection.begin(
      .writing,
      with: [
        PostgresCommand(StoreTables.ownMark),
        PostgresCommand("SELECT identifier, format FROM \"_store\" WHERE id = 1"),
      ])
    try checkIdentity(answers[1])
  }

  /// Writes a transaction into the history and commits it.
  ///
  /// - Parameter beforeCommit: Called when everything is written and only the commit is left.
  /// - Returns: The transaction in the history; nil when no model has changed.
  func commit(
    _ recording: HistoryRecording, key: TransactionKey, attempt: Int, author: String?,
    beforeCommit: (() throws -> Void)? = nil, _ connection: PostgresConnection
  ) throws -> HistoryRecording.Recorded? {
    try recording.resolve(connection)
    let record = try recording.command(key: key, attempt: attempt, author: author)
    // Keys are checked first, so that nobody who waits for the counter has to wait for a row.
    let commands =
      [PostgresCommand("SET CONSTRAINTS ALL IMMEDIATE")] + (record.map { [$0] } ?? [])
    let notice = record == nil ? nil : notice
    let results: [PostgresResult]
    if let beforeCommit {
      results = try connection.run(commands)
      try beforeCommit()
      _ = try connection.commit(then: notice)
    } else {
      results = try connection.commit(after: commands, then: notice)
    }
    return try results.dropFirst().first.map { try recording.recorded($0, address: address) }
  }

  /// Finds out whether a transaction is stored whose end isn't known. Waits while the server is still at it.
  func storedTransaction(
    _ key: TransactionKey, of recording: HistoryRecording
  ) throws -> HistoryRecording.Recorded? {
    try withConnection { connection in
      try connection.begin()
      defer { connection.rollBack() }
      // The index of keys lets this wait, and lets it through only when the transaction isn't stored.
      let free = try connection.run(
        "INSERT INTO \"_history_key\" (key, number, total, attempt) VALUES ($1, 0, 0, 0)"
          + " ON CONFLICT (key) DO NOTHING RETURNING number", [.blob(key.bytes)])
      guard free.rowCount == 0 else { return nil }
      let found = try connection.run(
        "SELECT number, total FROM \"_history_key\" WHERE key = $1", [.blob(key.bytes)])
      return found.rowCount == 1 ? try recording.recorded(found, address: address) : nil
    }
  }
}
