import SwiftDataCore

extension DefaultStore {
  /// From so many on it pays to look whether anybody has committed since they were read.
  private static let manyUpdates = 32

  package func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    let deletions = try changes.batchDeletions.map { try prepare($0, changes.editingState) }
    var insertions: [(rowID: Int64, kind: StoreSaveOutcome.Insertion)] = []
    var yielded = YieldedChanges()
    let written = try withWriter { connection in
      let saving = StoreSaving(connection: connection, store: self, inserted: changes.inserted)
      saving.policy = changes.mergePolicy
      do {
        let written = try connection.recordedTransaction(
          author: changes.author, collectsDeletions: !deletions.isEmpty,
          sortsRows: saving.isLarge
        ) {
          defer { saving.endPipeline() }
          let companion = changes.companion as? SideWork
          try companion?.begin(SideTables(connection))
          let gone = try delete(deletions, on: connection)
          let present =
            gone.isEmpty
            ? changes.updated
            : changes.updated.filter { model in
              let state = model._$modelState
              return !(gone[state.plan?.name ?? ""]?.contains(state.rowID) ?? false)
            }
          let updated = try saving.reconcile(present, deleted: changes.deleted)
          if !changes.deleted.isEmpty {
            try saving.unlink(updated + changes.deleted)
            try saving.releaseDenied(changes.deleted)
          }
          try saving.delete(changes.deleted)
          if updated.count >= Self.manyUpdates, deletions.isEmpty, changes.deleted.isEmpty {
            if !location.isInMemory { try look(connection, connection.commitMark) }
            saving.present = generation
          }
          try saving.update(updated)
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
          try companion?.end(SideTables(connection))
        }.written
        attributes.removeGarbage(on: connection)
        insertions = saving.insertions
        yielded = saving.yielded
        return written
      } catch {
        saving.takeBack()
        // Somebody else has committed: contexts are to know it, so that rolling back brings the newer values.
        if error is MergeConflictError {
          monitor.observe(try connection.sighting(hasHistory: hasHistory))
        }
        throw error
      }
    }
    var outcome = StoreSaveOutcome(
      insertions: insertions,
      generation: note(written, author: changes.author, context: changes.editingState.id))
    outcome.yielded = yielded
    outcome.historyToken = written.map { token(after: $0.number) }
    outcome.deletedRows = written?.deleted ?? [:]
    return outcome
  }
}
