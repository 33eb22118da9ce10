import CSQLite
import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

@Model @Snapshotable
private final class Sounding {
  #Index<Sounding>([\.time], [\.station, \.time])
  var time: Int
  var station: Int
  var note: String

  init(time: Int, station: Int = 0, note: String = "") {
    self.time = time
    self.station = station
    self.note = note
  }
}

/// A value that calls `action` when it is decoded.
private struct Trigger: Codable, Hashable {
  nonisolated(unsafe) static var action: (() throws -> Void)?
  var name = "t"

  init() {}
  init(from decoder: any Decoder) throws {
    name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    try Self.action?()
  }
}

@Model
private final class Loud {
  #Index<Loud>([\.time])
  var time: Int
  var trigger = Trigger()
  init(time: Int) { self.time = time }
}

@Suite("Fetches of rows in consecutive ranges", .serialized)
struct RowIDRangeFetchTests {
  private let file: TemporaryStore
  private let container: ModelContainer

  init() throws {
    file = try TemporaryStore()
    container = try file.container(Sounding.self)
  }

  /// Stores rows in this order.
  private func store(_ times: [Int], station: (Int) -> Int = { _ in 0 }) throws {
    try container.batchInsert(
      times.map { Sounding(time: $0, station: station($0), note: "\($0)") })
  }

