import SwiftDataCore

extension PostgresStore: PreparedSaving {
  /// The number of times that a transaction is run which others disturb.
  private static let maximumAttempts = 5

  /// No marks of joint saves are kept.
  package var jointSaveIdentifier: String? { nil }

  package func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    try requireWritable()
    var attempt = 1
    while true {
      do { return try saveOnce(changes, beforeCommit) } catch let failure as SaveFailure {
        guard failure.isRepeatable, beforeCommit == nil, attempt < Self.maximumAttempts else {
          throw failure.error
        }
        attempt += 1
      }
    }
  }

  /// The error of a save, and whether it may be run again.
  private struct SaveFailure: Error {
    let error: any Error
    let isRepeatable: Bool
  }

  private func saveOnce(
    _ changes: StoreChanges, _ beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    // When the answer to COMMIT is lost, nobody knows whether the save is stored.
    var isCommitting = false
    let operation: SaveOperation
    do {
      operation = try withConnection { connection in
        let operation = SaveOperation(changes, connection, of: self)
        do {
          try connection.begin()
          try operation.run()
          try beforeCommit?()
          isCommitting = true
          try connection.commit()
        } catch {
          connection.rollBack()
          operation.revert()
          throw error
        }
        return operation
      }
    } catch {
      // Others have committed: contexts must learn of it, so that a rollback loads the newer values.
      if error is MergeConflictError { _ = recordCommit() }
      throw SaveFailure(
        error: error,
        isRepeatable: !isCommitting && (error as? StoreError)?.isRepeatable ?? false)
    }
    // The connection is free again: who hears of the commit may read.
    return outcome(of: operation)
  }

  private func outcome(of operation: SaveOperation) -> StoreSaveOutcome {
    let changes = operation.changes
    var outcome = StoreSaveOutcome(
      insertions: operation.outcomes, generation: recordCommit())
    outcome.discarded = operation.discarded
    outcome.deletedRows = operation.deletedRows
    // Delete rules change rows of other classes, too.
    let entities: Set<String>? =
      changes.deleted.isEmpty && operation.deletedRows.isEmpty
      ? Set((changes.inserted + changes.updated).compactMap { $0._$modelState.plan?.name }) : nil
    let commit = StoreCommit(
      storeIdentifier: identifier, entities: entities, author: changes.author,
      context: changes.editingState.id)
    changes.afterCommit { [commits] in commits.post(commit) }
    return outcome
  }
}
