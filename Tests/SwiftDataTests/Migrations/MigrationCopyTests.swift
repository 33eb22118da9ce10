import SwiftData
import SwiftDataSQLite
import Testing

/// The versions of a class that loses its large values.
private enum PictureForms {
  enum First {
    @Model
    final class Picture {
      var name: String
      @Attribute(.externalStorage) var bytes: Data?
      init(_ name: String, _ bytes: Data?) {
        self.name = name
        self.bytes = bytes
      }
    }
  }

  enum Second {
    @Model
    final class Picture {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }
}

@Suite(
  "An error about a migration's copy contains the store's state",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct MigrationCopyTests {
  private typealias Old = ParcelForms.First.Parcel
  private typealias New = ParcelForms.Second.Parcel

  private func filled() throws -> TemporaryStore {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Old.self))
    for number in 1...4 { context.insert(Old(number)) }
    try context.save()
    return store
  }

  private func open(_ store: TemporaryStore, _ backup: MigrationBackup) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: store.file)
    configuration.migrationBackup = backup
    return try ModelContainer(for: Schema([New.self]), configurations: [configuration])
  }

  private func copy(of store: TemporaryStore) -> URL {
    ModelConfiguration(url: store.file).migrationBackupURL
  }

  /// The path of the copy until the migration is committed.
  private func unfinishedCopy(of store: TemporaryStore) -> String { copy(of: store).path + ".new" }

  private func isMigrated(_ store: TemporaryStore) throws -> Bool {
    try store.value("SELECT count(*) FROM pragma_table_info('Parcel') WHERE name = 'title'") == "1"
  }

  /// Checks that the next opening finishes the copy.
  private func checkNextOpening(_ store: TemporaryStore, _ backup: MigrationBackup) throws {
    let context = ModelContext(try open(store, backup))
    #expect(try context.fetchCount(FetchDescriptor<New>()) == 4)
    #expect(
      try store.value("SELECT count(*) FROM _metadata WHERE key = 'migration.backup'") == "0")
    #expect(!FileManager.default.fileExists(atPath: unfinishedCopy(of: store)))
    #expect(FileManager.default.fileExists(atPath: copy(of: store).path) == (backup == .kept))
  }

  @Test("a copy that can't be made leaves the store as it was")
  func making() throws {
    let store = try filled()
    try FileManager.default.createDirectory(
      atPath: unfinishedCopy(of: store), withIntermediateDirectories: false)
    let error = #expect(throws: MigrationError.self) { _ = try open(store, .kept) }
    let text = error?.description ?? ""
    #expect(error?.code == .backupFailed)
    #expect(text.contains("can't be migrated") && text.contains("Nothing was changed"), "\(text)")
    #expect(text.contains(unfinishedCopy(of: store)), "\(text)")
    #expect(try !isMigrated(store))
    // The remedy that the error names.
    _ = try open(store, .none)
    #expect(try isMigrated(store))
  }

  @Test("a copy that can't take its place after the commit leaves a migrated store")
  func keeping() throws {
    let store = try filled()
    let place = copy(of: store)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    let error = #expect(throws: MigrationError.self) { _ = try open(store, .kept) }
    let text = error?.description ?? ""
    #expect(error?.code == .backupFailed)
    #expect(text.contains("was migrated, but") && text.contains(place.path), "\(text)")
    #expect(!text.contains("Nothing was changed") && !text.contains("can't be migrated"), "\(text)")
    #expect(try isMigrated(store))
    try FileManager.default.removeItem(at: place)
    try checkNextOpening(store, .kept)
  }

  @Test("a copy that can't be removed after the commit leaves a migrated store")
  func removing() throws {
    let store = try filled()
    let unfinished = unfinishedCopy(of: store)
    let error = #expect(throws: MigrationError.self) {
      try MigrationProbe.install(reached: { moment in
        guard moment == "commit" else { return }
        do {
          try FileManager.default.removeItem(atPath: unfinished)
          try FileManager.default.createDirectory(
            atPath: unfinished, withIntermediateDirectories: false)
        } catch { Issue.record(error) }
      }) {
        _ = try open(store, .automatic)
      }
    }
    let text = error?.description ?? ""
    #expect(text.contains("was migrated, but") && text.contains(unfinished), "\(text)")
    #expect(!text.contains("Nothing was changed") && !text.contains("can't be migrated"), "\(text)")
    #expect(try isMigrated(store))
    try FileManager.default.removeItem(atPath: unfinished)
    try checkNextOpening(store, .automatic)
  }

  @Test("a refused record that the copy is in order leaves a migrated store")
  func recording() throws {
    let store = try filled()
    try store.execute(
      "CREATE TRIGGER refusal BEFORE DELETE ON _metadata WHEN OLD.key = 'migration.backup'"
        + " BEGIN SELECT RAISE(ABORT, 'not this one'); END")
    let error = #expect(throws: StoreError.self) { _ = try open(store, .automatic) }
    #expect(error?.code == .refusedByTrigger)
    #expect(error?.description.contains("it was migrated, but") == true)
    #expect(try isMigrated(store))
    try store.execute("DROP TRIGGER refusal")
    try checkNextOpening(store, .automatic)
  }

  @Test("a copy can be read by those who may read the store")
  func access() throws {
    let store = try filled()
    #expect(chmod(store.file.path, 0o600) == 0)
    _ = try open(store, .kept)
    var status = stat()
    try #require(stat(copy(of: store).path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("the copy with the files in its folder, in the place of the store's, leads back")
  func back() throws {
    let store = try TemporaryStore()
    let bytes = Data(repeating: 1, count: 200_000)
    do {
      let context = ModelContext(try store.container(PictureForms.First.Picture.self))
      context.insert(PictureForms.First.Picture("a", bytes))
      try context.save()
    }
    _ = try store.container(PictureForms.Second.Picture.self)
    let files = FileManager.default
    let folder = store.folder.appending(path: ".test.store_SUPPORT/external")
    let kept = store.folder.appending(path: ".test.store.before-migration_SUPPORT/external")
    #expect(try files.contentsOfDirectory(atPath: folder.path).isEmpty)
    try files.removeItem(at: store.file)
    for ending in ["-wal", "-shm"] where files.fileExists(atPath: store.file.path + ending) {
      try files.removeItem(atPath: store.file.path + ending)
    }
    try files.copyItem(at: copy(of: store), to: store.file)
    for name in try files.contentsOfDirectory(atPath: kept.path) {
      try files.copyItem(at: kept.appending(path: name), to: folder.appending(path: name))
    }
    let context = ModelContext(try store.container(PictureForms.First.Picture.self))
    let found = try context.fetch(FetchDescriptor<PictureForms.First.Picture>())
    #expect(found.map(\.bytes) == [bytes])
  }
}
