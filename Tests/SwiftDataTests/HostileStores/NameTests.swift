import SwiftData
import Testing

@testable import SwiftDataSQLite

@Model
final class CrossA {
  @Attribute(.unique) var x_y: Int
  @Attribute(.spotlight) var t_u: String = ""
  @Relationship(deleteRule: .cascade) var l_m: CrossLeaf?
  init(_ number: Int) { x_y = number }
}

@Model
final class CrossA_x {
  @Attribute(.unique) var y: Int
  var z: Int
  init(_ number: Int) {
    y = number
    z = number
  }
}

@Model
final class CrossA_t {
  @Attribute(.spotlight) var u: String
  init(_ text: String) { u = text }
}

@Model
final class CrossA_l {
  @Relationship(deleteRule: .cascade) var m: CrossLeaf?
  init(_ leaf: CrossLeaf) { m = leaf }
}

@Model
final class CrossLeaf {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model
final class Crossed {
  #Unique<Crossed>([\.a, \.b], [\.a_b])
  #Index<Crossed>([\.b, \.c], [\.b_c])
  var a: Int
  var b: Int
  var c: Int = 0
  var a_b: Int
  var b_c: Int = 0
  init(_ a: Int, _ b: Int, _ both: Int) {
    self.a = a
    self.b = b
    a_b = both
  }
}

@Model
class `O'Hara` {
  @Attribute(.unique) var code: String
  @Attribute(.spotlight) var title: String = "quoted"
  @Relationship(deleteRule: .cascade) var leaf: CrossLeaf?
  init(_ text: String) { code = text }
}

@Model
final class `O'Hara's son`: `O'Hara` {
  var age: Int = 1
  override init(_ text: String) { super.init(text) }
}

@Model
final class _metadata {
  var a: Int = 0
  init() {}
}

@Model
final class _history_change {
  var a: Int = 0
  init() {}
}

@Model
final class sqlite_x {
  var a: Int = 0
  init() {}
}

@Model
final class OwnRowID {
  #Unique<OwnRowID>([\._id])
  var _id: String
  var note: Int
  init(_ id: String, note: Int) {
    _id = id
    self.note = note
  }
}

@Model
class OwnEntity {
  var _entity: Int = 0
  init() {}
}

@Model
final class OwnEntityHeir: OwnEntity {
  var more: Int = 0
  override init() { super.init() }
}

@Model
final class CrossLeaf_readable {
  var a: Int = 0
  init() {}
}

@Suite("Names in a store's file")
struct NameTests {
  let store = try? TemporaryStore()

  private func file() throws -> TemporaryStore { try #require(store) }

  @Test("constraints and indices whose names would be the same are all there")
  func indices() throws {
    let container = try file().container(CrossA.self, CrossA_x.self, CrossLeaf.self, Crossed.self)
    for round in 1...2 {
      let context = ModelContext(container)
      context.insert(CrossA(1))
      context.insert(CrossA_x(1))
      context.insert(Crossed(1, 2, 3))
      context.insert(Crossed(1, 3, 4))
      context.insert(Crossed(2, 2, round + 10))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<CrossA>()) == 1)
      #expect(try context.fetchCount(FetchDescriptor<CrossA_x>()) == 1)
      #expect(try context.fetchCount(FetchDescriptor<Crossed>()) == 3)
    }
    let indices = try file().value(
      StoreKind.tested == .sqlite
        ? "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Crossed' AND sql <> ''"
        : """
        SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema AND tablename = 'Crossed'
        AND indexname <> 'Crossed_pkey'
        """)
    #expect(indices == "4")
    #expect(try file().value("SELECT count(*) FROM \"Crossed\" WHERE a = 2 AND a_b = 12") == "1")
  }

