import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// A class with a hundred unique keys: forty properties, and sixty pairs of other properties.
@Model
private final class ManyKeys {
  #Unique<ManyKeys>(
    [\.p00, \.p01], [\.p00, \.p02], [\.p00, \.p03], [\.p00, \.p04], [\.p00, \.p05], [\.p00, \.p06],
    [\.p00, \.p07], [\.p00, \.p08], [\.p00, \.p09], [\.p00, \.p10], [\.p00, \.p11], [\.p01, \.p02],
    [\.p01, \.p03], [\.p01, \.p04], [\.p01, \.p05], [\.p01, \.p06], [\.p01, \.p07], [\.p01, \.p08],
    [\.p01, \.p09], [\.p01, \.p10], [\.p01, \.p11], [\.p02, \.p03], [\.p02, \.p04], [\.p02, \.p05],
    [\.p02, \.p06], [\.p02, \.p07], [\.p02, \.p08], [\.p02, \.p09], [\.p02, \.p10], [\.p02, \.p11],
    [\.p03, \.p04], [\.p03, \.p05], [\.p03, \.p06], [\.p03, \.p07], [\.p03, \.p08], [\.p03, \.p09],
    [\.p03, \.p10], [\.p03, \.p11], [\.p04, \.p05], [\.p04, \.p06], [\.p04, \.p07], [\.p04, \.p08],
    [\.p04, \.p09], [\.p04, \.p10], [\.p04, \.p11], [\.p05, \.p06], [\.p05, \.p07], [\.p05, \.p08],
    [\.p05, \.p09], [\.p05, \.p10], [\.p05, \.p11], [\.p06, \.p07], [\.p06, \.p08], [\.p06, \.p09],
    [\.p06, \.p10], [\.p06, \.p11], [\.p07, \.p08], [\.p07, \.p09], [\.p07, \.p10], [\.p07, \.p11])
  @Attribute(.unique) var u00: Int
  @Attribute(.unique) var u01: Int
  @Attribute(.unique) var u02: Int
  @Attribute(.unique) var u03: Int
  @Attribute(.unique) var u04: Int
  @Attribute(.unique) var u05: Int
  @Attribute(.unique) var u06: Int
  @Attribute(.unique) var u07: Int
  @Attribute(.unique) var u08: Int
  @Attribute(.unique) var u09: Int
  @Attribute(.unique) var u10: Int
  @Attribute(.unique) var u11: Int
  @Attribute(.unique) var u12: Int
  @Attribute(.unique) var u13: Int
  @Attribute(.unique) var u14: Int
  @Attribute(.unique) var u15: Int
  @Attribute(.unique) var u16: Int
  @Attribute(.unique) var u17: Int
  @Attribute(.unique) var u18: Int
  @Attribute(.unique) var u19: Int
  @Attribute(.unique) var u20: Int
  @Attribute(.unique) var u21: Int
  @Attribute(.unique) var u22: Int
  @Attribute(.unique) var u23: Int
  @Attribute(.unique) var u24: Int
  @Attribute(.unique) var u25: Int
  @Attribute(.unique) var u26: Int
  @Attribute(.unique) var u27: Int
  @Attribute(.unique) var u28: Int
  @Attribute(.unique) var u29: Int
  @Attribute(.unique) var u30: Int
  @Attribute(.unique) var u31: Int
  @Attribute(.unique) var u32: Int
  @Attribute(.unique) var u33: Int
  @Attribute(.unique) var u34: Int
  @Attribute(.unique) var u35: Int
  @Attribute(.unique) var u36: Int
  @Attribute(.unique) var u37: Int
  @Attribute(.unique) var u38: Int
  @Attribute(.unique) var u39: Int
  var p00: Int
  var p01: Int
  var p02: Int
  var p03: Int
  var p04: Int
  var p05: Int
  var p06: Int
  var p07: Int
  var p08: Int
  var p09: Int
  var p10: Int
  var p11: Int
  var title: String

  /// All values equal `seed`.
  init(_ seed: Int, title: String = "") {
    u00 = seed
    u01 = seed
    u02 = seed
    u03 = seed
    u04 = seed
    u05 = seed
    u06 = seed
    u07 = seed
    u08 = seed
    u09 = seed
    u10 = seed
    u11 = seed
    u12 = seed
    u13 = seed
    u14 = seed
    u15 = seed
    u16 = seed
    u17 = seed
    u18 = seed
    u19 = seed
    u20 = seed
    u21 = seed
    u22 = seed
    u23 = seed
    u24 = seed
    u25 = seed
    u26 = seed
    u27 = seed
    u28 = seed
    u29 = seed
    u30 = seed
    u31 = seed
    u32 = seed
    u33 = seed
    u34 = seed
    u35 = seed
    u36 = seed
    u37 = seed
    u38 = seed
    u39 = seed
    p00 = seed
    p01 = seed
    p02 = seed
    p03 = seed
    p04 = seed
    p05 = seed
    p06 = seed
    p07 = seed
    p08 = seed
    p09 = seed
    p10 = seed
    p11 = seed
    self.title = title
  }

  static var singles: [ReferenceWritableKeyPath<ManyKeys, Int>] {
    [
      \.u00, \.u01, \.u02, \.u03, \.u04, \.u05, \.u06, \.u07, \.u08, \.u09, \.u10, \.u11, \.u12,
      \.u13, \.u14, \.u15, \.u16, \.u17, \.u18, \.u19, \.u20, \.u21, \.u22, \.u23, \.u24, \.u25,
      \.u26, \.u27, \.u28, \.u29, \.u30, \.u31, \.u32, \.u33, \.u34, \.u35, \.u36, \.u37, \.u38,
      \.u39,
    ]
  }
  static var paired: [ReferenceWritableKeyPath<ManyKeys, Int>] {
    [
      \.p00, \.p01, \.p02, \.p03, \.p04, \.p05, \.p06, \.p07, \.p08, \.p09, \.p10, \.p11,
    ]
  }
  /// The properties of each key.
  static var keys: [[ReferenceWritableKeyPath<ManyKeys, Int>]] {
    var pairs: [[ReferenceWritableKeyPath<ManyKeys, Int>]] = []
    for (position, first) in paired.enumerated() {
      for second in paired[(position + 1)...] { pairs.append([first, second]) }
    }
    return singles.map { [$0] } + pairs.prefix(60)
  }

  /// Returns a row whose values are all unique, except for those of `key`, which it shares with
  /// `other`.
  static func sharing(
    _ key: [ReferenceWritableKeyPath<ManyKeys, Int>], with other: Int, seed: Int, title: String
  ) -> ManyKeys {
    let made = ManyKeys(seed, title: title)
    for path in key { made[keyPath: path] = other }
    return made
  }
}

