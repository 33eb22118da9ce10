import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataSync

/// A rack's deletion deletes its tins.
@Model final class Rack {
  @Attribute(.unique) var name: String
  @Attribute(.unique) var code: Int
  @Relationship(deleteRule: .cascade, inverse: \Tin.rack) var tins: [Tin] = []

  init(_ name: String, _ code: Int) {
    self.name = name
    self.code = code
  }
}

@Model final class Tin {
  @Attribute(.unique) var number: Int
  var rack: Rack?

  init(_ number: Int) { self.number = number }
}

/// The portions in which a server notes what programs saved in its store, and in which it answers.
@Suite("Portions of a server's work") struct ServerPortionTests {
  private let container: ModelContainer

  init() throws { container = try Fixture.container() }

  private func insert(_ numbers: Range<Int>) throws {
    let context = ModelContext(container)
    for number in numbers { context.insert(Park(number: number, name: "park \(number)")) }
    try context.save()
  }

  private func ledger(
    _ rules: SyncServerRules = .everyoneSeesEverything,
    _ change: (inout SyncServerLedger.Portions) -> Void
  ) throws -> SyncServerLedger {
    let storage = try ModelServerStorage(container, Fixture.models())
    var portions = SyncServerLedger.Portions()
    change(&portions)
    return try SyncServerLedger(storage, storage.schema, rules, portions: portions)
  }

  /// Returns the numbers of objects in the pages of a whole fetch, of which each is as short as possible.
  private func pages(_ ledger: SyncServerLedger) throws -> [Int] {
    var cursor: String?
    var counts: [Int] = []
    var objects: Set<SyncObjectID> = []
    while true {
      let page = try ledger.pull(after: cursor, user: "ann", limit: 1)
      objects.formUnion(page.changes.map(\.object))
      counts.append(page.changes.count)
      guard page.hasMore else { break }
      cursor = page.cursor
    }
    #expect(objects.count == counts.reduce(0, +))
    return counts
  }

  private func changes(_ numbers: Range<Int>) -> [SyncChange] {
    numbers.map { number in
      SyncChange(
        id: "\(number)", object: SyncObjectID("Park", "\(number)"),
        content: .put([
          "number": .integer(Int64(number)), "name": .text("b"), "mood": .text("calm"),
        ]), baseVersion: nil)
    }
  }

