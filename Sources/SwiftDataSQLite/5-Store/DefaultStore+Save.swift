import CSQLite
import SwiftDataCore

extension DefaultStore: PreparedSaving, PredicateDeleting {
  /// Only stores on a disk can be left inconsistent with each other when a program ends.
  package var jointSaveIdentifier: String? {
    location.isInMemory || stage != nil ? nil : identifier
  }

  package func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    let (written, insertions, discarded) = try withWriter { connection in
      var saving = SaveOperation(changes, on: connection, of: self)
      do {
        let written = try connection.recordedTransaction(
          author: changes.author, collectsDeletions: !changes.batchDeletions.isEmpty,
          sortsRows: saving.context.isLarge, beforeCommit: prepared(on: connection, beforeCommit)
        ) {
          try saving.run()
        }.written
        attributes.removeGarbage(on: connection)
        return (written, saving.outcomes, saving.context.discarded)
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
