import Foundation
import SwiftData
import Testing

@testable import SwiftDataSQLite

/// Changes that SQLite alone, without a function of this library, makes to a store.
@Suite(
  "Other programs write to a store",
  .enabled(if: StoreKind.tested == .sqlite, "changes rows in SQLite's SQL"))
struct OtherProgramsTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore()
    let context = ModelContext(try store.container(Site.self))
    for name in ["Vesuvius", "Etna", "Stromboli"] {
      context.insert(Site(code: name, latitude: 1, longitude: 1, name: name))
    }
    try context.save()
  }

  private func found(_ part: String, _ context: ModelContext) throws -> [String] {
    let predicate = #Predicate<Site> { $0.name.localizedStandardContains(part) }
    return try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
  }

  @Test("rows of a table with an index of texts are inserted, changed and deleted, and found")
  func searchedTable() throws {
    let context = ModelContext(try store.container(Site.self))
    try store.execute("UPDATE Site SET name = 'Kraków' WHERE code = 'Etna'")
    #expect(try found("krak", context) == ["Kraków"])
    #expect(try found("etn", context) == [])
    try store.execute(
      "INSERT INTO Site (code, latitude, longitude, rank, name) VALUES ('h', 1, 1, 0, 'HEKLA')")
    #expect(try found("hekla", context) == ["HEKLA"])
    try store.execute("DELETE FROM Site WHERE code = 'Vesuvius'")
    #expect(try found("vesuv", context) == [])
    try store.execute("UPDATE Site SET _id = 77 WHERE code = 'Stromboli'")
    #expect(try found("strom", ModelContext(try store.container(Site.self))) == ["Stromboli"])
    try store.execute(
      "INSERT OR REPLACE INTO Site SELECT 77, code, latitude, longitude, rank, 'Ätna' FROM Site WHERE _id = 77"
    )
    let fresh = ModelContext(try store.container(Site.self))
    #expect(try found("atna", fresh) == ["Ätna"])
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("their changes are in the index after the next save and the next opening")
  func refreshing() throws {
    let container = try store.container(Site.self)
    try store.execute("UPDATE Site SET name = 'Hekla' WHERE code = 'Etna'")
    #expect(try store.value("SELECT count(*) FROM _search_stale") == "1")
    let context = ModelContext(container)
    let others = FetchDescriptor<Site>(predicate: #Predicate { $0.code == "Vesuvius" })
    try #require(try context.fetch(others).first).rank = 9
    try context.save()
    #expect(try store.value("SELECT count(*) FROM _search_stale") == "0")
    #expect(
      try store.values("SELECT rowid FROM Site_name_search WHERE Site_name_search MATCH 'hek'")
        == ["2"])
    #expect(
      try store.values("SELECT rowid FROM Site_name_search WHERE Site_name_search MATCH 'etn'")
        == [])
    try store.execute("UPDATE Site SET name = 'Fuji' WHERE code = 'Etna'")
    _ = try store.container(Site.self)
    #expect(try store.value("SELECT count(*) FROM _search_stale") == "0")
    #expect(try found("fuj", context) == ["Fuji"])
  }

  @Test("own saves leave nothing to be done, and a reader without rights finds all")
  func ownSaves() throws {
    #expect(try store.value("SELECT count(*) FROM _search_stale") == "0")
    let context = ModelContext(try store.container(Site.self))
    for site in try context.fetch(FetchDescriptor<Site>()) { site.name += " volcano" }
    try context.save()
    #expect(try store.value("SELECT count(*) FROM _search_stale") == "0")
    #expect(try found("volcano", context).count == 3)
    #expect(
      try found("volcano", ModelContext(try store.container(Site.self, allowsSave: false))).count
        == 3)
  }

  @Test(
    "a file whose triggers need the function, as earlier versions made it, is brought up to date")
  func earlierTriggers() throws {
    for ending in ["insert", "update", "delete"] {
      try store.execute("DROP TRIGGER Site_name_search_\(ending)")
    }
    try store.execute("DROP TABLE _search_stale")
    try store.execute(
      """
      CREATE TRIGGER Site_name_search_update AFTER UPDATE OF "_id", "name" ON "Site" BEGIN
      INSERT INTO Site_name_search (rowid, text) VALUES (new._id, osd_search_key(new.name)); END
      """)
    try store.execute(
      """
      CREATE TRIGGER Site_name_search_insert AFTER INSERT ON "Site" BEGIN
      INSERT INTO Site_name_search (rowid, text) VALUES (new._id, osd_search_key(new.name)); END
      """)
    #expect(throws: (any Error).self) { try store.execute("UPDATE Site SET name = 'x'") }
    let reading = ModelContext(try store.container(Site.self, allowsSave: false))
    #expect(try found("etn", reading) == ["Etna"])
    let context = ModelContext(try store.container(Site.self))
    #expect(try found("etn", context) == ["Etna"])
    try store.execute("UPDATE Site SET name = 'Hekla' WHERE code = 'Etna'")
    #expect(try found("hek", context) == ["Hekla"])
    #expect(
      try store.value("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%osd_%'") == "0")
  }

  @Test("a file of another program that is refused keeps its bytes, the write-ahead log's too")
  func foreignLog() throws {
    let place = try TemporaryStore()
    let theirs = place.folder.appending(path: "theirs.db")
    let database = try SQLiteFile(theirs)
    try database.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    // As a killed program leaves the files.
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: theirs.path + ending, toPath: place.file.path + ending)
    }
    let log = URL(fileURLWithPath: place.file.path + "-wal")
    let before = [try Data(contentsOf: place.file), try Data(contentsOf: log)]
    #expect {
      _ = try place.container(Site.self)
    } throws: { error in
      (error as? StoreError)?.code == .foreignFile
    }
    #expect([try Data(contentsOf: place.file), try Data(contentsOf: log)] == before)
  }

  @Test("no trigger, index or view of a store needs a function of this library")
  func functions() throws {
    for sql in try store.values("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") {
      #expect(sql?.contains("osd_") == false && sql?.contains("OSD_") == false)
    }
  }

  @Test(
    "a trigger's refusal is reported as such, with its own message",
    arguments: ["ABORT", "FAIL", "ROLLBACK"])
  func refusals(_ kind: String) throws {
    try store.execute(
      """
      CREATE TRIGGER theirs BEFORE INSERT ON Site WHEN new.rank > 5
      BEGIN SELECT RAISE(\(kind), 'no rank above five'); END
      """)
    let context = ModelContext(try store.container(Site.self))
    context.insert(Site(code: "x", latitude: 0, longitude: 0, rank: 6))
    #expect {
      try context.save()
    } throws: { error in
      (error as? StoreError)?.code == .refusedByTrigger
        && "\(error)".contains("no rank above five")
    }
    context.rollback()
    context.insert(Site(code: "x", latitude: 0, longitude: 0, rank: 5))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Site>()) == 4)
  }
}
