import Foundation
import StoreTesting
import SwiftData
import TestSupport
import Testing

@Model
private final class MovedGauge {
  var code: String
  @Relationship(deleteRule: .cascade, inverse: \MovedLevel.gauge) var levels: [MovedLevel] = []

  init(_ code: String) {
    self.code = code
  }
}

@Model
private final class MovedLevel {
  #Unique<MovedLevel>([\.gauge, \.hour])
  var hour: Int
  var metres: Int
  var gauge: MovedGauge?

  init(hour: Int, metres: Int) {
    self.hour = hour
    self.metres = metres
  }
}

@Model
private final class MovedPlace {
  var code: String

  init(_ code: String) {
    self.code = code
  }
}

@Model
private final class MovedLamp {
  #Unique<MovedLamp>([\.place])
  var name: String
  var place: MovedPlace

  init(_ name: String, at place: MovedPlace) {
    self.name = name
    self.place = place
  }
}

@Suite("Unique values with a reference pass from row to row")
struct UniqueMovesTests {
  /// Gauges a and b with levels of the hours 0 to 2, whose metres are 0 to 2 and 10 to 12.
  private struct Levels {
    let container: ModelContainer
    let context: ModelContext
    var gauges: [MovedGauge] = []
    var levels: [Int: MovedLevel] = [:]

    init() throws {
      container = try memoryContainer(MovedGauge.self, MovedLevel.self)
      context = ModelContext(container)
      context.autosaveEnabled = false
      for (number, code) in ["a", "b"].enumerated() {
        let gauge = MovedGauge(code)
        context.insert(gauge)
        gauges.append(gauge)
        for hour in 0..<3 {
          let level = MovedLevel(hour: hour, metres: 10 * number + hour)
          context.insert(level)
          level.gauge = gauge
          levels[level.metres] = level
        }
      }
      try context.save()
    }

    func level(_ metres: Int) throws -> MovedLevel { try #require(levels[metres]) }

    func identifiers(_ metres: Int...) -> Set<PersistentIdentifier> {
      Set(metres.compactMap { levels[$0]?.persistentModelID })
    }

    /// The levels whose gauge an author has changed, by the history.
    func moved(by author: String) throws -> Set<PersistentIdentifier> {
      let transactions = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(
          predicate: #Predicate { $0.author == author }))
      let updates = transactions.flatMap(\.changes).compactMap { change in
        if case .update(let update) = change {
          update as? DefaultHistoryUpdate<MovedLevel>
        } else {
          nil
        }
      }
      return Set(
        updates.filter { $0.updatedAttributes.contains(\.gauge) }
          .map(\.changedPersistentIdentifier))
    }

    /// The levels in the store, each as `a1:10`.
    func stored() throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<MovedLevel>())
        .map { "\($0.gauge?.code ?? "-")\($0.hour):\($0.metres)" }.sorted()
    }
  }

  @Test("two models exchange their references, and the history has both")
  func exchange() throws {
    let world = try Levels()
    world.context.author = "exchange"
    try world.level(1).gauge = world.gauges[1]
    try world.level(11).gauge = world.gauges[0]
    try world.context.save()
    #expect(try world.stored() == ["a0:0", "a1:11", "a2:2", "b0:10", "b1:1", "b2:12"])
    #expect(try world.moved(by: "exchange") == world.identifiers(1, 11))
  }

