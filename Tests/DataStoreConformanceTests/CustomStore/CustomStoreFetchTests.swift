import SwiftData
import SwiftDataExtras
import Testing

@Suite("Fetching from a custom store")
struct CustomStoreFetchTests {
  let place: DictionaryPlace
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    let configuration = DictionaryConfiguration(name: "notes")
    place = configuration.place
    container = try ModelContainer(for: Note.self, configurations: configuration)
    context = ModelContext(container)
  }

  private func save(_ count: Int, inFolders: Bool = false) throws {
    let writing = ModelContext(container)
    for rank in 0..<count {
      let folder = inFolders ? Folder("folder \(rank)") : nil
      writing.insert(Note("note \(rank)", rank: rank, in: folder))
    }
    try writing.save()
    place.log = []
  }

  @Test("the context filters and sorts when the store declines")
  func inMemory() throws {
    try save(5)
    let found = try context.fetch(
      FetchDescriptor<Note>(
        predicate: #Predicate { $0.rank > 1 }, sortBy: [SortDescriptor(\.rank, order: .reverse)]))
    #expect(found.map(\.rank) == [4, 3, 2])
    #expect(place.log == ["fetch Note", "fetch Note", "fetch Note"])
  }

  @Test("counts and identifiers pass the store's refusal on")
  func refusals() throws {
    try save(3)
    let descriptor = FetchDescriptor<Note>(predicate: #Predicate { $0.rank > 1 })
    #expect(throws: DataStoreError.preferInMemoryFilter) { try context.fetchCount(descriptor) }
    #expect(throws: DataStoreError.preferInMemoryFilter) {
      try context.fetchIdentifiers(descriptor)
    }
    #expect(throws: DataStoreError.preferInMemorySort) {
      try context.fetchIdentifiers(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.rank)]))
    }
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 3)
  }

  @Test("limits and offsets hold although the store ignores them")
  func windows() throws {
    try save(5)
    var descriptor = FetchDescriptor<Note>()
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).count == 2)
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(try context.fetchIdentifiers(descriptor).count == 2)
    descriptor.fetchOffset = 4
    #expect(try context.fetch(descriptor).count == 1)
    #expect(try context.fetchCount(descriptor) == 1)
  }

  @Test("destinations in a fetch's result need no further fetch")
  func relatedSnapshots() throws {
    try save(20, inFolders: true)
    place.bringsRelated = true
    let notes = try context.fetch(FetchDescriptor<Note>())
    #expect(Set(notes.compactMap(\.folder?.name)).count == 20)
    #expect(place.log == ["fetch Note"])
  }

  @Test("destinations that aren't in the result need one fetch for all of them")
  func faults() throws {
    try save(20, inFolders: true)
    let notes = try context.fetch(FetchDescriptor<Note>())
    #expect(Set(notes.compactMap(\.folder?.name)).count == 20)
    // The store can't evaluate a predicate on identifiers; finding that out costs one additional
    // fetch.
    #expect(place.log == ["fetch Note", "fetch Folder", "fetch Folder"])
  }

  @Test("lists that aren't in the result need one fetch for all of them")
  func lists() throws {
    try save(20, inFolders: true)
    let folders = try context.fetch(FetchDescriptor<Folder>())
    #expect(Set(folders.map { $0.notes.map(\.text) }).count == 20)
    #expect(place.log == ["fetch Folder", "fetch Note", "fetch Note"])
  }

  @Test("a store that can look up identifiers is queried for the required ones only")
  func byIdentifier() throws {
    try save(20, inFolders: true)
    place.findsIdentifiers = true
    var descriptor = FetchDescriptor<Note>()
    descriptor.fetchLimit = 3
    let notes = try context.fetch(descriptor)
    #expect(Set(notes.compactMap(\.folder?.name)).count == 3)
    #expect(place.log == ["fetch Note", "fetch Folder"])
  }

  @Test("destinations that the store already has aren't fetched")
  func cachedSnapshots() throws {
    try save(3, inFolders: true)
    place.caches = true
    let notes = try context.fetch(FetchDescriptor<Note>())
    #expect(Set(notes.compactMap(\.folder?.name)).count == 3)
    #expect(place.log == ["fetch Note"])
  }

  @Test("a fetch shows the saves of another context, in registered models too")
  func refresh() throws {
    try save(1, inFolders: true)
    place.bringsRelated = true
    let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    let folder = try #require(note.folder)
    let other = ModelContext(container)
    let twin = try #require(try other.fetch(FetchDescriptor<Note>()).first)
    twin.text = "changed"
    twin.folder?.name = "renamed"
    try other.save()
    _ = try context.fetch(FetchDescriptor<Note>())
    #expect(note.text == "changed")
    #expect(folder.name == "renamed")
  }

  @Test("an unsaved change outlives a fetch")
  func unsavedChange() throws {
    try save(1)
    let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    note.text = "mine"
    #expect(try context.fetch(FetchDescriptor<Note>()).map(\.text) == ["mine"])
    context.rollback()
    #expect(note.text == "note 0")
  }

  @Test("the rows of edited and deleted models are left out of counts, identifiers and aggregates")
  func countsWithPendingChanges() throws {
    try save(3)
    let notes = try context.fetch(FetchDescriptor<Note>()).sorted { $0.rank < $1.rank }
    try #require(notes.count == 3)
    notes[0].rank = 10
    context.delete(notes[2])
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 2)
    #expect(try context.count(of: Note.self) == 2)
    let identifiers = Set(notes[...1].map(\.persistentModelID))
    #expect(try Set(context.fetchIdentifiers(FetchDescriptor<Note>())) == identifiers)
    #expect(try context.sum(of: \Note.rank) == 11)
    #expect(try context.maximum(of: \Note.rank) == 10)
    #expect(try context.groups(of: Note.self, by: \.rank, .count).map(\.key) == [1, 10])
    try checkWindows()
    context.insert(Note("new", rank: 5))
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 3)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Note>()).count == 3)
    #expect(try context.sum(of: \Note.rank) == 16)
    try checkWindows()
    var stored = FetchDescriptor<Note>()
    stored.includePendingChanges = false
    #expect(try context.fetchCount(stored) == 3)
    #expect(try context.fetchIdentifiers(stored).count == 3)
  }

  /// A fetch gives the counted number of models, with any limit and offset.
  private func checkWindows() throws {
    let all = try context.fetchCount(FetchDescriptor<Note>())
    for offset in 0...4 {
      for limit in 1...4 {
        var descriptor = FetchDescriptor<Note>()
        descriptor.fetchOffset = offset
        #expect(try context.fetchCount(descriptor) == max(0, all - offset))
        descriptor.fetchLimit = limit
        let expected = min(limit, max(0, all - offset))
        #expect(try context.fetchCount(descriptor) == expected, "\(offset), \(limit)")
        #expect(try context.fetch(descriptor).count == expected, "\(offset), \(limit)")
        #expect(try context.fetchIdentifiers(descriptor).count == expected, "\(offset), \(limit)")
      }
    }
  }

  @Test("the context evaluates predicates and orders that read unsaved changes of related models")
  func changesOfRelatedModels() throws {
    try save(3, inFolders: true)
    let notes = try context.fetch(FetchDescriptor<Note>()).sorted { $0.rank < $1.rank }
    try #require(notes.count == 3)
    let stored = notes[1].persistentModelID
    place.matches = {
      $0.persistentIdentifier.entityName != "Note" || $0.persistentIdentifier == stored
    }
    place.keepsOrder = true
    let inFolder = FetchDescriptor<Note>(predicate: #Predicate { $0.folder?.name == "folder 1" })
    #expect(try context.fetch(inFolder).map(\.rank) == [1])
    #expect(try context.fetchCount(inFolder) == 1)

    notes[0].folder?.name = "a folder"
    notes[1].folder?.name = "renamed"
    notes[2].folder?.name = "folder 1"
    #expect(try context.fetch(inFolder).map(\.rank) == [2])
    #expect(try context.fetchCount(inFolder) == 1)
    #expect(try context.fetchIdentifiers(inFolder) == [notes[2].persistentModelID])
    var byFolder = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.folder?.name)])
    #expect(try context.fetch(byFolder).map(\.rank) == [0, 2, 1])
    byFolder.fetchLimit = 2
    byFolder.fetchOffset = 1
    #expect(try context.fetch(byFolder).map(\.rank) == [2, 1])
    #expect(
      try context.fetchIdentifiers(byFolder) == notes[1...].reversed().map(\.persistentModelID))
    // The store still evaluates queries of the notes alone.
    place.log = []
    let byRank = FetchDescriptor<Note>(
      predicate: #Predicate { $0.rank == 1 }, sortBy: [SortDescriptor(\.rank)])
    #expect(try context.fetch(byRank).map(\.rank) == [1])
    #expect(place.log == ["fetch Note"])
  }

  @Test("enumeration covers all models")
  func enumeration() throws {
    try save(7)
    var ranks: [Int] = []
    try context.enumerate(FetchDescriptor<Note>(), batchSize: 3) { ranks.append($0.rank) }
    #expect(ranks.sorted() == [0, 1, 2, 3, 4, 5, 6])
    let descriptor = FetchDescriptor<Note>(
      predicate: #Predicate { $0.rank > 3 }, sortBy: [SortDescriptor(\.rank)])
    ranks = []
    try context.enumerate(descriptor, batchSize: 2) { ranks.append($0.rank) }
    #expect(ranks == [4, 5, 6])
  }

  @Test("batches, and fetches of some properties, give whole models")
  func batchesAndParts() throws {
    try save(7)
    var descriptor = FetchDescriptor<Note>()
    descriptor.propertiesToFetch = [\.rank]
    let parts = try context.fetch(descriptor)
    #expect(Set(parts.map(\.text)) == Set((0..<7).map { "note \($0)" }))
    descriptor.includePendingChanges = false
    let batches = try ModelContext(container).fetch(descriptor, batchSize: 3)
    #expect(batches.count == 7)
    #expect(Set(batches.map(\.text)) == Set((0..<7).map { "note \($0)" }))
  }

  @Test("an answer with a model of another class is an error")
  func otherClass() throws {
    let configuration = DictionaryConfiguration(name: "mixed", fault: .mixesEntities)
    let container = try ModelContainer(for: Note.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Note("a", in: Folder("b")))
    try context.save()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.fetch(FetchDescriptor<Note>())
    }
  }
}
