import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

@Suite("The memory of a store's connections")
struct StoreMemoryTests {
  private func container(
    _ store: TemporaryStore, _ memory: StoreMemory
  ) throws -> (ModelContainer, DefaultStore) {
    var configuration = ModelConfiguration(url: store.file)
    configuration.memory = memory
    let container = try ModelContainer(for: Schema([Entry.self]), configurations: configuration)
    return (container, try #require(container.core.stores.first as? DefaultStore))
  }

  private func settings(_ store: DefaultStore) throws -> [Int64?] {
    let reading = try store.withReader {
      [try $0.integer("PRAGMA cache_size"), try $0.integer("PRAGMA mmap_size")]
    }
    let writing = try store.withWriter {
      [try $0.integer("PRAGMA cache_size"), try $0.integer("PRAGMA mmap_size")]
    }
    return reading + writing
  }

  @Test("is that of the configuration")
  func configured() throws {
    let store = try TemporaryStore()
    let usual = try settings(container(store, .standard).1)
    #expect(usual == [-8_192, 256 << 20, -20_480, 0])
    var memory = StoreMemory()
    memory.readingCache = 1 << 20
    memory.writingCache = 2 << 20
    memory.mapping = 3 << 20
    let chosen = try settings(container(store, memory).1)
    #expect(chosen == [-1_024, 3 << 20, -2_048, 0])
    memory.readingCache = .max
    memory.writingCache = -1
    memory.mapping = .min
    let bounded = try settings(container(store, memory).1)
    #expect(bounded == [Int64(-Int32.max), 0, -64, 0])
  }

  @Test("may be next to nothing: saves, batches and fetches give the same")
  func least() throws {
    let store = try TemporaryStore()
    var memory = StoreMemory()
    memory.readingCache = 0
    memory.writingCache = 0
    memory.mapping = 0
    let (container, kept) = try container(store, memory)
    let context = ModelContext(container)
    for number in 0..<5_000 { context.insert(Entry(number)) }
    try context.save()
    try container.batchInsert((5_000..<12_000).lazy.map { Entry($0) })
    for entry in try context.fetch(FetchDescriptor<Entry>()) { entry.text = "\(entry.number)" }
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Entry>(sortBy: [.init(\.number)]))
    #expect(found.map(\.number) == Array(0..<12_000))
    #expect(found.allSatisfy { $0.text == "\($0.number)" })
    // Large saves and batches restore the setting.
    let left = try settings(kept)
    #expect(left == [-64, 0, -64, 0])
  }
}
