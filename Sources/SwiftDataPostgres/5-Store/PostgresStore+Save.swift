import SwiftDataCore
import SwiftDataStore

extension PostgresStore: PreparedSaving {
  /// No marks of joint saves are kept.
  package var jointSaveIdentifier: String? { nil }

  package func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    try requireWritable()
    // A part of a larger transaction can't be run again by itself.
    let canRepeat = !connections.isLent && beforeCommit == nil
    var looksForValues = !canRepeat
    let work = RepeatedTransaction<SaveOperation>.Work(
      run: { connection, recording in
        let operation = SaveOperation(
          changes, connection, recording, of: self, looksForValues: looksForValues)
        do { try operation.run() } catch {
          operation.revert()
          throw error
        }
        return operation
      }, revert: { $0.revert() }, confirm: { try $0.confirm() },
      hasOtherWay: { error in
        // Another look finds the row that others have inserted since the last one.
        guard !changes.inserted.isEmpty, let error = error as? StoreError,
          looksForValues ? error.isOfTakenInsertion : error.code == .notUnique
        else { return false }
        self.newValues.removeAll()
        looksForValues = true
        return true
      })
    let stored = try write(
      author: changes.author, beforeCommit: beforeCommit,
      excludesOthers: changes.companion != nil, work)
    var outcome = StoreSaveOutcome(
      insertions: stored.value.outcomes,
      generation: recordOwnCommit(stored.recorded))
    outcome.discarded = stored.value.discarded
    outcome.deletedRows = stored.value.deletedRows
    guard let recorded = stored.recorded else { return outcome }
    monitor.recordOwnReport(recorded.number)
    outcome.historyToken = token(after: recorded.number)
    changes.afterCommit {
      self.post(recorded, author: changes.author, context: changes.editingState.id)
    }
    prune(after: recorded)
    return outcome
  }

  /// Runs a transaction that writes rows of models, and records it in the history. The caller counts and posts the
  /// commit.
  func write<Value>(
    author: String?, beforeCommit: (() throws -> Void)? = nil, excludesOthers: Bool = false,
    _ work: RepeatedTransaction<Value>.Work
  ) throws -> RepeatedTransaction<Value>.Stored {
    var transaction = RepeatedTransaction(
      of: self, author: author, beforeCommit: beforeCommit, excludesOthers: excludesOthers, work)
    do { return try transaction.run() } catch {
      if error is MergeConflictError {
        // Others have committed: contexts must learn of it, so that a rollback loads the newer values.
        do { try checkForCommits() } catch let failure {
          SwiftDataLog.report(
            .error, "Postgres", "what others have committed can't be read", failure)
        }
      }
      if transaction.isUncertain { reportUnknownCommit() }
      throw error
    }
  }

  /// Runs a transaction that isn't a context's save, counts and posts it.
  func writeAndPost<Value>(
    author: String?, excludesOthers: Bool = false,
    _ body: @escaping (PostgresConnection, HistoryRecording) throws -> Value
  ) throws -> Value {
    try requireWritable()
    let stored = try write(author: author, excludesOthers: excludesOthers, .init(run: body))
    finish(stored.recorded, author: author)
    return stored.value
  }

  /// Counts and posts a commit that isn't a context's save.
  ///
  /// - Parameter recorded: The transaction; nil when it isn't in the history, because no model has changed.
  func finish(_ recorded: HistoryRecording.Recorded?, author: String?) {
    _ = recordOwnCommit(recorded)
    guard let recorded else { return }
    monitor.recordOwnReport(recorded.number)
    post(recorded, author: author)
    prune(after: recorded)
  }

  /// Counts a commit, here and for the other instances of this process.
  ///
  /// - Returns: The generation after it.
  private func recordOwnCommit(_ recorded: HistoryRecording.Recorded?) -> UInt64 {
    defer { if !connections.isLent { checks.recordOwnCommit() } }
    return monitor.recordOwnCommit(recorded?.number)
  }

  /// Counts and posts a commit of which nobody knows whether it is stored.
  func reportUnknownCommit() {
    monitor.recordUnknown()
    checks.recordOwnCommit()
    commits.post(StoreCommit(storeIdentifier: identifier, entities: nil, author: nil))
  }

  /// Deletes the history that a transaction has pushed beyond its bounds.
  private func prune(after recorded: HistoryRecording.Recorded) {
    // Inside of another transaction, the next one does it.
    if !connections.isLent { pruning.apply(after: recorded, self) }
  }

  private func post(
    _ recorded: HistoryRecording.Recorded, author: String?, context: EditingState.ID? = nil
  ) {
    commits.post(
      StoreCommit(
        storeIdentifier: identifier, entities: recorded.entities, author: author,
        token: token(after: recorded.number), context: context))
  }
}

extension StoreError {
  /// Whether the server refused the insertion of a row, because another one has a unique value of it.
  fileprivate var isOfTakenInsertion: Bool {
    sqlState == "23505" && ["INSERT ", "COPY "].contains { sql?.hasPrefix($0) ?? false }
  }
}
