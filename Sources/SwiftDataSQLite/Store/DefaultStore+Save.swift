import SwiftDataCore

extension DefaultStore {
  package func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    var insertions: [(rowID: Int64, kind: StoreSaveOutcome.Insertion)] = []
    try withWriter { connection in
      let saving = StoreSaving(connection: connection, store: self, inserted: changes.inserted)
      do {
        try connection.transaction {
          for model in changes.deleted { try saving.delete(model) }
          for model in changes.updated { try saving.update(model) }
          for model in changes.inserted { try saving.insert(model) }
          try saving.resolveCycles()
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
