import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataSQLite
import Testing

/// Several existing rows are compared at a time. The stored rows must be the same as with
/// individual comparisons.
@Suite("Upserts of existing rows")
struct RowComparingTests {
  /// Returns a feed of `count` events in several rounds, each with the current state of every event.
  private static func feed(
    _ count: Int, _ rounds: Int, seed: UInt64
  ) -> [[(code: String, magnitude: Double, alert: String?)]] {
    var random = SeededGenerator(seed: seed)
    let alerts: [String?] = [nil, "", "grün", "red"]
    let magnitudes: [Double] = [0, -0.0, 1, 2.5, .nan, .infinity]
    func alert() -> String? { alerts.randomElement(using: &random) ?? nil }
    func magnitude() -> Double { magnitudes.randomElement(using: &random) ?? 0 }
    var events: [(code: String, magnitude: Double, alert: String?)] = []
    for number in 0..<count { events.append(("\(number * 7 % count)", magnitude(), alert())) }
    let shares: [Double] = [0, 0.1, 0.6, 1]
    let changes = shares.randomElement(using: &random) ?? 0
    return (0..<rounds).map { _ in
      for position in events.indices where Double.random(in: 0..<1, using: &random) < changes {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: events[position].magnitude = magnitude()
        case 1: events[position].alert = alert()
        // The same event again, possibly adjacent to itself, with a further change.
        case 2: events[position] = events[(position + 3) % count]
        default: events[position].code = "new \(Int.random(in: 0..<count, using: &random))"
        }
      }
      return events
    }
  }

  @Test(
    "of many at once give the same as single ones",
    // A server answers each of the single models.
    arguments: 0..<StoreKind.rounds(30), [false, true])
  func sameAsSingly(seed: UInt64, keeping: Bool) throws {
    let rounds = Self.feed(300, 4, seed: seed)
    let (single, grouped) = (try TemporaryStore(), try TemporaryStore())
    let kept: [PartialKeyPath<Sighting>] = keeping ? [\.magnitude] : []
    func content(_ store: TemporaryStore) throws -> [String] {
      let context = ModelContext(try store.container(Sighting.self))
      let rows = try context.fetch(
        FetchDescriptor<Sighting>(sortBy: [SortDescriptor(\.persistentModelID)])
      ).map {
        "\($0.persistentModelID.rowID ?? 0) \($0.code) \($0.magnitude.bitPattern) \($0.alert ?? "-")"
      }
      return rows + (try context.history().map { "\($0.summary.sorted())" })
    }
    for round in rounds {
      let first = try single.container(Sighting.self).beginBatch(of: Sighting.self, keeping: kept)
      for (code, magnitude, alert) in round {
        try first.upsert(Sighting(code, magnitude, alert))
      }
      let second = try grouped.container(Sighting.self).beginBatch(of: Sighting.self, keeping: kept)
      for (code, magnitude, alert) in round {
        try second.add(Sighting(code, magnitude, alert)).requireNoRefusal()
      }
      #expect(try first.commit() == (try second.commit()))
      #expect(try content(grouped) == content(single))
    }
  }

  @Test(
    "of rows that are equal take a statement for sixteen or so, and write nothing",
    .enabled(if: StoreKind.tested == .sqlite, "counts SQLite's statements"))
  func statements() throws {
    let store = try TemporaryStore()
    let container = try store.container(Sighting.self)
    try container.batchInsert((0..<320).lazy.map { Sighting("\($0)", 1, nil) })
    let context = ModelContext(container)
    for number in 0..<320 { context.insert(Sighting("\(number)", 1, nil)) }
    let (_, statements) = try container.recordingStatements { try context.save() }
    #expect(statements.count { $0.sql.hasPrefix("INSERT INTO \"Sighting\"") } < 40)
    // The first rows are searched for; the other rows follow them.
    #expect(statements.contains { $0.sql.hasPrefix("WITH v") })
    #expect(statements.count { $0.sql.hasSuffix("ORDER BY \"_id\" LIMIT 16") } > 15)
    #expect(try context.history().count == 1)
  }

  @Test("give a save's models their rows, whether equal, changed or new")
  func identities() throws {
    let store = try TemporaryStore()
    let container = try store.container(Sighting.self)
    try container.batchInsert((0..<200).lazy.map { Sighting("\($0)", 1, nil) })
    let context = ModelContext(container)
    let models = (0..<240).map { Sighting("\($0)", $0 % 5 == 0 ? 2 : 1, nil) }
    for model in models { context.insert(model) }
    try context.save()
    let other = ModelContext(container)
    for model in models {
      let found = other.model(for: model.persistentModelID) as? Sighting
      #expect(found?.code == model.code)
      #expect(found?.magnitude == model.magnitude)
    }
    #expect(try other.fetchCount(FetchDescriptor<Sighting>()) == 240)
  }

  @Test("find rows whose ids another program has put as far apart as can be")
  func distantRows() throws {
    let store = try TemporaryStore()
    let container = try store.container(Sighting.self)
    for number in 0..<64 {
      let id = number % 2 == 0 ? Int64.min + Int64(number) : Int64.max / 2 + Int64(number)
      try store.execute(
        "INSERT INTO \"Sighting\" (_id, code, magnitude) VALUES (\(id), '\(number)', 1)")
    }
    let summary = try container.batchInsert((0..<64).lazy.map { Sighting("\($0)", 1, nil) })
    #expect(summary.unchanged == 64)
  }

  @Test("find rows of two keys")
  func twoKeys() throws {
    let store = try TemporaryStore()
    let container = try store.container(Seat.self)
    func seats(_ value: Int) -> [Seat] {
      (0..<200).map { Seat($0 / 10, $0 % 10, value: $0 % 4 == 0 ? value : 0) }
    }
    try container.batchInsert(seats(0))
    let summary = try container.batchInsert(seats(1))
    #expect(summary.unchanged == 150 && summary.updated == 50)
    #expect(try container.batchInsert(seats(1)).unchanged == 200)
  }

  @Test("leave a row of another class with the same key as it is")
  func otherClasses() throws {
    let store = try TemporaryStore()
    let container = try store.container(Vessel.self, Ferry.self)
    try container.batchInsert((0..<100).lazy.map { Vessel("\($0)") })
    try container.batchInsert((100..<200).lazy.map { Ferry("\($0)", tons: 1) })
    let batch = try container.beginBatch(of: Ferry.self)
    let ferries = (50..<300).map { Ferry("\($0)", tons: $0 % 2) }
    #expect(try batch.refusals(of: ferries) == 50)
    let summary = try batch.commit()
    #expect((summary.inserted, summary.updated, summary.unchanged) == (100, 50, 50))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Vessel>()) == 300)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ferry>()) == 200)
  }

  @Test("leave a row of a subclass with the same key as it is")
  func subclasses() throws {
    let store = try TemporaryStore()
    let container = try store.container(Vessel.self, Ferry.self)
    try container.batchInsert((0..<100).lazy.map { Vessel("\($0)") })
    try container.batchInsert((100..<200).lazy.map { Ferry("\($0)", tons: 1) })
    let batch = try container.beginBatch(of: Vessel.self)
    #expect(try batch.refusals(of: (50..<150).map { Vessel("\($0)") }) == 50)
    let summary = try batch.commit()
    #expect((summary.inserted, summary.updated, summary.unchanged) == (0, 0, 50))
  }
}

@Model
final class Sighting {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var alert: String?

  init(_ code: String, _ magnitude: Double, _ alert: String?) {
    self.code = code
    self.magnitude = magnitude
    self.alert = alert
  }
}

@Model
final class Seat {
  #Unique<Seat>([\.row, \.column])
  var row: Int
  var column: Int
  var value: Int

  init(_ row: Int, _ column: Int, value: Int) {
    self.row = row
    self.column = column
    self.value = value
  }
}

@Model
class Vessel {
  @Attribute(.unique) var code: String

  init(_ code: String) { self.code = code }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@Model
final class Ferry: Vessel {
  var tons: Int

  init(_ code: String, tons: Int) {
    self.tons = tons
    super.init(code)
  }
}