@Suite("Many unique keys")
struct ManyUniqueKeysTests {
  private func rows(_ container: ModelContainer) throws -> [ManyKeys] {
    try ModelContext(container).fetch(
      FetchDescriptor<ManyKeys>(sortBy: [SortDescriptor(\.persistentModelID)]))
  }

  @Test("a model with a hundred is inserted, and replaces the row that shares any one of them")
  func everyKey() throws {
    #expect(ManyKeys.keys.count == 100)
    let store = try TemporaryStore()
    let container = try store.container(ManyKeys.self)
    let context = ModelContext(container)
    context.insert(ManyKeys(-1, title: "bystander"))
    context.insert(ManyKeys(0))
    try context.save()
    let start = try #require(try context.history().last).transactionIdentifier
    for (seed, key) in ManyKeys.keys.enumerated() {
      // The row has the values of the last seed, except for those of the last key.
      let values = try #require(try rows(container).last)
      let replacing = ManyKeys(seed + 1, title: "\(seed)")
      for path in key { replacing[keyPath: path] = values[keyPath: path] }
      // A new context each time, so that no instance of the row exists.
      let context = ModelContext(container)
      context.insert(replacing)
      try context.save()
      #expect(try rows(container).map(\.title) == ["bystander", "\(seed)"])
      #expect(
        try rows(container).map(\.u00) == [-1, seed == 0 ? 0 : seed + 1])
    }
    let updates = try context.history().filter { $0.transactionIdentifier > start }
    #expect(updates.count == 100)
    #expect(updates.allSatisfy { $0.changes.count == 1 })
  }

  @Test("an equal row isn't written, and one that meets two rows is refused")
  func equalAndTwo() throws {
    let store = try TemporaryStore()
    let container = try store.container(ManyKeys.self)
    let context = ModelContext(container)
    for seed in 0..<3 { context.insert(ManyKeys(seed)) }
    try context.save()
    let count = try context.history().count
    let batch = try BatchUpsert<ManyKeys>(container)
    for seed in 0..<3 { try batch.upsert(ManyKeys(seed)) }
    try batch.commit()
    #expect(try context.history().count == count)
    for (one, two) in [(0, 39), (39, 0), (5, 70), (70, 5), (40, 99)] {
      let both = ManyKeys.sharing(ManyKeys.keys[one], with: 0, seed: 9, title: "both")
      for path in ManyKeys.keys[two] { both[keyPath: path] = 1 }
      let other = ModelContext(container)
      other.insert(both)
      let error = #expect(throws: StoreError.self) { try other.save() }
      #expect(error?.code == .notUnique)
      #expect(error?.explanation.contains("two stored ones at once") == true)
    }
    #expect(try rows(container).map(\.title) == ["", "", ""])
  }

  @Test("the number of a row deleted last isn't reused")
  func numbers() throws {
    let container = try memoryContainer(ManyKeys.self)
    let context = ModelContext(container)
    let models = (0..<3).map { ManyKeys($0) }
    for model in models { context.insert(model) }
    try context.save()
    let gone = models[2].persistentModelID
    context.delete(models[2])
    try context.save()
    let next = ManyKeys(3)
    context.insert(next)
    // The statement that assigns the number also meets an existing row.
    let met = ManyKeys.sharing(ManyKeys.keys[20], with: 1, seed: 4, title: "met")
    context.insert(met)
    try context.save()
    #expect(next.persistentModelID != gone)
    #expect(try rows(container).map(\.title) == ["", "met", ""])
  }

  @Test("an index of another program doesn't make an insertion replace that program's row")
  func foreignIndex() throws {
    let store = try TemporaryStore()
    let container = try store.container(ManyKeys.self)
    let context = ModelContext(container)
    for seed in 0..<2 { context.insert(ManyKeys(seed, title: "\(seed)")) }
    try context.save()
    try store.execute("CREATE UNIQUE INDEX foreign_title ON \"ManyKeys\" (title)")
    for key in [[], ManyKeys.keys[3]] {
      let other = ModelContext(container)
      // The title is the first row's; the values of the key, if any, are the second row's.
      other.insert(ManyKeys.sharing(key, with: 1, seed: 7, title: "0"))
      let error = #expect(throws: StoreError.self) { try other.save() }
      #expect(error?.code == .notUnique)
    }
    #expect(try rows(container).map(\.title) == ["0", "1"])
    #expect(try rows(container).map(\.u00) == [0, 1])
  }

  @Test("values pass from row to row by all keys at once")
  func exchange() throws {
    let container = try memoryContainer(ManyKeys.self)
    let context = ModelContext(container)
    let models = (0..<3).map { ManyKeys($0) }
    for model in models { context.insert(model) }
    try context.save()
    for (seed, model) in models.enumerated() {
      for path in ManyKeys.singles + ManyKeys.paired { model[keyPath: path] = (seed + 1) % 3 }
    }
    try context.save()
    #expect(try rows(container).map(\.u39) == [1, 2, 0])
    #expect(try rows(container).map(\.p11) == [1, 2, 0])
  }
}
