import SwiftDataCore

extension DefaultStore {
  package func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    var insertions: [(rowID: Int64, kind: StoreSaveOutcome.Insertion)] = []
    try withWriter { connection in
      let saving = StoreSaving(connection: connection, store: self, inserted: changes.inserted)
      do {
        try connection.transaction {
          if !changes.deleted.isEmpty {
            try saving.unlink(changes.updated + changes.deleted)
            try saving.releaseDenied(changes.deleted)
          }
          // What a deletion cascades to was marked after it and goes first.
          for model in changes.deleted.reversed() { try saving.delete(model) }
          for model in changes.updated { try saving.update(model) }
          for model in changes.inserted { try saving.insert(model) }
          try saving.resolveCycles()
          if changes.deleted.isEmpty { try saving.unlinkPairs(changes.updated) }
          try saving.link(changes.updated + changes.inserted)
          try connection.checkForeignKeys()
        }
        attributes.removeGarbage(on: connection)
        insertions = changes.inserted.map { saving.insertion(of: $0) }
      } catch {
        saving.takeBack()
        throw error
      }
    }
    return StoreSaveOutcome(insertions: insertions, generation: noteCommit())
  }
}