  @Test(
    "delete rules and indices of texts whose names would be the same all work",
    .enabled(if: StoreKind.tested == .sqlite, "deletes rows in SQLite's SQL"))
  func triggers() throws {
    let container = try file().container(
      CrossA.self, CrossA_l.self, CrossA_t.self, CrossLeaf.self)
    let context = ModelContext(container)
    let first = CrossA(1)
    first.t_u = "Hekla"
    first.l_m = CrossLeaf("a")
    context.insert(first)
    context.insert(CrossA_l(CrossLeaf("b")))
    context.insert(CrossA_t("Etna"))
    try context.save()
    let one = FetchDescriptor<CrossA>(
      predicate: #Predicate { $0.t_u.localizedStandardContains("hekla") })
    let other = FetchDescriptor<CrossA_t>(
      predicate: #Predicate { $0.u.localizedStandardContains("etna") })
    #expect(try ModelContext(container).fetchCount(one) == 1)
    #expect(try ModelContext(container).fetchCount(other) == 1)
    // As another program would: the rules are in the file.
    let shell = try SQLiteFile(try file().file)
    try shell.run("PRAGMA foreign_keys = ON")
    try shell.run("DELETE FROM CrossA; DELETE FROM CrossA_l")
    #expect(try file().value("SELECT count(*) FROM CrossLeaf") == "0")
  }

  @Test("names with apostrophes, quotes and spaces are names like others")
  func quotes() throws {
    let container = try file().container(`O'Hara`.self, `O'Hara's son`.self, CrossLeaf.self)
    let context = ModelContext(container)
    let parent = `O'Hara`("a")
    parent.leaf = CrossLeaf("leaf")
    context.insert(parent)
    context.insert(`O'Hara's son`("b"))
    try context.save()
    let again = ModelContext(
      try file().container(`O'Hara`.self, `O'Hara's son`.self, CrossLeaf.self))
    #expect(try again.fetchCount(FetchDescriptor<`O'Hara`>()) == 2)
    #expect(try again.fetch(FetchDescriptor<`O'Hara's son`>()).map(\.code) == ["b"])
    let quoted = FetchDescriptor<`O'Hara`>(
      predicate: #Predicate { $0.title.localizedStandardContains("quoted") })
    #expect(try again.fetchCount(quoted) == 2)
    again.insert(`O'Hara's son`("b"))
    try again.delete(model: `O'Hara`.self, where: #Predicate { $0.code == "a" })
    try again.save()
    #expect(try again.fetchCount(FetchDescriptor<`O'Hara`>()) == 1)
    #expect(try again.fetchCount(FetchDescriptor<CrossLeaf>()) == 0)
    #expect(try again.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
  }

  @Test(
    "names that a store reserves are refused, with a remedy",
    .enabled(if: StoreKind.tested == .sqlite, "is about SQLite's names"),
    arguments: [
      ([_metadata.self], "_metadata", ""), ([_history_change.self], "_history_change", ""),
      ([sqlite_x.self], "sqlite_x", ""),
      ([OwnEntity.self, OwnEntityHeir.self], "OwnEntity", "_entity"),
    ] as [([any PersistentModel.Type], String, String)])
  func reserved(_ types: [any PersistentModel.Type], _ entity: String, _ property: String) throws {
    for isInMemory in [true, false] {
      #expect {
        _ = try ModelContainer(
          for: Schema(types),
          configurations: isInMemory
            ? ModelConfiguration(isStoredInMemoryOnly: true)
            : ModelConfiguration(url: try file().file))
      } throws: { error in
        guard let error = error as? SchemaError else { return false }
        return error.code == .reservedName && error.entity == entity
          && error.property == property && error.description.contains("Rename")
      }
    }
  }

  @Test("a property may have the name of the column with the row ID")
  func rowID() throws {
    let container = try memoryContainer(OwnRowID.self)
    let context = ModelContext(container)
    for (number, id) in ["a", "b", "a"].enumerated() {
      context.insert(OwnRowID(id, note: number))
      try context.save()
    }
    let fetched = try ModelContext(container).fetch(
      FetchDescriptor<OwnRowID>(sortBy: [SortDescriptor(\._id)]))
    #expect(fetched.map(\._id) == ["a", "b"] && fetched.map(\.note) == [2, 1])
    try context.delete(model: OwnRowID.self, where: #Predicate { $0._id == "a" })
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<OwnRowID>()).map(\.note) == [1])
  }

  @Test("a class with the name of another's view is refused")
  func views() throws {
    #expect {
      _ = try memoryContainer(CrossLeaf.self, CrossLeaf_readable.self)
    } throws: { error in
      (error as? SchemaError)?.code == .nameClash && "\(error)".contains("CrossLeaf_readable")
    }
  }

  @Test(
    "a file in which an earlier version gave an index its name opens, and gets the new one",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func earlierNames() throws {
    let store = try file()
    do {
      let context = ModelContext(try store.container(CrossA_x.self))
      context.insert(CrossA_x(1))
      try context.save()
    }
    let name = "CrossA_x_y:8,1_unique"
    #expect(try store.value("SELECT name FROM sqlite_schema WHERE name LIKE '%unique'") == name)
    try store.execute("DROP INDEX \"\(name)\"")
    try store.execute("CREATE UNIQUE INDEX \"CrossA_x_y_unique\" ON \"CrossA_x\" (\"y\")")
    try store.execute(
      "UPDATE _metadata SET value = replace(value, '\(name)', 'CrossA_x_y_unique') WHERE key = 'schema'"
    )
    try store.execute("UPDATE _metadata SET value = 'CrossA_x 00' WHERE key = 'schema.hashes'")
    let reading = ModelContext(try store.container(CrossA_x.self, allowsSave: false))
    #expect(try reading.fetch(FetchDescriptor<CrossA_x>()).map(\.z) == [1])
    let context = ModelContext(try store.container(CrossA_x.self))
    #expect(try context.fetch(FetchDescriptor<CrossA_x>()).map(\.z) == [1])
    #expect(try store.values("SELECT name FROM sqlite_schema WHERE name LIKE '%unique'") == [name])
    context.insert(CrossA_x(1))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<CrossA_x>()) == 1)
    #expect(try context.history().count == 1)
  }
}
