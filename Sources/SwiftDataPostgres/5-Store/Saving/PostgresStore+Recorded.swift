import SwiftDataCore
import SwiftDataStore

/// Transactions that are in the history.
extension PostgresStore {
  /// Begins a transaction, or a part of the open one, and checks that the store is still the one that was opened.
  ///
  /// - Parameter excludesOthers: Whether no other transaction of the history may be committed until the end of this
  ///   one. It is over soon when another one has locked a row, because that one waits for its end.
  func beginRecorded(_ connection: PostgresConnection, excludesOthers: Bool = false) throws {
    // The statement of the history checks the store's identity, or the commit does.
    guard excludesOthers else { return try connection.beginLater(.writing, with: []) }
    var commands = [PostgresCommand(StoreTables.identity + " FOR NO KEY UPDATE")]
    if !connection.isInTransaction {
      commands.append(PostgresCommand("SET LOCAL lock_timeout = \(Self.lockTimeout)"))
    }
    try checkIdentity(try connection.begin(.writing, with: commands)[0])
  }

  /// The statement that fails when the store isn't the one that was opened.
  var identityTest: PostgresCommand {
    PostgresCommand(
      StoreTables.identityTest, [.blob(identifierBytes), .integer(Int64(StoreTables.format))])
  }

  /// The reason why the transaction failed, which has ended: for a store that isn't the one that was opened, the error
  /// that says so.
  func reason(of failure: any Error, _ connection: PostgresConnection) -> any Error {
    let error = explained(failure, connection)
    // A part of another transaction leaves it to that one.
    guard !(error is UncertainCommit), !connection.isLost, !connection.isInTransaction else {
      return error
    }
    do {
      try checkIdentity(
        try connection.reading { try connection.run(PostgresCommand(StoreTables.identity)) })
    } catch let reason as StoreError
      where [.replaced, .newerFormat].contains(reason.code)
      || Self.missingTable.contains(reason.sqlState ?? "")
    {
      return reason
    } catch { return error }
    return error
  }

  /// The error of a foreign key with its class and property, any other error as it is.
  func explained(_ error: any Error, _ connection: PostgresConnection) -> any Error {
    guard let refusal = error as? StoreError, refusal.sqlState == PostgresFailure.foreignKey,
      let explanation = connection.failedKey.flatMap({ references.explanation(of: $0) })
    else { return error }
    return StoreError(
      refusal.code, path: refusal.path, explanation: explanation, sqlState: refusal.sqlState,
      sql: refusal.sql)
  }

  /// The `SQLSTATE` of a missing table or schema.
  private static let missingTable: Set<String> = ["42P01", "3F000"]

  /// The milliseconds for which a transaction that excludes others waits for a row.
  private static let lockTimeout = 50

  /// Writes a transaction into the history and commits it.
  ///
  /// - Parameters:
  ///   - keepsKey: Whether the key is stored also when no model has changed.
  ///   - beforeCommit: Called when everything is written and only the commit is left.
  /// - Returns: The transaction in the history; nil when no model has changed.
  func commit(
    _ recording: HistoryRecording, key: TransactionKey, attempt: Int, author: String?,
    keepsKey: Bool = false, beforeCommit: (() throws -> Void)? = nil,
    _ connection: PostgresConnection
  ) throws -> HistoryRecording.Recorded? {
    try recording.resolve(connection)
    let record = try recording.command(
      key: key, attempt: attempt, author: author, identifier: identifierBytes,
      locks: announcements?.locks)
    var commands: [PostgresCommand] = []
    if recording.concernsKeys {
      // Keys are checked first, so that nobody who waits for the counter has to wait for a row.
      commands.append(PostgresCommand("SET CONSTRAINTS ALL IMMEDIATE", isFrequent: true))
    }
    if let record {
      commands.append(record)
    } else {
      commands.append(identityTest)
      if keepsKey { commands.append(HistoryRecording.keyCommand(key, attempt: attempt)) }
    }
    let notice = record == nil ? nil : announcements?.expected
    var results: [PostgresResult]
    if let beforeCommit {
      results = try connection.run(commands)
      try beforeCommit()
      _ = try connection.commit(then: notice)
    } else {
      results = try connection.commit(after: commands, then: notice)
    }
    guard record != nil, let result = results.popLast() else { return nil }
    announce(result, wasAnnounced: notice != nil, connection)
    let recorded = try recording.recorded(result, address: address)
    // A part of another transaction may be taken back with it.
    if !connections.isLent { recent.insert(recorded.number, recording.parts) }
    return recorded
  }

  /// Announces a commit for which somebody has begun to listen.
  private func announce(
    _ result: PostgresResult, wasAnnounced: Bool, _ connection: PostgresConnection
  ) {
    // Nobody sees a part of another transaction yet.
    guard let announcements, !connection.isInTransaction else { return }
    let hasListeners = HistoryRecording.hasListeners(result)
    guard announcements.take(hasListeners: hasListeners, announced: wasAnnounced) else { return }
    connection.ignoringFailure { try connection.run(announcements.notice) }
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
