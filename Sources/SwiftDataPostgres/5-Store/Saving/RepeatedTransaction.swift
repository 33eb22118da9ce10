import Foundation
import SwiftDataCore
import SwiftDataStore

/// A transaction that is run again when others disturb it, and stored at most once: all attempts have one key, which
/// the store keeps once.
struct RepeatedTransaction<Value> {
  /// The work of one attempt.
  struct Work {
    /// Does everything but the commit, and nothing when it throws.
    let run: (PostgresConnection, HistoryRecording) throws -> Value
    /// Takes back what an attempt that isn't stored has done in memory.
    var revert: (Value) -> Void = { _ in }
    /// Does that again, for an attempt that was taken back and has turned out to be stored.
    var confirm: (Value) throws -> Void = { _ in }
    /// Whether the next attempt works in another way or with newer values, so that it may succeed after an error that
    /// would come again.
    var hasOtherWay: (any Error) -> Bool = { _ in false }
  }

  /// A stored transaction.
  struct Stored {
    let value: Value
    /// The transaction in the history; nil when no model has changed.
    let recorded: HistoryRecording.Recorded?
  }

  private struct Attempt {
    let value: Value
    let entities: Set<String>
  }

  /// The number of times that a transaction is run.
  private static var maximumCount: Int { 5 }
  /// The longest pause behind the first attempt, in seconds; it doubles with each further one.
  private static var firstPause: Double { 0.02 }

  private let store: PostgresStore
  private let author: String?
  private let beforeCommit: (() throws -> Void)?
  private let excludesOthers: Bool
  private let work: Work
  private let key: TransactionKey
  private var number = 0
  /// The attempts of which nobody knows whether they are stored, by their numbers.
  private var uncertain: [Int: Attempt] = [:]

  /// - Parameters:
  ///   - author: The author in the history.
  ///   - beforeCommit: Called when everything is written and only the commit is left. Such a transaction isn't run
  ///     again.
  ///   - excludesOthers: Whether the state that the transaction reads stays valid until its commit. Then its key is
  ///     stored also when no model has changed.
  init(
    of store: PostgresStore, author: String?, beforeCommit: (() throws -> Void)? = nil,
    excludesOthers: Bool = false, _ work: Work
  ) {
    self.store = store
    self.author = author
    self.beforeCommit = beforeCommit
    self.excludesOthers = excludesOthers
    self.work = work
    key = TransactionKey(source: store.source)
  }

  /// Whether nobody knows whether the transaction is stored.
  var isUncertain: Bool { !uncertain.isEmpty }

  /// Runs the transaction.
  ///
  /// - Throws: The error of the last attempt; ``StoreError/Code/connectionLost`` when it can't be found out whether the
  ///   transaction is stored.
  mutating func run() throws -> Stored {
    while true {
      number += 1
      do { return try store.withConnection { try attempt($0) } } catch {
        guard number < Self.maximumCount else { throw final(error) }
        if canRepeat, work.hasOtherWay(error) { continue }
        guard isRepeatable(error) else { throw final(error) }
        pause()
      }
    }
  }

  /// Whether the transaction can be run again after any error.
  private var canRepeat: Bool { !store.connections.isLent && beforeCommit == nil }

  /// Whether the same transaction may succeed when it is run again.
  private func isRepeatable(_ error: any Error) -> Bool {
    // A part of another transaction is run again with it.
    if store.connections.isLent { return false }
    // The next attempt finds out whether it is stored.
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
        "the connection was lost during the commit, so that it isn't known whether the change is"
        + " stored; fetch the models to find out (\(cause))",
      sqlState: (cause as? StoreError)?.sqlState)
  }

  // MARK: - Attempts

  private mutating func attempt(_ connection: PostgresConnection) throws -> Stored {
    if isUncertain {
      if let stored = try stored(connection) { return stored }
      // The other stores' part is over.
      if beforeCommit != nil { throw SwiftDataError.incompleteSave }
    }
    let recording = HistoryRecording(store.historyPlans)
    let outerDepth = connection.depth
    var done: Value?
    do {
      try store.beginRecorded(connection, excludesOthers: excludesOthers)
      let value = try work.run(connection, recording)
      done = value
      let recorded = try store.commit(
        recording, key: key, attempt: number, author: author, keepsKey: excludesOthers,
        beforeCommit: beforeCommit, connection)
      uncertain = [:]
      return Stored(value: value, recorded: recorded)
    } catch let failure {
      // A part that couldn't be begun leaves the transaction around it to the one who began that.
      if outerDepth == 0 || connection.depth > outerDepth { connection.rollBack() }
      let error = store.reason(of: failure, connection)
      if let done {
        work.revert(done)
        if error is UncertainCommit {
          uncertain[number] = Attempt(value: done, entities: recording.entities)
          throw error
        }
      }
      if isUncertain, !connection.isLost, let stored = try stored(connection) {
        // The key, a unique value or a row was refused, because an earlier attempt is stored.
        return stored
      }
      throw error
    }
  }

  /// The attempt that is stored; nil when none is.
  private mutating func stored(_ connection: PostgresConnection) throws -> Stored? {
    let found = try connection.reading {
      try connection.run(
        "SELECT number, total, attempt FROM \"_history_key\" WHERE key = $1",
        [.blob(key.bytes)])
    }
    guard found.rowCount == 1, let transaction = found.integer(0, 0),
      let attempt = found.integer(0, 2).flatMap({ uncertain[Int($0)] })
    else { return nil }
    try work.confirm(attempt.value)
    uncertain = [:]
    // Without changed models, only the key was stored.
    guard !attempt.entities.isEmpty else { return Stored(value: attempt.value, recorded: nil) }
    return Stored(
      value: attempt.value,
      recorded: HistoryRecording.Recorded(
        number: transaction, total: found.integer(0, 1) ?? 0, entities: attempt.entities))
  }
}
