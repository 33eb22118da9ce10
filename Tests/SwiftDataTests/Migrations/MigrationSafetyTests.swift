import CSQLite
import SwiftData
import SwiftDataExtras
import SwiftDataSQLite
import Synchronization
import Testing

@Suite(
  "A migration leaves the old store or the new one",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct MigrationSafetyTests {
  private typealias Old = ParcelForms.First.Parcel
  private typealias New = ParcelForms.Second.Parcel

  private func filled(_ store: TemporaryStore, count: Int = 4) throws {
    let context = ModelContext(try store.container(Old.self))
    for number in 1...count { context.insert(Old(number)) }
    try context.save()
  }

  private func copyExists(_ store: TemporaryStore) -> Bool {
    FileManager.default.fileExists(
      atPath: ModelConfiguration(url: store.file).migrationBackupURL.path)
  }

  private func open(
    _ store: TemporaryStore, _ type: any PersistentModel.Type,
    _ backup: MigrationBackup = .automatic,
    timeout: TimeInterval = 60
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: store.file)
    configuration.migrationBackup = backup
    configuration.migrationTimeout = timeout
    return try ModelContainer(for: Schema([type]), configurations: [configuration])
  }

  @Test("the copy is removed when nothing was dropped, kept on request, or not made")
  func copies() throws {
    for (backup, stays) in [(MigrationBackup.automatic, false), (.kept, true), (.none, false)] {
      let store = try TemporaryStore()
      try filled(store)
      _ = try open(store, New.self, backup)
      #expect(copyExists(store) == stays)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
          .filter { $0.hasSuffix(".new") } == [])
    }
  }

  @Test("a full disk is an error, and the store is unchanged")
  func fullDisk() throws {
    let store = try TemporaryStore()
    try filled(store, count: 2_000)
    #expect {
      try MigrationProbe.install(began: { database in
        // No page may be added to the existing ones.
        sqlite3_exec(database, "PRAGMA max_page_count = 1", nil, nil, nil)
      }) {
        _ = try open(store, New.self)
      }
    } throws: { error in
      (error as? StoreError)?.code == .diskFull
    }
    #expect(!copyExists(store))
    let context = ModelContext(try store.container(Old.self))
    #expect(try context.fetchCount(FetchDescriptor<Old>()) == 2_000)
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("a read-only store that fits is read, and one that doesn't is refused")
  func readOnly() throws {
    let store = try TemporaryStore()
    try filled(store)
    let context = ModelContext(try store.container(Old.self, allowsSave: false))
    #expect(try context.fetchCount(FetchDescriptor<Old>()) == 4)
    #expect {
      _ = try store.container(New.self, allowsSave: false)
    } throws: { error in
      (error as? MigrationError)?.code == .readOnly
        && "\(error)".contains("Parcel.colour is new: String")
    }
  }

  @Test("opening waits for the migration of another process, up to a limit")
  func waiting() throws {
    let store = try TemporaryStore()
    try filled(store)
    let other = try SQLiteFile(store.file)
    try other.run("BEGIN IMMEDIATE")
    #expect {
      _ = try open(store, New.self, timeout: 0.05)
    } throws: { error in
      (error as? MigrationError)?.code == .busy
    }
    try other.run("ROLLBACK")
    _ = try open(store, New.self, timeout: 0.05)
  }

  @Test("readers that are open see the old rows until the migration is committed")
  func isolation() throws {
    let store = try TemporaryStore()
    try filled(store)
    let reader = try SQLiteFile(store.file)
    let seen = Mutex<[Int64]>([])
    let file = store.file
    try MigrationProbe.install(reached: { moment in
      guard moment == "commit" else { return }
      do {
        let reader = try SQLiteFile(file)
        let count = try reader.integer(
          "SELECT count(*) FROM pragma_table_info('Parcel') WHERE name = 'label'")
        seen.withLock { $0.append(count) }
      } catch { seen.withLock { $0.append(-1) } }
    }) {
      _ = try open(store, New.self)
    }
    #expect(seen.withLock { $0 } == [1])
    #expect(
      try reader.integer(
        "SELECT count(*) FROM pragma_table_info('Parcel') WHERE name = 'title'") == 1)
  }

  @Test("a store that fits is opened with one look at its metadata")
  func openingCost() throws {
    let store = try TemporaryStore()
    try filled(store)
    let migrations = Mutex(0)
    let before = try Data(contentsOf: store.file)
    try MigrationProbe.install(began: { _ in migrations.withLock { $0 += 1 } }) {
      _ = try store.container(Old.self)
      _ = try store.container(Old.self)
    }
    #expect(migrations.withLock { $0 } == 0)
    #expect(try Data(contentsOf: store.file) == before)
  }

  @Test("a file that was made before schemas were kept in it is adopted, or migrated")
  func undescribed() throws {
    for type in [Old.self, New.self] as [any PersistentModel.Type] {
      let store = try TemporaryStore()
      try filled(store)
      try store.execute("DELETE FROM _metadata WHERE key LIKE 'schema%'")
      _ = try open(store, type)
      #expect(try store.value("SELECT count(*) FROM Parcel") == "4")
      #expect(try store.value("SELECT count(*) FROM _metadata WHERE key = 'schema'") == "1")
    }
  }

  @Test("a container that has the old models open writes nothing into the new tables")
  func openElsewhere() throws {
    let store = try TemporaryStore()
    try filled(store)
    let container = try store.container(Old.self)
    let context = ModelContext(container)
    let parcels = try context.fetch(FetchDescriptor<Old>())
    _ = try open(store, New.self)
    parcels[0].weight = 1
    context.insert(Old(9))
    #expect {
      try context.save()
    } throws: { error in
      (error as? StoreError)?.code == .schemaMismatch
    }
    #expect(throws: StoreError.self) { _ = try BatchUpsert<Old>(container) }
    let fetches: [() throws -> Void] = [
      { _ = try ModelContext(container).fetch(FetchDescriptor<Old>()) },
      { _ = try context.fetchCount(FetchDescriptor<Old>(predicate: #Predicate { $0.label > "" })) },
    ]
    for fetch in fetches {
      do {
        try fetch()
        Issue.record("rows of other tables were read")
      } catch let error as StoreError { #expect(error.code == .schemaMismatch) }
    }
    #expect(try store.value("SELECT count(*) FROM Parcel") == "4")
  }

  @Test("a user's own additions to the file stay as far as they fit")
  func ownObjects() throws {
    let store = try TemporaryStore()
    try filled(store)
    try store.execute("CREATE INDEX mine ON Parcel (weight)")
    try store.execute("CREATE INDEX gone ON Parcel (label)")
    try store.execute("CREATE VIEW heavy AS SELECT * FROM Parcel WHERE weight > 20")
    try store.execute("CREATE TABLE notes (text)")
    _ = try open(store, New.self)
    #expect(
      try store.values(
        "SELECT name FROM sqlite_schema WHERE name IN ('mine', 'gone', 'heavy', 'notes') ORDER BY 1"
      )
        == ["heavy", "mine", "notes"])
    #expect(try store.value("SELECT count(*) FROM heavy") == "2")
  }

  @Test("tables that another program changed are noticed at the next opening")
  func changedByHand() throws {
    let store = try TemporaryStore()
    try filled(store)
    try store.execute("ALTER TABLE Parcel RENAME COLUMN note TO remark")
    #expect {
      _ = try store.container(Old.self)
    } throws: { error in
      (error as? StoreError)?.code == .schemaMismatch && "\(error)".contains("remark")
    }
  }

  @Test("a program with models that the file has outgrown is refused when it would lose something")
  func outgrown() throws {
    let store = try TemporaryStore()
    try filled(store)
    do {
      let context = ModelContext(try open(store, New.self))
      let parcels = try context.fetch(FetchDescriptor<New>())
      #expect(parcels.count == 4)
    }
    #expect {
      _ = try open(store, Old.self)
    } throws: { error in
      (error as? SwiftDataError) == .backwardMigration
        && "\(error)".contains("values of Parcel.colour")
    }
    let schema = Schema([Old.self], version: Schema.Version(2, 0, 0))
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(url: store.file)]))
    #expect(try context.fetchCount(FetchDescriptor<Old>()) == 4)
  }

  @Test("a failed migration leaves the copy of an earlier one")
  func earlierCopy() throws {
    let store = try TemporaryStore()
    try filled(store)
    _ = try open(store, New.self, .kept)
    #expect(copyExists(store))
    #expect(throws: StoreError.self) {
      try MigrationProbe.install(began: { database in
        // Every statement is interrupted.
        sqlite3_progress_handler(database, 1, { _ in 1 }, nil)
      }) {
        _ = try open(store, ParcelForms.Least.Parcel.self, .kept)
      }
    }
    #expect(copyExists(store))
    let copy = ModelConfiguration(url: ModelConfiguration(url: store.file).migrationBackupURL)
    let old = ModelContext(try ModelContainer(for: Old.self, configurations: copy))
    #expect(try old.fetchCount(FetchDescriptor<Old>()) == 4)
  }

  @Test("a dry run lists its steps and changes nothing")
  func preview() throws {
    let store = try TemporaryStore()
    try filled(store)
    let before = try Data(contentsOf: store.file)
    let configuration = ModelConfiguration(url: store.file)
    func preview(_ type: any PersistentModel.Type) throws -> MigrationPreview {
      try ModelContainer.migrationPreview(for: Schema([type]), configuration: configuration)
    }
    #expect(try !preview(Old.self).isNeeded)
    let wide = try #require(try preview(New.self).stages.first)
    #expect(wide.tables.map(\.description) == ["rebuild Parcel (4 rows)"])
    #expect(wide.changes.contains { $0.kind == .renamedProperty && $0.property == "title" })
    #expect(wide.problems.isEmpty && wide.losses.isEmpty)
    let least = try #require(try preview(ParcelForms.Least.Parcel.self).stages.first)
    #expect(least.losses.contains { $0.description == "values of Parcel.label" && $0.rows == 4 })
    let refused = try preview(ParcelForms.Required.Parcel.self)
    #expect(refused.stages.first?.problems.map(\.rowCount) == [4])
    #expect(refused.description.contains("problem: Parcel.note can't be nil any more"))
    #expect(try Data(contentsOf: store.file) == before)
  }

  @Test("a dry run on an empty file, which opening would make a store, has no steps")
  func previewOfNothing() throws {
    let store = try TemporaryStore()
    try Data().write(to: store.file)
    let preview = try ModelContainer.migrationPreview(
      for: Schema([New.self]), configuration: ModelConfiguration(url: store.file))
    #expect(preview.stages.isEmpty)
    #expect(try Data(contentsOf: store.file).isEmpty)
  }

  @Test("a dry run makes no log beside a store that is closed, and reads that of an open one")
  func previewAndLog() throws {
    let store = try TemporaryStore()
    try filled(store)
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()
    }
    func tables() throws -> [String] {
      let preview = try ModelContainer.migrationPreview(
        for: Schema([New.self]), configuration: ModelConfiguration(url: store.file))
      return preview.stages.flatMap { $0.tables.map(\.description) }
    }
    let closed = try names()
    try #require(!closed.contains("test.store-wal"))
    #expect(try tables() == ["rebuild Parcel (4 rows)"])
    #expect(try names() == closed)
    let container = try store.container(Old.self)
    let context = ModelContext(container)
    context.insert(Old(5))
    try context.save()
    let inUse = try names()
    #expect(try tables() == ["rebuild Parcel (5 rows)"])
    #expect(try names() == inUse)
    withExtendedLifetime((container, context)) {}
  }
}