  @Test("All objects of a store without history aren't one version")
  func expired() throws {
    try insert(0..<25)
    try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try pages(ledger { $0.objects = 10 }) == [10, 10, 5])
  }

  @Test("A large transaction of a program is divided, a small one isn't")
  func transactions() throws {
    try insert(0..<25)
    try insert(25..<30)
    try insert(30..<31)
    // Also where a part in memory ends within a transaction.
    #expect(
      try pages(
        ledger { portions in
          portions.version = 10
          portions.loaded = 7
        }) == [10, 10, 5, 5, 1])
  }

  @Test("A transaction of large objects is divided")
  func weight() throws {
    try insert(0..<6)
    // Each park's texts have ten bytes.
    #expect(try pages(ledger { $0.weight = 10 }) == [2, 2, 2])
  }

  @Test("A backlog is noted in several transactions")
  func backlog() throws {
    for number in 0..<40 { try insert(number..<number + 1) }
    #expect(try pages(ledger { $0.objects = 2 }) == Array(repeating: 1, count: 40))
  }

  private final class Counter: Sendable {
    private let count = Mutex(1_000)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// Lets a program save whenever the rules see a park.
  private func rules(savingAt number: String) -> SyncServerRules {
    let (container, counter) = (container, Counter())
    return SyncServerRules { object, _ in
      guard object.key == number else { return nil }
      let context = ModelContext(container)
      context.insert(Park(number: counter.next(), name: "program's"))
      do { try context.save() } catch { Issue.record(error) }
      return nil
    }
  }

  @Test("A backlog is noted while a program saves again and again")
  func busyBacklog() throws {
    try insert(0..<3)
    let page = try ledger(rules(savingAt: "1")) { _ in }.pull(
      after: nil, user: "ann", limit: 100)
    #expect(Set(page.changes.map(\.object.key)).isSuperset(of: ["0", "1", "2"]))
  }

  @Test("A part of a push is stored while a program saves again and again")
  func busyPush() throws {
    let ledger = try ledger(rules(savingAt: "9")) { _ in }
    let outcomes = try ledger.push(changes(0..<10), client: "c", user: "ann")
    #expect(Set(outcomes.keys) == ["0", "1", "2", "3", "4"])
    #expect(outcomes.values.allSatisfy { if case .accepted = $0 { true } else { false } })
    // The same request again: these, and more.
    let next = try ledger.push(changes(0..<10), client: "c", user: "ann")
    #expect(next.count > 5)
    for (id, outcome) in outcomes { #expect(next[id] == outcome) }
  }

  @Test("A change is decided with those that remove its obstacle, also where a push is divided")
  func obstacles() throws {
    let container = try Peer.container([Shelf.self, Jar.self, Label.self, Lid.self, Sticker.self])
    let context = ModelContext(container)
    let shelf = Shelf("s")
    context.insert(shelf)
    context.insert(Jar(1, on: shelf))
    try context.save()
    let counter = Counter()
    let rules = SyncServerRules { object, _ in
      guard object == SyncObjectID("Lid", "9") else { return nil }
      let context = ModelContext(container)
      context.insert(Label("\(counter.next())"))
      do { try context.save() } catch { Issue.record(error) }
      return nil
    }
    let models = [
      SyncedModel(Shelf.self, key: \.name), SyncedModel(Jar.self, key: \.number),
      SyncedModel(Label.self, key: \.text), SyncedModel(Lid.self, key: \.number),
    ]
    let storage = try ModelServerStorage(container, models)
    let ledger = try SyncServerLedger(storage, storage.schema, rules)
    let page = try ledger.pull(after: nil, user: "ann", limit: 100)
    func deletion(_ object: SyncObjectID) throws -> SyncChange {
      let version = try #require(page.changes.first { $0.object == object }?.version)
      return SyncChange(id: object.key, object: object, content: .delete, baseVersion: version)
    }
    // The shelf can't be deleted before its jar, whose deletion comes last.
    let lids = (2..<10).map { number in
      SyncChange(
        id: "lid \(number)", object: SyncObjectID("Lid", "\(number)"),
        content: .put(["number": .integer(Int64(number))]), baseVersion: nil)
    }
    let given =
      try [deletion(SyncObjectID("Shelf", "s"))] + lids + [deletion(SyncObjectID("Jar", "1"))]
    let outcomes = try ledger.push(given, client: "c", user: "ann")
    #expect(Set(outcomes.keys) == ["s", "lid 2", "lid 3", "lid 4", "lid 5", "1"])
    for (id, outcome) in outcomes {
      guard case .accepted = outcome else {
        Issue.record("\(id): \(outcome)")
        continue
      }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Shelf>()) == 0)
  }

  @Test("What leaves an object isn't deleted with it where a push is divided")
  func leaving() throws {
    let container = try Peer.container([Rack.self, Tin.self, Label.self])
    let context = ModelContext(container)
    let rack = Rack("a", 1)
    context.insert(rack)
    rack.tins = (1...8).map { Tin($0) }
    try context.save()
    // A program saves four times meanwhile.
    let counter = Counter()
    var rules = SyncServerRules.everyoneSeesEverything
    rules.validate = { _, change in
      guard change.id == "8" else { return nil }
      let number = counter.next()
      guard number <= 1_004 else { return nil }
      let context = ModelContext(container)
      context.insert(Label("\(number)"))
      do { try context.save() } catch { Issue.record(error) }
      return nil
    }
    let storage = try ModelServerStorage(
      container, [SyncedModel(Rack.self, key: \.name), SyncedModel(Tin.self, key: \.number)])
    let ledger = try SyncServerLedger(storage, storage.schema, rules)
    let page = try ledger.pull(after: nil, user: "ann", limit: 100)
    func change(_ object: SyncObjectID, _ content: SyncChange.Content) -> SyncChange {
      let version = page.changes.first { $0.object == object }?.version
      return SyncChange(id: object.key, object: object, content: content, baseVersion: version)
    }
    // The new rack takes the code of the deleted one, and its tins.
    let tins = (1...8).map { number in
      change(
        SyncObjectID("Tin", "\(number)"),
        .put(["number": .integer(Int64(number)), "rack": .text("b")]))
    }
    let given =
      [change(SyncObjectID("Rack", "b"), .put(["name": .text("b"), "code": .integer(1)]))] + tins
      + [change(SyncObjectID("Rack", "a"), .delete)]
    for _ in 0..<2 { _ = try ledger.push(given, client: "c", user: "ann") }
    let found = try ModelContext(container).fetch(FetchDescriptor<Tin>())
    #expect(found.count == 8 && found.allSatisfy { $0.rack?.name == "b" })
  }

  @Test("A refusal isn't final while a change that removes its obstacle has no outcome")
  func undecided() throws {
    let container = try Peer.container([Shelf.self, Jar.self, Label.self, Lid.self, Sticker.self])
    let context = ModelContext(container)
    let shelf = Shelf("s")
    context.insert(shelf)
    // The shelf can't be deleted before its jar, nor the jar before its lid.
    let jar = Jar(1, on: shelf)
    context.insert(jar)
    jar.lid = Lid(2)
    // Objects of which a few reach the limit.
    let large = (0..<14).map { Shelf("large \($0)") }
    for shelf in large {
      shelf.note = String(repeating: "n", count: 1_000)
      context.insert(shelf)
    }
    try context.save()
    let models = [
      SyncedModel(Shelf.self, key: \.name), SyncedModel(Jar.self, key: \.number),
      SyncedModel(Label.self, key: \.text), SyncedModel(Lid.self, key: \.number),
    ]
    let storage = try ModelServerStorage(container, models)
    let ledger = try SyncServerLedger(storage, storage.schema, .everyoneSeesEverything)
    let page = try ledger.pull(after: nil, user: "ann", limit: 100)
    func change(_ object: SyncObjectID, _ content: SyncChange.Content) throws -> SyncChange {
      let version = try #require(page.changes.first { $0.object == object }?.version)
      return SyncChange(id: object.key, object: object, content: content, baseVersion: version)
    }
    var given = [
      try change(SyncObjectID("Shelf", "s"), .delete),
      try change(SyncObjectID("Jar", "1"), .delete),
    ]
    for shelf in large {
      let values: SyncValues = [
        "name": .text(shelf.name), "note": .text("small"), "labels": .list([]),
      ]
      given.append(try change(SyncObjectID("Shelf", shelf.name), .put(values)))
    }
    given.append(try change(SyncObjectID("Lid", "2"), .delete))
    let first = try ledger.push(given, client: "c", user: "ann", maximumWeight: 2_000)
    #expect(Set(first.keys) == Set(large.map(\.name)))
    let next = try ledger.push(given, client: "c", user: "ann", maximumWeight: 2_000)
    #expect(Set(next.keys) == Set(given.map(\.id)))
    for (id, outcome) in next {
      guard case .accepted = outcome else {
        Issue.record("\(id): \(outcome)")
        continue
      }
    }
  }
}
