import SwiftData
import SwiftDataExtras
import Testing

@Model
private final class Bookmark {
  @Attribute(.unique) var code: String
  var title: String
  var isMarked: Bool

  init(code: String, title: String, isMarked: Bool) {
    self.code = code
    self.title = title
    self.isMarked = isMarked
  }
}

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

  @Test("a row that gets another destination by an insertion leaves the list it was in")
  func lists() throws {
    let container = try memoryContainer(Garage.self, Bus.self)
    let context = ModelContext(container)
    let (garage, other) = (Garage("a"), Garage("b"))
    context.insert(garage)
    context.insert(other)
    garage.vehicles = [Bus(plate: "1", capacity: ""), Bus(plate: "2", capacity: "")]
    try context.save()
    #expect(garage.vehicles.count == 2 && other.vehicles.isEmpty)
    context.insert(Bus(plate: "1", capacity: "new"))
    let moved = Bus(plate: "2", capacity: "new")
    context.insert(moved)
    moved.garage = other
    try context.save()
    #expect(garage.vehicles.isEmpty)
    #expect(other.vehicles.map(\.plate) == ["2"])
  }

  @Test(
    "an enumeration whose block saves gives a model once that was unsaved twice, or stored too",
    arguments: [SortOrder.forward, .reverse], [false, true])
  func enumeration(_ order: SortOrder, isInMemory: Bool) throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    for code in ["a", "b", "c"] { context.insert(Quake(code: code, magnitude: 1)) }
    try context.save()
    let held = isInMemory ? try context.fetch(FetchDescriptor<Quake>()) : []
    for code in ["a", "b", "c", "d", "d"] { context.insert(Quake(code: code, magnitude: 2)) }
    var seen: [String] = []
    try context.enumerate(
      FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude, order: order)]), batchSize: 1,
      allowEscapingMutations: true
    ) { quake in
      seen.append(quake.code)
      try context.save()
    }
    #expect(seen.sorted() == ["a", "b", "c", "d"])
    withExtendedLifetime(held) {}
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

  @Test("a batch distinguishes inserted, updated and unchanged models and commits once")
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

  @Test("a row keeps properties excluded from the batch, an insertion has the model's")
  func keptProperties() throws {
    let file = try TemporaryStore()
    for container in [try memoryContainer(Bookmark.self), try file.container(Bookmark.self)] {
      let context = ModelContext(container)
      let marked = Bookmark(code: "a", title: "old", isMarked: true)
      context.insert(marked)
      try context.save()
      let batch = try BatchUpsert<Bookmark>(container, keeping: [\.isMarked])
      #expect(try batch.upsert(Bookmark(code: "a", title: "old", isMarked: false)) == .unchanged)
      #expect(try batch.upsert(Bookmark(code: "a", title: "new", isMarked: false)) == .updated)
      #expect(try batch.upsert(Bookmark(code: "b", title: "b", isMarked: true)) == .inserted)
      try batch.commit()
      let stored = try ModelContext(container).fetch(
        FetchDescriptor<Bookmark>(sortBy: [SortDescriptor(\.code)]))
      #expect(stored.map(\.title) == ["new", "b"])
      #expect(stored.map(\.isMarked) == [true, true])
    }
  }

  @Test("a unique property can't be excluded, since it identifies the row")
  func keptKey() throws {
    let container = try memoryContainer(Bookmark.self)
    let error = #expect(throws: SwiftDataError.self) {
      try BatchUpsert<Bookmark>(container, keeping: [\.code])
    }
    #expect(error == .unsupportedKeyPath)
    #expect(throws: SwiftDataError.self) {
      try BatchUpsert<Bookmark>(container, keeping: [\.title.count])
    }
  }

  @Test("a dropped batch changes nothing")
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
