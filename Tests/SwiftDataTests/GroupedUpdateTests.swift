import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// One statement writes all rows with the same changed properties. The stored rows must be the same as with one
/// statement for each row.
@Suite("Edits of many models")
struct GroupedUpdateTests {
  private func fill(_ store: TemporaryStore, _ count: Int) throws -> ModelContext {
    let context = ModelContext(try store.container(Sample.self))
    for number in 0..<count { context.insert(Sample(int: number)) }
    try context.save()
    return context
  }

  private func read(_ store: TemporaryStore) throws -> [Sample.Snapshot] {
    let context = ModelContext(try store.container(Sample.self))
    return try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)])).map(\.snapshot)
  }

  /// Changes the properties of a kind; some of the new values are nil or empty.
  private func edit(_ sample: Sample, _ kind: Int, _ step: Int) {
    switch kind {
    case 0:
      sample.double = Double(step)
      sample.string = step % 5 == 0 ? "" : "text \(step)"
    case 1: sample.optionalDouble = step % 3 == 0 ? nil : Double(step)
    case 2:
      sample.data = step % 4 == 0 ? Data() : Data([UInt8(step % 256)])
      sample.outer.inner.note = "note \(step)"
      sample.optionalString = step % 2 == 0 ? nil : ""
    default: sample.double = .nan
    }
  }

  @Test("give the same as edits saved one by one", arguments: 0..<StoreKind.rounds(12))
  func sameAsSingly(seed: UInt64) throws {
    let (single, grouped) = (try TemporaryStore(), try TemporaryStore())
    for store in [single, grouped] {
      var random = SeededGenerator(seed: seed)
      let context = try fill(store, 600)
      // Ranges of row IDs, and gaps.
      let gaps = [0, 3, 200].randomElement(using: &random) ?? 0
      var samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
      for _ in 0..<gaps {
        context.delete(samples.remove(at: Int.random(in: samples.indices, using: &random)))
      }
      try context.save()
      samples.removeLast(samples.count / 5)
      if Bool.random(using: &random) { samples.shuffle(using: &random) }
      let kinds = Int.random(in: 1...4, using: &random)
      for (step, sample) in samples.enumerated() {
        edit(sample, Int.random(in: 0..<kinds, using: &random), step)
        if store === single { try context.save() }
      }
      try context.save()
    }
    func values(_ store: TemporaryStore) throws -> [String] {
      // Compared as texts: NaN isn't equal to itself.
      try read(store).map {
        "\($0.int) \($0.double) \($0.string) \(String(describing: $0.optionalDouble)) \(Array($0.data))"
          + " \($0.outer) \(String(describing: $0.optionalString))"
      }
    }
    #expect(try values(grouped) == values(single))
    func changes(_ store: TemporaryStore) throws -> [String] {
      // Without the insertions and the deletions.
      let context = ModelContext(try store.container(Sample.self))
      return try context.history().flatMap(\.summary).filter { $0.hasPrefix("update") }.sorted()
    }
    #expect(try changes(grouped) == changes(single))
  }

  @Test("take a statement for many rows", arguments: [1, 7])
  func statements(stride: Int) throws {
    let store = try TemporaryStore()
    let context = try fill(store, 600 * stride)
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
    for sample in samples where sample.int % stride == 0 { sample.double += 1 }
    let (_, statements) = try context.container.recordingStatements { try context.save() }
    #expect(statements.count { $0.sql.hasPrefix("UPDATE") } < 20)
    #expect(try read(store).filter { $0.double == 1.1 }.count == 600)
  }

  @Test("bring back the rows among them that others deleted, and only those")
  func restoring() throws {
    let store = try TemporaryStore()
    let context = try fill(store, 300)
    context.mergePolicy = .propertyObjectTrump
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
    let gone = Set([0, 17, 18, 100, 255, 256, 299])
    try store.execute(
      "DELETE FROM \"Sample\" WHERE int IN (\(gone.map(String.init).joined(separator: ", ")))")
    for sample in samples { sample.string = "edited \(sample.int)" }
    try context.save()
    let stored = try read(store)
    #expect(stored.map(\.int) == Array(0..<300))
    #expect(stored.allSatisfy { $0.string == "edited \($0.int)" })
    let inserted = try #require(context.history().last).summary.filter { $0.hasPrefix("insert") }
    #expect(inserted.count == gone.count)
  }

  @Test("of unique values are written in the order of the edits")
  func uniqueValues() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Quake.self))
    for number in 0..<40 { context.insert(Quake(code: "\(number + 10)")) }
    try context.save()
    let quakes = try context.fetch(FetchDescriptor<Quake>(sortBy: [.init(\.code)]))
    // Each model takes the code that another one has just given up.
    for quake in quakes.reversed() { quake.code = "\((Int(quake.code) ?? 0) + 1)" }
    try context.save()
    #expect(
      try store.values("SELECT code FROM \"Quake\" ORDER BY code") == (11...50).map(String.init))
  }

  @Test(
    "are made one by one when another program has a trigger",
    .enabled(if: StoreKind.tested == .sqlite, "has a trigger in SQLite's SQL"))
  func triggers() throws {
    let store = try TemporaryStore()
    let context = try fill(store, 100)
    try store.execute("CREATE TABLE last (parity INTEGER PRIMARY KEY, number INTEGER)")
    try store.execute(
      "CREATE TRIGGER noting AFTER UPDATE ON Sample"
        + " BEGIN INSERT OR REPLACE INTO last VALUES (new.int % 2, new.int); END")
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
    for sample in samples { sample.double = 7 }
    try context.save()
    #expect(try store.values("SELECT number FROM last ORDER BY parity") == ["98", "99"])
    #expect(try read(store).allSatisfy { $0.double == 7 })
  }

  @Test(
    "fail as a whole, name the value, and can be saved again",
    .enabled(if: StoreKind.tested == .sqlite, "has a trigger in SQLite's SQL"))
  func failing() throws {
    let store = try TemporaryStore()
    let context = try fill(store, 100)
    try store.execute(
      "CREATE TRIGGER refusing BEFORE UPDATE ON Sample WHEN new.int = 70"
        + " BEGIN SELECT RAISE(ABORT, 'seventy'); END")
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
    for sample in samples { sample.double = 7 }
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.description.contains("seventy") ?? false)
    #expect(try read(store).allSatisfy { $0.double == 0.1 })
    #expect(context.changedModelsArray.count == 100)
    try store.execute("DROP TRIGGER refusing")
    try context.save()
    #expect(try read(store).allSatisfy { $0.double == 7 })
  }

  @Test("that others' columns and long texts are among are written in pieces")
  func longTexts() throws {
    let store = try TemporaryStore()
    let context = try fill(store, 60)
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
    let text = String(repeating: "long ", count: 20_000)
    for sample in samples {
      sample.string = "\(sample.int) \(text)"
      if sample.int % 20 == 19 { sample.optionalInt = sample.int }
    }
    try context.save()
    for sample in try read(store) {
      #expect(sample.string == "\(sample.int) \(text)")
      #expect(sample.optionalInt == (sample.int % 20 == 19 ? sample.int : nil))
    }
  }

  @Test(
    "find no function for their values outside of a save",
    .enabled(if: StoreKind.tested == .sqlite, "is about functions of SQLite"))
  func function() throws {
    let store = try TemporaryStore()
    let context = try fill(store, 20)
    for sample in try context.fetch(FetchDescriptor<Sample>()) { sample.double = 3 }
    try context.save()
    #expect(throws: (any Error).self) { try store.values("SELECT _held_value(1, 0)") }
    #expect(throws: (any Error).self) {
      try context.rows(sql: "SELECT _held_value(\"_id\", 0) FROM Sample", as: Double.self)
    }
    #expect(try read(store).allSatisfy { $0.double == 3 })
  }
}