  private func descriptor(
    from time: Int, _ order: SortOrder = .forward, limit: Int? = nil, offset: Int? = nil
  ) -> FetchDescriptor<Sounding> {
    var descriptor = FetchDescriptor<Sounding>(
      predicate: #Predicate { $0.time >= time }, sortBy: [SortDescriptor(\.time, order: order)])
    descriptor.fetchLimit = limit
    descriptor.fetchOffset = offset
    return descriptor
  }

  private struct Answer {
    let times: [Int]
    let statements: [String]
    /// Whether the row IDs were fetched first.
    var isInRuns: Bool { statements.first?.hasPrefix("SELECT t0.\"_id\" FROM") == true }
  }

  private func fetch(_ descriptor: FetchDescriptor<Sounding>) throws -> Answer {
    let context = ModelContext(container)
    let (soundings, statements) = try container.recordingStatements {
      try context.fetch(descriptor)
    }
    for sounding in soundings { #expect(sounding.note == "\(sounding.time)") }
    return Answer(times: soundings.map(\.time), statements: statements.map(\.sql))
  }

  @Test("are read by their ids from the second time on, up and down, and count as one statement")
  func repeated() throws {
    try store(Array((0..<1000).reversed()))
    for order in [SortOrder.forward, .reverse] {
      for (turn, from) in [100, 200, 0, 900].enumerated() {
        let answer = try fetch(descriptor(from: from, order, limit: 100))
        let all = order == .forward ? Array(from..<1000) : Array((from..<1000).reversed())
        #expect(answer.times == Array(all.prefix(100)))
        #expect(answer.isInRuns == (turn > 0 && SpeedSwitches.readsRanges))
        #expect(answer.statements.count == 1)
      }
    }
  }

  @Test(
    "give the same as a walk along the index, in any layout of rows",
    arguments: [1, 2, 3, 5, 8, 40, 400, 700])
  func anyOrder(piece: Int) throws {
    var random = SeededGenerator(seed: UInt64(piece))
    // Pieces in random order, each ascending or descending, with gaps from deleted rows.
    var pieces = stride(from: 0, to: 700, by: piece).map { Array($0..<min($0 + piece, 700)) }
    pieces.shuffle(using: &random)
    let times = pieces.flatMap { Bool.random(using: &random) ? $0 : $0.reversed() }
    try store(times)
    let gone = Set((0..<20).map { _ in Int.random(in: 0..<700, using: &random) })
    try file.execute(
      "DELETE FROM Sounding WHERE time IN (\(gone.map(String.init).joined(separator: ",")))")
    let left = (0..<700).filter { !gone.contains($0) }
    for (limit, offset) in [(nil, nil), (31, nil), (32, 5), (33, nil), (300, 17), (0, 650)] {
      for order in [SortOrder.forward, .reverse] {
        for from in [0, 0, 0, 350, 0, 699, 1000, 0] {
          let kept = left.filter { $0 >= from }.sorted { order == .forward ? $0 < $1 : $0 > $1 }
            .dropFirst(offset ?? 0)
          let expected = limit.map { $0 > 0 ? kept.prefix($0) : kept[...] } ?? kept[...]
          let answer = try fetch(descriptor(from: from, order, limit: limit, offset: offset))
          #expect(answer.times == Array(expected))
          if limit == 31 { #expect(!answer.isInRuns) }
        }
      }
    }
  }

  @Test("are read as values in the same way")
  func values() throws {
    try store(Array((0..<500).reversed()))
    for (turn, from) in [100, 200, 0, 450].enumerated() {
      let (found, statements) = try container.recordingStatements {
        try container.snapshots(descriptor(from: from, limit: 200))
      }
      #expect(found.map(\.time) == Array((from..<500).prefix(200)))
      #expect(found.allSatisfy { $0.note == "\($0.time)" })
      let isInRuns = statements.first?.sql.hasPrefix("SELECT t0.\"_id\" FROM") == true
      #expect(isInRuns == (turn > 0 && SpeedSwitches.readsRanges))
      #expect(statements.count == 1)
    }
  }

  @Test("keep the order of rows that are equal to the query")
  func ties() throws {
    try container.batchInsert(
      (0..<600).map { Sounding(time: $0 / 100, note: "\($0 / 100)") })
    let query = descriptor(from: 1, limit: 250)
    let first = try ModelContext(container).fetch(query).map(\.persistentModelID)
    for _ in 0..<3 {
      #expect(try ModelContext(container).fetch(query).map(\.persistentModelID) == first)
    }
    #expect(try fetch(query).isInRuns == SpeedSwitches.readsRanges)
  }

  @Test(
    "aren't tried again soon when the rows lie anywhere",
    .enabled(if: SpeedSwitches.readsRanges, "OPENSWIFTDATA_PLAIN leaves out ranges"))
  func scattered() throws {
    var times = Array(0..<1000)
    var random = SeededGenerator(seed: 5)
    times.shuffle(using: &random)
    try store(times)
    // If an attempt takes two statements, one of them ended without reading rows.
    let tries = try (0..<100).filter { _ in
      try fetch(descriptor(from: 0, limit: 100)).statements.count == 2
    }
    #expect(tries == [1, 10, 27, 60])
  }

  @Test(
    "aren't tried again soon when they end soon",
    .enabled(if: SpeedSwitches.readsRanges, "OPENSWIFTDATA_PLAIN leaves out ranges"))
  func scatteredLater() throws {
    var later = Array(40..<1000)
    var random = SeededGenerator(seed: 6)
    later.shuffle(using: &random)
    try store(Array(0..<40) + later)
    let tries = try (0..<50).filter { _ in
      let answer = try fetch(descriptor(from: 0, limit: 900))
      #expect(answer.times == Array(0..<900))
      return answer.isInRuns
    }
    #expect(tries == [1, 10, 27])
  }

  @Test("aren't tried where the filter needs the rows, or nothing is ordered by an index")
  func unfit() throws {
    try store(Array(0..<500))
    let queries: [FetchDescriptor<Sounding>] = [
      FetchDescriptor(
        predicate: #Predicate { $0.time >= 3 && $0.note != "" }, sortBy: [SortDescriptor(\.time)]),
      FetchDescriptor(sortBy: [SortDescriptor(\.note)]),
      FetchDescriptor(predicate: #Predicate { $0.note != "x" }),
      FetchDescriptor(),
    ]
    for query in queries {
      for _ in 0..<4 {
        let answer = try fetch(query)
        #expect(!answer.isInRuns)
        #expect(answer.statements.count == 1)
      }
    }
  }

  @Test("of several columns' index are found as well")
  func compound() throws {
    try store(Array(0..<900), station: { $0 / 300 })
    let query = FetchDescriptor<Sounding>(
      predicate: #Predicate { $0.station == 1 }, sortBy: [SortDescriptor(\.time, order: .reverse)])
    for turn in 0..<3 {
      let answer = try fetch(query)
      #expect(answer.times == Array((300..<600).reversed()))
      #expect(answer.isInRuns == (turn > 0 && SpeedSwitches.readsRanges))
    }
  }

  @Test("see unsaved changes and the commits of others")
  func changes() throws {
    try store(Array(0..<300))
    let query = descriptor(from: 100, limit: 50)
    let context = ModelContext(container)
    for _ in 0..<3 { #expect(try context.fetch(query).first?.time == 100) }
    try file.execute("UPDATE Sounding SET time = 1000, note = '1000' WHERE time = 100")
    #expect(try context.fetch(query).map(\.time) == Array(101..<151))
    context.insert(Sounding(time: 101, note: "101"))
    #expect(try context.fetch(query).map(\.time) == [101] + Array(101..<150))
  }

  @Test("read one snapshot despite commits between two ranges")
  func moment() throws {
    let file = try TemporaryStore()
    let container = try file.container(Loud.self)
    let store = try #require(try container.core.entry(for: Loud.self).store as? DefaultStore)
    // No transaction is open from an earlier read.
    store.readingSpan = 0
    // Many runs: pieces of sixteen rows.
    let times = stride(from: 0, to: 640, by: 16).reversed().flatMap { Array($0..<$0 + 16) }
    try container.batchInsert(times.map { Loud(time: $0) })
    defer { Trigger.action = nil }
    let query = FetchDescriptor<Loud>(sortBy: [SortDescriptor(\.time)])
    for _ in 0..<2 { _ = try ModelContext(container).fetch(query) }
    var count = 0
    Trigger.action = {
      count += 1
      if count == 20 { try file.execute("DELETE FROM Loud WHERE time % 2 = 1") }
    }
    #expect(try ModelContext(container).fetch(query).map(\.time) == Array(0..<640))
    Trigger.action = nil
    #expect(try ModelContext(container).fetch(query).map(\.time).count == 320)
  }

  @Test("whose index names rows that aren't there are an error, and the next fetch works")
  func damage() throws {
    try store(Array(0..<300))
    let query = descriptor(from: 100, limit: 50)
    for _ in 0..<2 { _ = try fetch(query) }
    let database = try SQLiteFile(file.file)
    // The rows are deleted while SQLite doesn't know of the indices.
    try database.run(
      """
      CREATE TEMP TABLE kept AS SELECT name, sql, rootpage FROM sqlite_schema WHERE type = 'index';
      PRAGMA writable_schema = ON;
      DELETE FROM sqlite_schema WHERE type = 'index';
      PRAGMA writable_schema = RESET;
      DELETE FROM Sounding WHERE time = 120;
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
        SELECT 'index', name, 'Sounding', rootpage, sql FROM kept;
      PRAGMA writable_schema = RESET;
      """)
    let error = #expect(throws: StoreError.self) { try fetch(query) }
    #expect(error?.code == .damaged)
    #if !OSD_PLAIN_RANGES
      // The plain form reads the index in SQLite, whose error names the file only.
      #expect(error?.description.contains("Sounding") == true)
    #endif
    #expect(try fetch(descriptor(from: 130, limit: 50)).times == Array(130..<180))
  }
}