  @Test("references that can't be nil move in a circle")
  func circle() throws {
    let container = try memoryContainer(MovedPlace.self, MovedLamp.self)
    let context = ModelContext(container)
    let places = ["a", "b", "c"].map(MovedPlace.init)
    let lamps = zip(["1", "2", "3"], places).map { MovedLamp($0, at: $1) }
    for lamp in lamps { context.insert(lamp) }
    try context.save()
    for (number, lamp) in lamps.enumerated() { lamp.place = places[(number + 1) % 3] }
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<MovedLamp>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.place.code) == ["b", "c", "a"])
  }

  @Test("a deletion frees a reference for an edit of the same save")
  func freedByDeletion() throws {
    let world = try Levels()
    world.context.delete(try world.level(12))
    try world.level(2).gauge = world.gauges[1]
    try world.context.save()
    #expect(try world.stored() == ["a0:0", "a1:1", "b0:10", "b1:11", "b2:2"])
  }

  @Test("another value of the pair frees a reference for an edit of the same save")
  func freedByValue() throws {
    let world = try Levels()
    try world.level(2).gauge = world.gauges[1]
    try world.level(12).hour = 3
    try world.context.save()
    #expect(try world.stored() == ["a0:0", "a1:1", "b0:10", "b1:11", "b2:2", "b3:12"])
  }

  @Test("a place without its model is free for a new one, and a deletion follows no removed link")
  func freedByNil() throws {
    let world = try Levels()
    world.context.author = "nil"
    try world.level(10).gauge = nil
    try world.level(11).gauge = nil
    let new = MovedLevel(hour: 0, metres: 20)
    world.context.insert(new)
    new.gauge = world.gauges[1]
    world.context.delete(world.gauges[0])
    try world.context.save()
    #expect(try world.stored() == ["-0:10", "-1:11", "b0:20", "b2:12"])
    #expect(try world.moved(by: "nil") == world.identifiers(10, 11))
  }

  @Test("an edited model gets a new model's reference, and then another new one has the pair")
  func newDestination() throws {
    let world = try Levels()
    let gauge = MovedGauge("c")
    world.context.insert(gauge)
    try world.level(1).gauge = gauge
    let new = MovedLevel(hour: 1, metres: 20)
    world.context.insert(new)
    new.gauge = gauge
    try world.context.save()
    #expect(try world.stored() == ["a0:0", "a2:2", "b0:10", "b1:11", "b2:12", "c1:20"])
  }

  @Test("a reference that a model gives up for a new one is free for another edit")
  func freedForNewDestination() throws {
    let world = try Levels()
    let gauge = MovedGauge("c")
    world.context.insert(gauge)
    try world.level(11).gauge = gauge
    try world.level(1).gauge = world.gauges[1]
    try world.context.save()
    #expect(try world.stored() == ["a0:0", "a2:2", "b0:10", "b1:1", "b2:12", "c1:11"])
  }

  @Test("a row that stays keeps its place: the save is refused, and nothing has changed")
  func taken() throws {
    let world = try Levels()
    let before = try world.stored()
    try world.level(1).gauge = world.gauges[1]
    try world.level(2).gauge = nil
    #expect { try world.context.save() } throws: { ($0 as? StoreError)?.code == .notUnique }
    #expect(try world.stored() == before)
    try world.level(11).gauge = nil
    try world.context.save()
    #expect(try world.stored() == ["-1:11", "-2:2", "a0:0", "b0:10", "b1:1", "b2:12"])
  }

  /// The result of a save by its definition: rows that stay may not share a pair; a new model gets the row that has its
  /// pair at the end, and of two new ones the later decides.
  private struct Expected {
    var rows: [Int: (gauge: String?, hour: Int)] = [:]
    var new: [(metres: Int, gauge: String?, hour: Int)] = []

    /// The levels as ``Levels/stored()`` gives them; nil when the save is refused.
    func stored() -> [String]? {
      var places: [String: Int] = [:]
      var loose: [String] = []
      for (metres, row) in rows {
        guard let gauge = row.gauge else {
          loose.append("-\(row.hour):\(metres)")
          continue
        }
        guard places.updateValue(metres, forKey: "\(gauge)\(row.hour)") == nil else { return nil }
      }
      for level in new {
        if let gauge = level.gauge {
          places["\(gauge)\(level.hour)"] = level.metres
        } else {
          loose.append("-\(level.hour):\(level.metres)")
        }
      }
      return (places.map { "\($0):\($1)" } + loose).sorted()
    }
  }

  @Test("random edits, insertions and deletions of one save don't depend on the order of writing")
  func random() throws {
    for seed in 0..<UInt64(60 * TestEnvironment.times) {
      var random = SeededGenerator(seed: seed)
      let world = try Levels()
      for round in 0..<3 {
        let fetched = try world.context.fetch(FetchDescriptor<MovedLevel>())
        var levels = fetched.sorted { $0.metres < $1.metres }
        var gauges = try world.context.fetch(
          FetchDescriptor<MovedGauge>(sortBy: [SortDescriptor(\.code, comparator: .lexical)]))
        var expected = Expected(
          rows: Dictionary(
            uniqueKeysWithValues: levels.map { ($0.metres, ($0.gauge?.code, $0.hour)) }))
        let before = try world.stored()
        for step in 0..<Int.random(in: 1...5, using: &random) {
          guard let place = levels.indices.randomElement(using: &random) else { break }
          let level = levels[place]
          switch Int.random(in: 0..<9, using: &random) {
          case 0, 1:
            level.hour = Int.random(in: 0..<4, using: &random)
            expected.rows[level.metres]?.hour = level.hour
          case 2, 3:
            let isLoose = Int.random(in: 0..<5, using: &random) == 0
            level.gauge = isLoose ? nil : gauges.randomElement(using: &random)
            expected.rows[level.metres]?.gauge = level.gauge?.code
          case 4, 5:
            let other = levels.randomElement(using: &random) ?? level
            (level.gauge, other.gauge) = (other.gauge, level.gauge)
            for moved in [level, other] { expected.rows[moved.metres]?.gauge = moved.gauge?.code }
          case 6:
            let new = MovedLevel(
              hour: Int.random(in: 0..<4, using: &random), metres: 100 * (round + 1) + step)
            world.context.insert(new)
            new.gauge = gauges.randomElement(using: &random)
            expected.new.append((new.metres, new.gauge?.code, new.hour))
          case 7:
            let gauge = MovedGauge(String(UnicodeScalar(UInt8(99 + 5 * round + step))))
            world.context.insert(gauge)
            gauges.append(gauge)
          default:
            levels.remove(at: place)
            world.context.delete(level)
            expected.rows[level.metres] = nil
          }
        }
        let wanted = expected.stored()
        var failure: (any Error)?
        do { try world.context.save() } catch { failure = error }
        let isRefused = (failure as? StoreError)?.code == .notUnique
        #expect(isRefused == (wanted == nil), "seed \(seed), save \(round): \(failure as Any)")
        #expect(try world.stored() == wanted ?? before, "seed \(seed), save \(round)")
        if failure != nil { world.context.rollback() }
      }
    }
  }
}
