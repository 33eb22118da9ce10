import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// NULL in a unique column equals nothing: each model with it gets a row of its own, also beside models whose rows
/// exist.
@Suite("Models without a unique value, written together with others")
struct NullKeyTests {
  enum Way: CaseIterable { case save, batch }

  private func write<Model: PersistentModel>(
    _ models: [Model], by way: Way, to container: ModelContainer
  ) throws {
    switch way {
    case .save:
      let context = ModelContext(container)
      for model in models { context.insert(model) }
      try context.save()
    case .batch: try container.batchInsert(models)
    }
  }

  private func lockers(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Locker>()).map(\.content).sorted()
  }

  @Test("are stored once each, beside one whose row exists", arguments: Way.allCases)
  func existing(way: Way) throws {
    let store = try TemporaryStore()
    let container = try store.container(Locker.self)
    try write([Locker(7, "old")], by: way, to: container)
    let models = (0..<17).map { Locker($0 == 9 ? 7 : nil, "t\($0)") }
    try write(models, by: way, to: container)
    let expected = (0..<17).map { $0 == 9 ? "7 t9" : "nil t\($0)" }.sorted()
    #expect(try lockers(container) == expected)
  }

  @Test("are stored once each, beside two with the same new value", arguments: Way.allCases)
  func repeated(way: Way) throws {
    let store = try TemporaryStore()
    let container = try store.container(Locker.self)
    let models = (0..<32).map { Locker($0 % 8 == 3 ? 7 : nil, $0 % 2 == 0 ? "same" : "t\($0)") }
    try write(models, by: way, to: container)
    let expected = models.filter { $0.code == nil }.map(\.content) + ["7 t27"]
    #expect(try lockers(container) == expected.sorted())
  }

  @Test("with a key of several properties and of text", arguments: Way.allCases)
  func compound(way: Way) throws {
    let store = try TemporaryStore()
    let container = try store.container(Folder.self)
    try write([Folder(1, "b", 0)], by: way, to: container)
    let models = (0..<48).map { number in
      switch number % 5 {
      case 0: Folder(1, "b", number)
      case 1: Folder(nil, "b", number)
      case 2: Folder(1, nil, number)
      case 3: Folder(nil, nil, 0)
      default: Folder(number, "b", number)
      }
    }
    try write(models, by: way, to: container)
    let found = try ModelContext(container).fetch(FetchDescriptor<Folder>()).map(\.content)
    let expected = models.map(\.content).filter { !$0.hasPrefix("1 b ") } + ["1 b 45"]
    #expect(found.sorted() == expected.sorted())
  }

  @Test(
    "give the same as one after the other, in the history too, also on a second thread",
    arguments: 0..<StoreKind.rounds(12))
  func sameAsSingly(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let share = [2, 10, 40].randomElement(using: &random) ?? 2
    func some(_ count: Int) -> [(code: Int?, text: String)] {
      (0..<count).map { _ in
        (
          Int.random(in: 0..<share, using: &random) == 0
            ? Int.random(in: 0..<200, using: &random) : nil,
          "\(Int.random(in: 0..<3, using: &random))"
        )
      }
    }
    let stored = some(50)
    let arriving = some(seed % 4 == 0 ? 2_000 : Int.random(in: 1..<300, using: &random))
    let stores = try (0..<3).map { _ in try TemporaryStore() }
    var summaries: [BatchUpsert<Locker>.Summary] = []
    for (number, store) in stores.enumerated() {
      let container = try store.container(Locker.self)
      try container.batchInsert(stored.map { Locker($0, $1) })
      switch number {
      case 0:
        let batch = try BatchUpsert<Locker>(container)
        for (code, text) in arriving { try batch.upsert(Locker(code, text)) }
        summaries.append(try batch.commit())
      case 1:
        summaries.append(try container.batchInsert(arriving.lazy.map { Locker($0, $1) }))
      default:
        try write(arriving.map { Locker($0, $1) }, by: .save, to: container)
      }
    }
    #expect(summaries[0] == summaries[1])
    let contents = try stores.map { try lockers(try $0.container(Locker.self)) }
    #expect(contents[1] == contents[0])
    #expect(contents[2] == contents[0])
    // A server's save writes only the last of several models for one row.
    guard StoreKind.tested == .sqlite else { return }
    let rows = try stores.map {
      try $0.values("SELECT _id || ' ' || text FROM \"Locker\" ORDER BY _id")
    }
    #expect(rows[1] == rows[0])
    #expect(rows[2] == rows[0])
    let changes = try stores.map {
      try ModelContext($0.container(Locker.self)).history().last?.summary.sorted()
    }
    #expect(changes[1] == changes[0])
    #expect(changes[2] == changes[0])
  }

  @Test(
    "and those of a class without a unique property, beside one that another program's index refuses",
    .enabled(if: StoreKind.tested == .sqlite, "has an index in SQLite's SQL"))
  func refused() throws {
    let store = try TemporaryStore()
    let container = try store.container(Locker.self, Notice.self)
    try store.execute("CREATE UNIQUE INDEX theirs ON \"Notice\" (text) WHERE text <> 'same'")
    try store.execute("CREATE UNIQUE INDEX others ON \"Locker\" (text) WHERE text <> 'same'")
    let texts = (0..<32).map { $0 % 16 == 5 ? "refused" : "same" }
    let notices = try container.beginBatch(of: Notice.self)
    #expect(try notices.refusals(of: texts.map { Notice($0) }) == 1)
    #expect(try notices.commit().inserted == 31)
    let lockers = try container.beginBatch(of: Locker.self)
    #expect(try lockers.refusals(of: texts.map { Locker(nil, $0) }) == 1)
    #expect(try lockers.commit().inserted == 31)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Notice>()) == 31)
    #expect(try context.fetchCount(FetchDescriptor<Locker>()) == 31)
  }
}

@Model
private final class Locker {
  @Attribute(.unique) var code: Int?
  var text: String

  init(_ code: Int?, _ text: String) {
    self.code = code
    self.text = text
  }

  var content: String { "\(code.map { "\($0)" } ?? "nil") \(text)" }
}

@Model
private final class Folder {
  #Unique<Folder>([\.parent, \.name])
  var parent: Int?
  var name: String?
  var value: Int

  init(_ parent: Int?, _ name: String?, _ value: Int) {
    self.parent = parent
    self.name = name
    self.value = value
  }

  var content: String { "\(parent.map { "\($0)" } ?? "nil") \(name ?? "nil") \(value)" }
}

@Model
private final class Notice {
  var text: String

  init(_ text: String) { self.text = text }
}
