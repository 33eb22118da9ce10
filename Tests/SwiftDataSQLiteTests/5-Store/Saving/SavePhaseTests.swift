import SwiftData
import Testing

@testable import SwiftDataCore
@testable import SwiftDataSQLite

@Suite("Phases of a save") struct SavePhaseTests {
  private struct Rollback: Error {}

  private let context: ModelContext
  private let store: DefaultStore

  init() throws {
    let container = try memoryContainer(Entry.self, KeyedShelf.self)
    context = ModelContext(container)
    store = try #require(container.core.stores.first as? DefaultStore)
  }

  /// Runs the phases up to one of them, in a transaction that is rolled back after `check`.
  private func run(
    _ changes: StoreChanges, through last: SavePhase,
    check: (SaveContext, Connection) throws -> Void
  ) throws {
    do {
      try store.withWriter { connection in
        _ = try connection.recordedTransaction(author: nil, collectsDeletions: true) {
          var saving = SaveOperation(changes, on: connection, of: store)
          defer { saving.revert() }
          for phase in SavePhase.allCases {
            try saving.run(phase)
            if phase == last { break }
          }
          try check(saving.context, connection)
          throw Rollback()
        }
      }
    } catch is Rollback {}
  }

  private func rowCount(_ connection: Connection) throws -> Int64? {
    try connection.integer("SELECT count(*) FROM Entry")
  }

  /// Returns a saved and edited entry, whose row another context has changed meanwhile.
  private func conflictingEntry(_ change: (Entry, ModelContext) -> Void) throws -> Entry {
    let entry = Entry(1)
    context.insert(entry)
    try context.save()
    let other = ModelContext(context.container)
    let found = try #require(try other.fetch(FetchDescriptor<Entry>()).first)
    change(found, other)
    try other.save()
    entry.number = 2
    return entry
  }

  @Test("Inserted models get their rows in the phase of insertions, and lose them when it fails")
  func insertions() throws {
    let entry = Entry(1)
    context.insert(entry)
    var changes = StoreChanges()
    changes.inserted = [entry]
    try run(changes, through: .missingRows) { _, connection in
      #expect(entry._$modelState.rowID == 0)
      let count = try rowCount(connection)
      #expect(count == 0)
    }
    try run(changes, through: .insertions) { _, connection in
      #expect(entry._$modelState.rowID != 0)
      let count = try rowCount(connection)
      #expect(count == 1)
    }
    #expect(entry._$modelState.rowID == 0)
  }

  @Test("Updated models whose rows a deletion by predicate deletes aren't written")
  func batchDeletions() throws {
    let entries = [Entry(1), Entry(2)]
    for entry in entries { context.insert(entry) }
    try context.save()
    for entry in entries { entry.text = "edited" }
    var changes = StoreChanges()
    changes.updated = entries
    changes.batchDeletions = [
      PredicateDeletion<Entry>(predicate: #Predicate { $0.number == 1 }, includeSubclasses: true)
    ]
    try run(changes, through: .batchDeletionPreparation) { save, connection in
      #expect(save.updated.count == 2)
      let count = try rowCount(connection)
      #expect(count == 2)
    }
    try run(changes, through: .batchDeletions) { save, connection in
      #expect(save.updated.map(ObjectIdentifier.init) == [ObjectIdentifier(entries[1])])
      let count = try rowCount(connection)
      #expect(count == 1)
    }
  }

  @Test("A conflict is settled by the merge policy before anything is written")
  func conflicts() throws {
    let entry = try conflictingEntry { entry, _ in entry.text = "elsewhere" }
    var changes = StoreChanges()
    changes.updated = [entry]
    changes.mergePolicy = .deletionTrump
    try run(changes, through: .conflicts) { save, _ in
      #expect(save.updated.count == 1 && save.discarded.isEmpty && save.kept.isEmpty)
    }
    changes.mergePolicy = .rollback
    try run(changes, through: .conflicts) { save, _ in
      #expect(save.updated.isEmpty && save.discarded.dropped.count == 1)
    }
    changes.mergePolicy = .propertyStoreTrump
    try run(changes, through: .conflicts) { save, _ in
      #expect(save.updated.count == 1 && save.discarded.partial.count == 1)
      #expect(save.kept[ObjectIdentifier(entry)] == [1])
    }
    changes.mergePolicy = .error
    var conflicts = 0
    do {
      try run(changes, through: .conflicts) { _, _ in }
    } catch let error as MergeConflictError {
      conflicts = error.conflicts.count
    }
    #expect(conflicts == 1)
  }

  @Test("A link that keeps the store's value isn't removed for the deletions")
  func keptLinks() throws {
    let entry = Entry(1)
    context.insert(entry)
    let shelves = ["a", "b", "c"].map(KeyedShelf.init)
    let books = (0..<2).map { KeyedBook($0, "\($0)", shelf: shelves[0]) }
    for book in books { context.insert(book) }
    for shelf in shelves { context.insert(shelf) }
    try context.save()
    let other = ModelContext(context.container)
    let found = try #require(
      try other.fetch(FetchDescriptor<KeyedBook>(predicate: #Predicate { $0.number == 0 })).first)
    found.shelf = try other.fetch(
      FetchDescriptor<KeyedShelf>(predicate: #Predicate { $0.name == "b" })
    ).first
    #expect(found.shelf != nil)
    try other.save()
    for book in books { book.shelf = shelves[2] }
    var changes = StoreChanges()
    changes.updated = books
    changes.deleted = [entry]
    changes.mergePolicy = .propertyStoreTrump
    try run(changes, through: .unlinking) { save, connection in
      #expect(save.kept.count == 1)
      let linked = try connection.integer(
        "SELECT sum(number * 10 + 1) FROM KeyedBook WHERE shelf IS NOT NULL")
      #expect(linked == 1)
    }
  }

  @Test("A row that another context deleted stays deleted, or is restored by the updates")
  func missingRows() throws {
    let entry = try conflictingEntry { $1.delete($0) }
    var changes = StoreChanges()
    changes.updated = [entry]
    try run(changes, through: .updates) { save, _ in
      #expect(save.discarded.deletedInStore.count == 1)
      #expect(save.updated.count == 1)
    }
    try run(changes, through: .missingRows) { save, connection in
      #expect(save.updated.isEmpty)
      let count = try rowCount(connection)
      #expect(count == 0)
    }
    #expect(!entry._$modelState.flags.contains(.rowDeleted))
    changes.mergePolicy = .propertyObjectTrump
    try run(changes, through: .updates) { save, connection in
      #expect(save.discarded.isEmpty)
      let number = try connection.integer("SELECT number FROM Entry")
      #expect(number == 2)
    }
  }
}
