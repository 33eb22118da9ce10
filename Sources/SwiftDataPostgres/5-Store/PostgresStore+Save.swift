import Foundation
import SwiftDataCore
import SwiftDataStore

extension PostgresStore: PreparedSaving {
  /// No marks of joint saves are kept.
  package var jointSaveIdentifier: String? { nil }

  package func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    try requireWritable()
    var attempts = SaveAttempts(changes, beforeCommit, self)
    do { return outcome(of: try attempts.run()) } catch {
      if error is MergeConflictError {
        // Others have committed: contexts must learn of it, so that a rollback loads the newer values.
        do { try checkForCommits() } catch let failure {
          SwiftDataLog.report(
            .error, "Postgres", "what others have committed can't be read", failure)
        }
      }
      if attempts.isUncertain { recordUnknownCommit() }
      throw error
    }
  }

  private func outcome(of operation: SaveOperation) -> StoreSaveOutcome {
    let changes = operation.changes
    var outcome = StoreSaveOutcome(
      insertions: operation.outcomes,
      generation: monitor.recordOwnCommit(operation.recorded?.number))
    outcome.discarded = operation.discarded
    guard let recorded = operation.recorded else { return outcome }
    let token = token(after: recorded.number)
    outcome.historyToken = token
    let commit = StoreCommit(
      storeIdentifier: identifier, entities: recorded.entities, author: changes.author,
      token: token, context: changes.editingState.id)
    changes.afterCommit { [commits] in commits.post(commit) }
    pruning.apply(after: recorded, self)
    return outcome
  }

  /// Records that a save may have been stored.
  private func recordUnknownCommit() {
    monitor.recordUnknown()
    commits.post(StoreCommit(storeIdentifier: identifier, entities: nil, author: nil))
  }
}

/// The attempts at one save. A transaction that others disturb is run again; the history has at most one of them,
/// because all have the same key.
private struct SaveAttempts {
  /// The number of times that a transaction is run.
  private static let maximumCount = 5
  /// The longest pause behind the first attempt, in seconds; it doubles with each further one.
  private static let firstPause = 0.02

  private let changes: StoreChanges
  private let beforeCommit: (() throws -> Void)?
  private let store: PostgresStore
  private let key: TransactionKey
  private var number = 0
  /// The attempts of which nobody knows whether they are stored, by their numbers.
  private var uncertain: [Int: SaveOperation] = [:]

  init(
    _ changes: StoreChanges, _ beforeCommit: (() throws -> Void)?, _ store: PostgresStore
  ) {
    self.changes = changes
    self.beforeCommit = beforeCommit
    self.store = store
    key = TransactionKey(source: store.source)
  }

  /// Whether nobody knows whether the save is stored.
  var isUncertain: Bool { !uncertain.isEmpty }

  mutating func run() throws -> SaveOperation {
    while true {
      number += 1
      do {
        return try store.withConnection { try attempt($0) }
      } catch {
        let mayRepeat = isRepeatable(error)
        guard mayRepeat, number < Self.maximumCount else { throw final(error) }
        pause()
      }
    }
  }

  /// Whether the same save may succeed when it is run again.
  private func isRepeatable(_ error: any Error) -> Bool {
    // Other stores have committed by then, or have not; they aren't asked again. What is uncertain is found out.
    if error is UncertainCommit { return true }
    guard beforeCommit == nil || isUncertain, let error = error as? StoreError else { return false }
    // The server of a connection that was lost may be starting again.
    return error.isRepeatable || (number > 1 && error.code == .noServer)
  }

  private func pause() {
    let longest = Self.firstPause * Double(1 << (number - 1))
    Thread.sleep(forTimeInterval: .random(in: longest / 2...longest))
  }

  private func final(_ error: any Error) -> any Error {
    guard isUncertain else { return error }
    let cause = (error as? UncertainCommit)?.cause ?? error
    return StoreError(
      .connectionLost, path: store.address,
      explanation:
        "the connection was lost during the commit, so that it isn't known whether the save is"
        + " stored; fetch the models to find out (\(cause))",
      sqlState: (cause as? StoreError)?.sqlState)
  }

  private mutating func attempt(_ connection: PostgresConnection) throws -> SaveOperation {
    if isUncertain {
      if let stored = try stored(connection) { return stored }
      // The other stores' part is over.
      if beforeCommit != nil { throw SwiftDataError.incompleteSave }
    }
    let operation = SaveOperation(changes, connection, of: store)
    do {
      try begin(connection)
      try operation.run()
      try commit(operation, connection)
      uncertain = [:]
      return operation
    } catch {
      connection.rollBack()
      operation.revert()
      if error is UncertainCommit {
        uncertain[number] = operation
      } else if isUncertain, !connection.isLost, let stored = try stored(connection) {
        // The key, a unique value or a row was refused, because an earlier attempt is stored.
        return stored
      }
      throw error
    }
  }

  /// Begins the transaction, and checks that the store is still the one that was opened.
  private func begin(_ connection: PostgresConnection) throws {
    let answers = try connection.begin(
      .writing,
      with: [
        PostgresCommand(StoreTables.ownMark),
        PostgresCommand("SELECT identifier, format FROM \"_store\" WHERE id = 1"),
      ])
    try store.checkIdentity(answers[1])
  }

  private func commit(_ operation: SaveOperation, _ connection: PostgresConnection) throws {
    let record = try operation.recording.command(
      key: key, attempt: number, author: changes.author)
    let commands = record.map { [$0] } ?? []
    let results: [PostgresResult]
    if let beforeCommit {
      results = try connection.run(commands)
      try beforeCommit()
      _ = try connection.commit(then: record == nil ? nil : store.notice)
    } else {
      results = try connection.commit(
        after: commands, then: record == nil ? nil : store.notice)
    }
    guard let result = results.first else { return }
    operation.recorded = try operation.recording.recorded(result, address: store.address)
  }

  /// The attempt that is stored, with its models as it has left them; nil when none is.
  private mutating func stored(_ connection: PostgresConnection) throws -> SaveOperation? {
    let found = try connection.reading {
      try connection.run(
        "SELECT number, total, attempt FROM \"_history_transaction\" WHERE key = $1",
        [.blob(key.bytes)])
    }
    guard found.rowCount == 1, let transaction = found.integer(0, 0),
      let operation = found.integer(0, 2).flatMap({ uncertain[Int($0)] })
    else { return nil }
    try operation.confirm(
      HistoryRecording.Recorded(
        number: transaction, total: found.integer(0, 1) ?? 0,
        entities: operation.recording.entities))
    uncertain = [:]
    return operation
  }
}
