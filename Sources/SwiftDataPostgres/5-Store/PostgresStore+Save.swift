import SwiftDataCore
import SwiftDataStore

extension PostgresStore: PreparedSaving {
  /// No marks of joint saves are kept.
  package var jointSaveIdentifier: String? { nil }

  package func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    try requireWritable()
    let work = RepeatedTransaction<SaveOperation>.Work(
      run: { connection, recording in
        let operation = SaveOperation(changes, connection, recording, of: self)
        do { try operation.run() } catch {
          operation.revert()
          throw error
        }
        return operation
      }, revert: { $0.revert() }, confirm: { try $0.confirm() })
    let stored = try write(author: changes.author, beforeCommit: beforeCommit, work)
    var outcome = StoreSaveOutcome(
      insertions: stored.value.outcomes,
      generation: monitor.recordOwnCommit(stored.recorded?.number))
    outcome.discarded = stored.value.discarded
    guard let recorded = stored.recorded else { return outcome }
    monitor.recordOwnReport(recorded.number)
    outcome.historyToken = token(after: recorded.number)
    changes.afterCommit {
      self.post(recorded, author: changes.author, context: changes.editingState.id)
    }
    pruning.apply(after: recorded, self)
    return outcome
  }

  /// Runs a transaction that writes rows of models, and records it in the history. The caller counts and posts the
  /// commit.
  func write<Value>(
    author: String?, beforeCommit: (() throws -> Void)? = nil,
    _ work: RepeatedTransaction<Value>.Work
  ) throws -> RepeatedTransaction<Value>.Stored {
    var transaction = RepeatedTransaction(
      of: self, author: author, beforeCommit: beforeCommit, work)
    do { return try transaction.run() } catch {
      if error is MergeConflictError {
        // Others have committed: contexts must learn of it, so that a rollback loads the newer values.
        do { try checkForCommits() } catch let failure {
          SwiftDataLog.report(
            .error, "Postgres", "what others have committed can't be read", failure)
        }
      }
      if transaction.isUncertain {
        // What may be stored isn't known.
        monitor.recordUnknown()
        commits.post(StoreCommit(storeIdentifier: identifier, entities: nil, author: nil))
      }
      throw error
    }
  }

  /// Runs a transaction that isn't a context's save, counts and posts it.
  func writeAndPost<Value>(
    author: String?, _ body: @escaping (PostgresConnection, HistoryRecording) throws -> Value
  ) throws -> Value {
    try requireWritable()
    let stored = try write(author: author, .init(run: body))
    _ = monitor.recordOwnCommit(stored.recorded?.number)
    guard let recorded = stored.recorded else { return stored.value }
    monitor.recordOwnReport(recorded.number)
    post(recorded, author: author)
    pruning.apply(after: recorded, self)
    return stored.value
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
