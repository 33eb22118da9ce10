import SwiftData
import Testing

@Suite("Saving to a custom store")
struct CustomStoreSaveTests {
  let place: DictionaryPlace
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    let configuration = DictionaryConfiguration(name: "notes")
    place = configuration.place
    container = try ModelContainer(for: Note.self, configurations: configuration)
    context = ModelContext(container)
  }

  @Test("gives models the store's identifiers, by which they are found again")
  func identifiers() throws {
    let note = Note("a")
    context.insert(note)
    let temporary = note.persistentModelID
    try context.save()
    let identifier = note.persistentModelID
    #expect(temporary.isTemporary)
    #expect(
      identifier
        == (try PersistentIdentifier.identifier(for: "notes", entityName: "Note", primaryKey: 1)))
    let registered: Note? = context.registeredModel(for: identifier)
    #expect(registered === note)
    let other = ModelContext(container)
    #expect((other.model(for: identifier) as? Note)?.text == "a")
    let unknown = try PersistentIdentifier.identifier(
      for: "notes", entityName: "Note", primaryKey: 99)
    #expect(other.model(for: unknown).isDeleted)
  }

  @Test("deletes each model when the store refuses to evaluate the predicate of a batch deletion")
  func refusedBatchDeletion() throws {
    let notes = (1...3).map { Note("\($0)", rank: $0) }
    for note in notes { context.insert(note) }
    try context.save()
    notes[0].rank = 9
    context.insert(Note("new", rank: 9))
    try context.delete(model: Note.self, where: #Predicate { $0.rank > 1 })
    try context.save()
    #expect(!context.hasChanges)
    #expect(notes.map(\.isDeleted) == [false, true, true])
    let stored = try ModelContext(container).fetch(FetchDescriptor<Note>())
    #expect(Set(stored.map(\.text)) == ["1", "new"])
    #expect(stored.map(\.rank) == [9, 9])
  }

  @Test("passes the author with every save")
  func author() throws {
    context.author = "importer"
    context.insert(Note("a"))
    try context.save()
    #expect(place.log == ["save by importer"])
  }

  @Test("opens a state for every context and closes it when the context ends")
  func editingStates() throws {
    #expect(place.open == [context.editingState.id])
    do {
      let other = ModelContext(container)
      #expect(place.open.contains(other.editingState.id))
    }
    #expect(place.open == [context.editingState.id])
  }

  @Test("that fails keeps the changes, and can be repeated")
  func failure() throws {
    let note = Note("a")
    context.insert(note)
    place.nextFailure = DataStoreError.unsupportedFeature
    #expect(throws: DataStoreError.unsupportedFeature) { try context.save() }
    #expect(context.insertedModelsArray.count == 1)
    #expect(note.persistentModelID.isTemporary)
    try context.save()
    #expect(!context.hasChanges)
    #expect(place.snapshots.count == 1)
  }

  @Test("takes over the values that the store changed")
  func reregistered() throws {
    let note = Note("a")
    context.insert(note)
    try context.save()
    let other = ModelContext(container)
    let changed = try #require(try other.fetch(FetchDescriptor<Note>()).first)
    changed.text = "by the store"
    try other.save()
    // The result of this context's next save contains the store's current values.
    place.rewrite = { $0 }
    context.insert(Note("b"))
    try context.save()
    #expect(note.text == "by the store")
  }

  @Test("to a store that gives no identifiers is an error")
  func noIdentifiers() throws {
    let configuration = DictionaryConfiguration(name: "bad", fault: .forgetsToRemap)
    let context = ModelContext(
      try ModelContainer(for: Note.self, configurations: configuration))
    context.insert(Note("a"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  @Test("keeps relationships in both directions of time: set, changed, emptied")
  func relationships() throws {
    let note = Note("a", in: Folder("one"))
    context.insert(note)
    try context.save()
    func stored() throws -> String? {
      let reading = ModelContext(container)
      return try reading.fetch(FetchDescriptor<Note>()).first?.folder?.name
    }
    #expect(try stored() == "one")
    note.folder = Folder("two")
    try context.save()
    #expect(try stored() == "two")
    note.folder = nil
    try context.save()
    #expect(try stored() == nil)
  }

  @Test("from many tasks at once loses nothing, and calls the store one at a time")
  func concurrency() async throws {
    let container = container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let context = ModelContext(container)
          for rank in 0..<10 {
            context.insert(Note("\(task)", rank: rank))
            try context.save()
          }
          _ = try context.fetchCount(FetchDescriptor<Note>())
        }
      }
      try await group.waitForAll()
    }
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 80)
    #expect(place.lastKey == 80)
  }

  @Test("a container erases the store")
  func erasing() throws {
    context.insert(Note("a"))
    try context.save()
    try container.erase()
    #expect(try context.fetch(FetchDescriptor<Note>()).isEmpty)
  }
}
