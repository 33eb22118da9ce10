import CSQLite
import SwiftDataCore

extension DefaultStore: PreparedSaving, PredicateDeleting {
  /// The number of updates from which it pays to check whether there was a commit since the models were read.
  private static let manyUpdates = 32

  /// Only stores on a disk can be left inconsistent with each other when a program ends.
  package var jointSaveIdentifier: String? {
    location.isInMemory || stage != nil ? nil : identifier
  }

  package func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    var insertions: [WriteOutcome] = []
    var discarded = DiscardedChanges()
    let written = try withWriter { connection in
      let saving = SaveOperation(connection: connection, store: self, inserted: changes.inserted)
      saving.policy = changes.mergePolicy
      do {
        let written = try connection.recordedTransaction(
          author: changes.author, collectsDeletions: !changes.batchDeletions.isEmpty,
          sortsRows: saving.isLarge, beforeCommit: prepared(on: connection, beforeCommit)
        ) {
          defer { saving.endPipeline() }
          // In the transaction, so that the rows don't change between the query and the deletion.
          let deletions = try changes.batchDeletions.map { try prepare($0, changes.editingState) }
          try changes.companion?.begin(
            SQLiteRowTransaction(connection: connection, store: self))
          let gone = try delete(deletions, on: connection)
          let present =
            gone.isEmpty
            ? changes.updated
            : changes.updated.filter { model in
              let state = model._$modelState
              return !(gone[state.plan?.name ?? ""]?.contains(state.rowID) ?? false)
            }
          var updated = try saving.reconcile(present, deleted: changes.deleted)
          if !changes.deleted.isEmpty {
            try saving.unlink(updated + changes.deleted)
            try saving.releaseDenied(changes.deleted)
          }
          try saving.delete(changes.deleted)
          if updated.count >= Self.manyUpdates, deletions.isEmpty, changes.deleted.isEmpty {
            if !location.isInMemory { try tracker.check(connection, connection.commitMark) }
            saving.present = generation
          }
          try saving.update(updated)
          updated = try saving.withoutMissing(updated)
          saving.beginInsertions()
          for model in changes.inserted { try saving.insert(model) }
          try saving.finishInsertions()
          if plans.contains(where: { !$0.relationships.isEmpty }) {
            try saving.resolveCycles()
            if changes.deleted.isEmpty { try saving.unlinkPairs(updated) }
            try saving.link(updated + changes.inserted)
            try saving.order(updated + changes.inserted)
          }
          try connection.checkForeignKeys()
          try changes.companion?.end(
            SQLiteRowTransaction(connection: connection, store: self))
          if let joint = changes.joint, jointSaveIdentifier != nil {
            try JointSaveMarks.set(joint, on: connection)
          }
        }.written
        attributes.removeGarbage(on: connection)
        insertions = saving.insertions
        discarded = saving.discarded
        return written
      } catch {
        saving.revert()
        // Another program has committed: contexts must learn of it, so that a rollback loads the newer values.
        if error is MergeConflictError {
          try tracker.observe(connection)
        }
        throw error
      }
    }
    var outcome = StoreSaveOutcome(
      insertions: insertions, generation: tracker.recordCommit(written, of: changes))
    outcome.discarded = discarded
    outcome.historyToken = written.map { token(after: $0.number) }
    outcome.deletedRows = written?.deleted ?? [:]
    return outcome
  }

  /// The work to do immediately before the commit: all pages are written before other stores commit, so that little can
  /// make this commit fail afterwards.
  private func prepared(
    on connection: Connection, _ beforeCommit: (() throws -> Void)?
  ) -> (() throws -> Void)? {
    guard let beforeCommit else { return nil }
    return { [name] in
      try connection.flushPages()
      try JointSaveProbe.reach("prepared \(name)")
      try beforeCommit()
      try JointSaveProbe.reach("committing \(name)")
    }
  }
}

extension Connection {
  /// Writes the transaction's changed pages out of memory, so that a full disk is detected before the commit.
  fileprivate func flushPages() throws {
    let result = sqlite3_db_cacheflush(handle)
    // Pages in use by a statement remain: the commit writes them.
    guard result == SQLITE_OK || result == SQLITE_BUSY else { throw error(result) }
  }
}
