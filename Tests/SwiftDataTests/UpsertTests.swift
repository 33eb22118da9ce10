import SwiftData
import Testing

@Suite("Unique keys upsert at save")
struct UpsertTests {
  @Test("inserting an existing key updates the row, and the registered instance shows it")
  func upsert() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let first = Quake(code: "a", magnitude: 1)
    context.insert(first)
    try context.save()
    let second = Quake(code: "a", magnitude: 2)
    context.insert(second)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 1)
    #expect(first.magnitude == 2)
    #expect(first.persistentModelID == second.persistentModelID)
  }

  @Test("of two insertions with one key the later wins")
  func twiceInOneSave() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    context.insert(Quake(code: "a", magnitude: 1))
    context.insert(Quake(code: "a", magnitude: 2))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Quake>()).map(\.magnitude) == [2])
  }

  @Test(
    "an insertion in the same save as an edit of its row wins, and the edited instance shows it")
  func editAndUpsert() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let stored = Quake(code: "a", magnitude: 1)
    context.insert(stored)
    try context.save()
    stored.magnitude = 2
    context.insert(Quake(code: "a", magnitude: 3))
    try context.save()
    #expect(stored.magnitude == 3)
    #expect(!stored.hasChanges)
  }

  @Test("a batch tells inserted, updated and unchanged apart and commits once")
  func batch() throws {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    let stored = Quake(code: "same")
    context.insert(stored)
    context.insert(Quake(code: "old", magnitude: 1))
    try context.save()
    let batch = try BatchUpsert<Quake>(container)
    #expect(try batch.upsert(Quake(code: "same")) == .unchanged)
    #expect(try batch.upsert(Quake(code: "old", magnitude: 2)) == .updated)
    #expect(try batch.upsert(Quake(code: "new")) == .inserted)
    try batch.setMetadata(Data("etag".utf8), forKey: "validator")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 2)
    #expect(try container.storeMetadata(forKey: "validator") == nil)
    let summary = try batch.commit()
    #expect(summary.inserted == 1 && summary.updated == 1 && summary.unchanged == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 3)
    #expect(try container.storeMetadata(forKey: "validator") == Data("etag".utf8))
    let magnitudes = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
      .map(\.magnitude)
    #expect(magnitudes == [1, 2, 1])
  }

  @Test("a batch that is let go changes nothing")
  func abandonedBatch() throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    do {
      let batch = try BatchUpsert<Quake>(container)
      try batch.upsert(Quake(code: "a"))
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 0)
    let batch = try BatchUpsert<Quake>(container)
    batch.rollback()
    #expect(throws: StoreError.self) { try batch.upsert(Quake(code: "b")) }
  }
}
