import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataSQLite
import Testing

/// If many new rows are inserted into a table, its indices are created afterwards. The stored rows must be the same as
/// with existing indices, and no index may be missing.
@Suite(
  "Deferred indices of many rows",
  .enabled(if: StoreKind.tested == .sqlite, "is about SQLite's indices"))
struct DeferredIndicesTests {
  private static let indices = ["Arrival_code_unique", "Arrival_time_index"]

  private func indices(_ store: TemporaryStore) throws -> [String?] {
    try store.values(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Arrival' ORDER BY name")
  }

  /// Returns the number of schema changes.
  private func version(_ store: TemporaryStore) throws -> String? {
    try store.value("PRAGMA schema_version")
  }

  private func content(_ store: TemporaryStore) throws -> [String?] {
    try store.values(
      "SELECT _id || ' ' || code || ' ' || time || ' ' || ifnull(note, '-') FROM Arrival ORDER BY _id"
    )
  }

  @Test("are there afterwards, and the store is whole")
  func remade() throws {
    let store = try TemporaryStore()
    let container = try store.container(Arrival.self)
    let before = try version(store)
    try container.batchInsert((0..<9_000).lazy.map { Arrival("\($0 * 7_919 % 9_001)", Double($0)) })
    #expect(try (version(store) != before) == SpeedSwitches.defersIndices)
    #expect(try indices(store) == Self.indices)
    #expect(try store.value("PRAGMA integrity_check") == "ok")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Arrival>()) == 9_000)
    // The file records that its schema is up to date, so opening it needs no check.
    #expect(
      try store.value("SELECT value FROM _metadata WHERE key = 'schema.cookie'") == version(store))
    let plan = try store.values(
      "EXPLAIN QUERY PLAN SELECT * FROM Arrival WHERE code = '1' OR time = 1")
    #expect(plan.count > 1)
  }

  @Test("aren't dropped for few rows, nor for many beside more")
  func kept() throws {
    let store = try TemporaryStore()
    let container = try store.container(Arrival.self)
    let before = try version(store)
    for start in 0..<4 {
      try container.batchInsert(
        (0..<4_000).lazy.map { Arrival("\(start * 4_000 + $0)", Double($0)) })
    }
    try container.batchInsert((0..<7_000).lazy.map { Arrival("\(16_000 + $0)", Double($0)) })
    #expect(try version(store) == before)
  }

  @Test(
    "give the same as single insertions, with repeated keys at any place",
    arguments: [4_000, 4_111, 4_800, 8_500], [1, 40])
  func sameAsSingly(first: Int, repeated: Int) throws {
    var random = SeededGenerator(seed: UInt64(first + repeated))
    var codes = (0..<9_000).map { "\($0)" }.shuffled(using: &random)
    for position in first..<first + repeated {
      codes[position] = codes[Int.random(in: 0..<first, using: &random)]
    }
    let arrivals = codes.map {
      ($0, Double(Int.random(in: 0..<100, using: &random)), Bool.random(using: &random) ? "n" : nil)
    }
    let (single, grouped) = (try TemporaryStore(), try TemporaryStore())
    let batch = try BatchUpsert<Arrival>(try single.container(Arrival.self))
    for (code, time, note) in arrivals { try batch.upsert(Arrival(code, time, note)) }
    let summary = try batch.commit()
    let container = try grouped.container(Arrival.self)
    #expect(try container.batchInsert(arrivals.lazy.map { Arrival($0, $1, $2) }) == summary)
    #expect(try content(grouped) == content(single))
    #expect(try indices(grouped) == Self.indices)
    #expect(try grouped.value("PRAGMA integrity_check") == "ok")
    func history(_ store: TemporaryStore) throws -> [[String]] {
      try ModelContext(try store.container(Arrival.self)).history().map { $0.summary.sorted() }
    }
    #expect(try history(grouped) == history(single))
  }

  @Test("include existing rows")
  func stored() throws {
    let store = try TemporaryStore()
    let container = try store.container(Arrival.self)
    try container.batchInsert((0..<100).lazy.map { Arrival("old \($0)", 0) })
    let before = try version(store)
    let summary = try container.batchInsert(
      (0..<6_000).lazy.map { Arrival($0 == 5_000 ? "old 3" : "\($0)", 1) })
    #expect(try (version(store) != before) == SpeedSwitches.defersIndices)
    #expect((summary.inserted, summary.updated) == (5_999, 1))
    #expect(try store.value("SELECT time FROM Arrival WHERE code = 'old 3'") == "1.0")
  }

  @Test("are as before when the batch is rolled back or dropped")
  func undone() throws {
    let store = try TemporaryStore()
    let container = try store.container(Arrival.self)
    let before = try version(store)
    for isUndone in [true, false] {
      let batch = try container.beginBatch(of: Arrival.self)
      for number in 0..<6_000 { _ = try batch.add(Arrival("\(number)", 0)) }
      if isUndone { batch.rollback() }
    }
    #expect(try version(store) == before)
    #expect(try indices(store) == Self.indices)
    #expect(try content(store) == [])
    try container.batchInsert([Arrival("1", 1)])
    #expect(try content(store).count == 1)
  }

  @Test("stay when another program has made one, too")
  func others() throws {
    let store = try TemporaryStore()
    let container = try store.container(Arrival.self)
    try store.execute("CREATE UNIQUE INDEX theirs ON Arrival (note)")
    let before = try version(store)
    let batch = try container.beginBatch(of: Arrival.self)
    let arrivals = (0..<6_000).map { Arrival("\($0)", 0, $0 % 5_500 == 7 ? "twice" : nil) }
    #expect(try batch.refusals(of: arrivals) == 1)
    #expect(try batch.commit().inserted == 5_999)
    #expect(try version(store) == before)
  }

  @Test("wait for rows without unique values, too")
  func withoutKeys() throws {
    let store = try TemporaryStore()
    let container = try store.container(Passage.self)
    let before = try version(store)
    try container.batchInsert((0..<6_000).lazy.map { Passage($0 % 10) })
    #expect(try (version(store) != before) == SpeedSwitches.defersIndices)
    let few = FetchDescriptor(predicate: #Predicate<Passage> { $0.gate == 3 })
    #expect(try ModelContext(container).fetchCount(few) == 600)
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("don't wait where a key is a number that may be equal to another form of it")
  func reals() throws {
    let store = try TemporaryStore()
    let container = try store.container(WaterMark.self)
    let before = try version(store)
    let summary = try container.batchInsert((0..<6_000).lazy.map { WaterMark(Double($0 % 5_500)) })
    #expect((summary.inserted, summary.unchanged) == (5_500, 500))
    #expect(try version(store) == before)
  }
}

@Model
private final class Arrival {
  #Index<Arrival>([\.time])
  @Attribute(.unique) var code: String
  var time: Double
  var note: String?

  init(_ code: String, _ time: Double, _ note: String? = nil) {
    self.code = code
    self.time = time
    self.note = note
  }
}

@Model
private final class Passage {
  #Index<Passage>([\.gate])
  var gate: Int

  init(_ gate: Int) { self.gate = gate }
}

@Model
private final class WaterMark {
  @Attribute(.unique) var height: Double

  init(_ height: Double) { self.height = height }
}
