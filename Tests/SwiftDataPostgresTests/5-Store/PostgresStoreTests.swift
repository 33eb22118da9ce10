import PostgresTesting
import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataPostgres
import Testing

@Suite("A store on a server", .server)
struct PostgresStoreTests {
  private let configuration: PostgresConfiguration

  init() throws {
    configuration = PostgresConfiguration(
      uniqueName("store"), url: try PostgresServer.shared.url)
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Sample.self, SampleGroup.self, Tag.self]), configurations: [configuration])
  }

  private func filled(_ count: Int) throws -> ModelContext {
    let container = try container()
    let context = ModelContext(container)
    for number in 0..<count { context.insert(Sample("key \(number)", count: number)) }
    try context.save()
    return ModelContext(container)
  }

  @Test("keeps models with values of all kinds", arguments: [1, 100])
  func values(copies: Int) throws {
    let container = try container()
    let context = ModelContext(container)
    var samples: [Sample] = []
    for number in 0..<copies {
      let sample = Sample("a'\"\\ é👩‍👩‍👧 \(number)", count: .min + number)
      sample.big = .max
      sample.size = number == 0 ? -.infinity : .leastNonzeroMagnitude
      sample.data = Data([0, 1, 255])
      sample.url = URL(string: "https://example.org/a?b=%20")
      sample.price = try #require(Decimal(string: "-12345678901234567890.0123456789"))
      sample.rank = number == 0 ? nil : 5
      sample.note = ""
      sample.place = number == 0 ? nil : Place(latitude: 1.5, longitude: .nan)
      samples.append(sample)
      context.insert(sample)
    }
    try context.save()
    let other = ModelContext(container)
    let fetched = try other.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.count)]))
    #expect(fetched.count == copies)
    for (stored, sample) in zip(fetched, samples) {
      #expect(stored.key == sample.key && stored.count == sample.count)
      #expect(stored.small == sample.small && stored.big == sample.big)
      #expect(stored.size == sample.size && stored.isOpen == sample.isOpen)
      #expect(stored.date == sample.date && stored.data == sample.data)
      #expect(stored.uuid == sample.uuid && stored.url == sample.url)
      #expect(stored.price == sample.price && stored.numbers == sample.numbers)
      #expect(stored.rank == sample.rank && stored.note == sample.note)
      #expect((stored.place == nil) == (sample.place == nil))
      #expect(stored.place?.longitude.isNaN ?? true)
    }
  }

  @Test("inserts, fetches with a predicate, updates and deletes")
  func plainSave() throws {
    let context = try filled(20)
    let least = 15
    let some = try context.fetch(
      FetchDescriptor<Sample>(
        predicate: #Predicate { $0.count >= least && $0.isOpen }, sortBy: [SortDescriptor(\.count)]
      ))
    #expect(some.map(\.count) == [16, 18])
    some[0].note = "changed"
    some[0].isOpen = false
    context.delete(some[1])
    try context.save()
    let other = ModelContext(context.container)
    let note: String? = "changed"
    let changed = try other.fetch(
      FetchDescriptor<Sample>(predicate: #Predicate { $0.note == note }))
    #expect(changed.map(\.count) == [16] && changed.first?.isOpen == false)
    #expect(try other.fetchCount(FetchDescriptor<Sample>()) == 19)
    let gone = 18
    #expect(
      try other.fetchCount(FetchDescriptor<Sample>(predicate: #Predicate { $0.count == gone })) == 0
    )
  }

  @Test("is opened again")
  func reopening() throws {
    let identifier: PersistentIdentifier
    do {
      let context = try filled(3)
      identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Sample>()).first)
    }
    let context = ModelContext(try container())
    let sample = try #require(context.model(for: identifier) as? Sample)
    #expect(sample.key.hasPrefix("key"))
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 3)
  }

  @Test("sorts, limits and counts")
  func windows() throws {
    let context = try filled(10)
    var descriptor = FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.count, order: .reverse)])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 2
    #expect(try context.fetch(descriptor).map(\.count) == [7, 6, 5])
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
  }

  @Test(
    "pages have each model once, also when models are equal in their order and others write them",
    arguments: [true, false])
  func pages(isSorted: Bool) throws {
    let container = try container()
    let filling = ModelContext(container)
    for _ in 0..<100 { filling.insert(Tag("same")) }
    try filling.save()
    let table = "\"\(configuration.databaseSchema)\".\"Tag\""
    var descriptor = FetchDescriptor<Tag>(
      sortBy: isSorted ? [SortDescriptor(\.name, comparator: .lexical)] : [])
    descriptor.fetchLimit = 20
    var found: [PersistentIdentifier] = []
    for page in 0..<5 {
      descriptor.fetchOffset = 20 * page
      found += try ModelContext(container).fetch(descriptor).map(\.persistentModelID)
      // The server keeps the new versions of rows behind all others.
      try PostgresServer.shared.run(
        "UPDATE \(table) SET name = name"
          + " WHERE _id IN (SELECT _id FROM \(table) ORDER BY _id LIMIT 10)")
    }
    #expect(found.count == 100 && Set(found).count == 100)
    let rowIDs = found.compactMap(\.rowID)
    #expect(rowIDs == rowIDs.sorted())
    let complete = [SortDescriptor<Tag>(\.persistentModelID, order: .reverse)]
    descriptor.fetchOffset = 0
    descriptor.sortBy = complete
    #expect(
      try ModelContext(container).fetch(descriptor).compactMap(\.persistentModelID.rowID)
        == rowIDs.reversed().prefix(20).map { $0 })
  }

  @Test("a model with known unique values replaces the stored ones")
  func upserts() throws {
    let context = try filled(3)
    let again = Sample("key 1", count: 100)
    context.insert(again)
    context.insert(Sample("key new", count: 4))
    try context.save()
    let other = ModelContext(context.container)
    let counts = try other.fetch(FetchDescriptor<Sample>()).map(\.count).sorted()
    #expect(counts == [0, 2, 4, 100])
  }

  @Test("relationships of all kinds, with their delete rules")
  func relationships() throws {
    let container = try container()
    let context = ModelContext(container)
    let (one, two) = (SampleGroup("one"), SampleGroup("two"))
    let (red, blue) = (Tag("red"), Tag("blue"))
    for model in [one, two] { context.insert(model) }
    one.parent = two
    two.parent = one
    one.tags = [red, blue]
    two.tags = [red]
    for number in 0..<3 {
      let sample = Sample("s\(number)", count: number)
      context.insert(sample)
      sample.group = number == 0 ? two : one
    }
    try context.save()

    let other = ModelContext(container)
    func group(_ name: String) throws -> SampleGroup {
      try #require(
        try other.fetch(FetchDescriptor<SampleGroup>(predicate: #Predicate { $0.name == name }))
          .first)
    }
    let first = try group("one")
    #expect(first.parent?.name == "two" && first.parent?.parent === first)
    #expect(Set(first.tags.map(\.name)) == ["red", "blue"])
    #expect(Set(first.samples.map(\.key)) == ["s1", "s2"])
    let color = "blue"
    let named = try other.fetch(
      FetchDescriptor<SampleGroup>(
        predicate: #Predicate { $0.tags.contains { $0.name == color } }))
    #expect(named.map(\.name) == ["one"])
    // One sample moves away before its group is deleted with the rest.
    let moved = try #require(first.samples.first { $0.key == "s1" })
    moved.group = try group("two")
    first.tags.removeAll { $0.name == "red" }
    other.delete(first)
    try other.save()

    let last = ModelContext(container)
    #expect(Set(try last.fetch(FetchDescriptor<Sample>()).map(\.key)) == ["s0", "s1"])
    let rest = try #require(try last.fetch(FetchDescriptor<SampleGroup>()).first)
    #expect(rest.name == "two" && rest.parent == nil && rest.tags.map(\.name) == ["red"])
    #expect(try last.fetchCount(FetchDescriptor<Tag>()) == 2)
  }

  @Test("what can't be stored is named, and nothing is, also among many", arguments: [0, 100])
  func unsupportedText(others: Int) throws {
    let context = try filled(1)
    context.insert(Sample("fine"))
    for number in 0..<others { context.insert(Sample("other \(number)")) }
    let wrong = Sample("wrong")
    wrong.note = "a\0b"
    context.insert(wrong)
    do {
      try context.save()
      Issue.record("U+0000 was stored")
    } catch let error as StoreError {
      #expect(error.code == .unsupportedValue && error.description.contains("Sample.note"))
    }
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Sample>()) == 1)
    wrong.note = "ab"
    try context.save()
    let count = try ModelContext(context.container).fetchCount(FetchDescriptor<Sample>())
    #expect(count == 3 + others)
  }

  @Test("edits of a row that another program has deleted are dropped")
  func missingRow() throws {
    let context = try filled(2)
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.count)]))
    let connection = try PostgresServer.shared.connect()
    try connection.run("DELETE FROM \"\(configuration.databaseSchema)\".\"Sample\" WHERE count = 0")
    samples[0].note = "lost"
    samples[1].note = "kept"
    try context.save()
    let notes = try ModelContext(context.container).fetch(FetchDescriptor<Sample>()).map(\.note)
    #expect(notes == ["kept"])
  }

  @Test("a read-only store and an address that can't be read are refused")
  func refusals() throws {
    var configuration = configuration
    _ = try filled(1)
    configuration.allowsSave = false
    let context = ModelContext(
      try ModelContainer(
        for: Schema([Sample.self, SampleGroup.self, Tag.self]), configurations: [configuration]))
    context.insert(Sample("new"))
    #expect(throws: StoreError.self) { try context.save() }
    let wrong = PostgresConfiguration("wrong", url: "postgresql://u:secret%zz@h/d")
    #expect(!"\(wrong)".contains("secret"))
    #expect(throws: StoreError.self) {
      try ModelContainer(for: Schema([Sample.self]), configurations: [wrong])
    }
  }

  @Test("all models can be removed")
  func erasing() throws {
    let context = try filled(5)
    try context.container.erase()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Sample>()) == 0)
  }

  @Test("with all models, values that belong to copies are removed, and no others")
  func erasingValues() throws {
    let container = try container()
    let batch = try container.beginBatch(of: Sample.self)
    for key in [
      "of a copy", CopyRecords.valuePrefix + "of a copy", CopyRecords.keyPrefix + "x", "own",
    ] {
      try batch.setMetadata(Data([1]), forKey: key)
    }
    try batch.commit()
    try container.erase()
    #expect(try container.storeMetadata(forKey: "of a copy") == nil)
    #expect(try container.storeMetadata(forKey: CopyRecords.valuePrefix + "of a copy") == nil)
    #expect(try container.storeMetadata(forKey: CopyRecords.keyPrefix + "x") == nil)
    #expect(try container.storeMetadata(forKey: "own") == Data([1]))
  }

  @Test("several threads save at once")
  func threads() async throws {
    let container = try container()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<6 {
        group.addTask {
          let context = ModelContext(container)
          for number in 0..<5 {
            context.insert(Sample("\(thread) \(number)", count: number))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Sample>()) == 30)
  }
}
