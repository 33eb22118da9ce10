import SwiftData
import SwiftDataExtras
import Testing

@Suite("A process that dies", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct HistoryCrashTests {
  /// Opens a copy of the current file and log, as a crash would leave them.
  private func survivor(_ store: TemporaryStore, _ copy: TemporaryStore) throws -> ModelContext {
    for suffix in ["", "-wal"] {
      let source = store.file.path + suffix
      guard FileManager.default.fileExists(atPath: source) else { continue }
      try FileManager.default.copyItem(atPath: source, toPath: copy.file.path + suffix)
    }
    return ModelContext(try copy.container(Quake.self))
  }

  @Test("in a batch leaves neither rows nor history of it, however much was written")
  func batch() throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    let context = ModelContext(container)
    context.insert(Quake(code: "kept"))
    try context.save()
    let batch = try BatchUpsert<Quake>(container)
    // More than the page cache holds, so that a part is already in the log.
    let text = String(repeating: "x", count: 2_000)
    for number in 0..<10_000 { try batch.upsert(Quake(code: "\(number)", name: text)) }
    let copy = try TemporaryStore()
    let survivor = try survivor(store, copy)
    #expect(try survivor.fetch(FetchDescriptor<Quake>()).map(\.code) == ["kept"])
    #expect(try survivor.history().map(\.summary) == [["insert Quake 1"]])
    try batch.commit()
    let whole = try TemporaryStore()
    let other = try self.survivor(store, whole)
    #expect(try other.fetchCount(FetchDescriptor<Quake>()) == 10_001)
    #expect(try other.history().map(\.changes.count) == [1, 10_000])
    withExtendedLifetime((copy, whole)) {}
  }
}
