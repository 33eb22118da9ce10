import Dispatch
import SwiftData
import SwiftDataExtras
import SwiftDataSQLite
import Synchronization
import Testing

@Suite(
  "A backup of a container", .enabled(if: StoreKind.tested == .sqlite, "is about files"),
  .timeLimit(.minutes(20)))
struct BackupTests {
  private let store: TemporaryStore
  private var backup: URL { store.folder.appending(path: "backup") }

  init() throws { store = try TemporaryStore() }

  /// Returns more bytes than are stored in a row, different for each seed.
  private static func large(_ seed: UInt8) -> Data {
    Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) ^ seed })
  }

  private func entries(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func open(
    _ types: any PersistentModel.Type..., named name: String = "test.store",
    key: EncryptionKey? = nil, allowsSave: Bool = true
  ) throws -> ModelContext {
    var configuration = ModelConfiguration(
      url: backup.appending(path: name), allowsSave: allowsSave)
    configuration.encryptionKey = key
    return ModelContext(
      try ModelContainer(for: Schema(types), configurations: [configuration]))
  }

  private static func images(_ context: ModelContext) throws -> [Data] {
    try context.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.name)])).map(\.image)
  }

  private func filled() throws -> ModelContainer {
    let container = try store.container(Photo.self)
    let context = ModelContext(container)
    context.insert(Photo(name: "a", image: Self.large(1)))
    context.insert(Photo(name: "b", image: Data([2])))
    try context.save()
    return container
  }

  /// Replaces all images, after which no row names the former files.
  private static func replace(_ container: ModelContainer, _ image: Data) throws {
    let context = ModelContext(container)
    for photo in try context.fetch(FetchDescriptor<Photo>()) { photo.image = image }
    try context.save()
    // A later save removes what an earlier one left.
    context.insert(Photo(name: UUID().uuidString, image: Data()))
    try context.save()
  }

  @Test("has all rows, the history and the identifiers, and nothing that is saved later")
  func everything() throws {
    let container = try filled()
    let context = ModelContext(container)
    context.insert(Photo(name: "unsaved", image: Data()))
    try BackupProbe.install(reached: { moment in
      guard moment == "database" else { return }
      do { try Self.replace(container, Data([9])) } catch { Issue.record(error) }
    }) {
      try container.backup(to: backup)
    }
    for allowsSave in [false, true] {
      let copy = try open(Photo.self, allowsSave: allowsSave)
      #expect(try Self.images(copy) == [Self.large(1), Data([2])])
      #expect(
        copy.container.storeIdentifier(forConfigurationNamed: "test")
          == container.storeIdentifier(forConfigurationNamed: "test"))
      #expect(try copy.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    }
    // A file that no row names any more stayed for the backup, and goes with the next save.
    let external = store.folder.appending(path: ".test.store_SUPPORT/external")
    #expect(try entries(external).count == 1)
    try context.save()
    #expect(try entries(external).isEmpty)
    // The copy is a store of its own.
    let copy = try open(Photo.self)
    copy.insert(Photo(name: "c", image: Self.large(3)))
    try copy.save()
    #expect(try entries(backup.appending(path: ".test.store_SUPPORT/external")).count == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Photo>()) == 4)
  }

  @Test("by other programs' means has large values, under the lock of readers")
  func commands() throws {
    let container = try filled()
    try FileManager.default.createDirectory(at: backup, withIntermediateDirectories: false)
    let support = store.folder.appending(path: ".test.store_SUPPORT")
    let lock = Foundation.open(support.appending(path: "readers").path, O_RDONLY)
    try #require(lock >= 0 && flock(lock, LOCK_SH) == 0)
    let file = backup.appending(path: "test.store")
    try SQLiteFile(store.file).run("VACUUM INTO '\(file.path)'")
    try Self.replace(container, Data([9]))
    try FileManager.default.copyItem(
      at: support, to: backup.appending(path: ".test.store_SUPPORT"))
    close(lock)
    #expect(try Self.images(open(Photo.self)) == [Self.large(1), Data([2])])
  }

  @Test("has the large values of classes that the container doesn't name")
  func otherClasses() throws {
    do {
      let context = ModelContext(try store.container(Photo.self, CountMark.self))
      context.insert(Photo(name: "a", image: Self.large(1)))
      try context.save()
    }
    let (marks, all) = (
      try store.container(CountMark.self), try store.container(Photo.self, CountMark.self)
    )
    try BackupProbe.install(reached: { moment in
      guard moment == "database" else { return }
      do { try Self.replace(all, Data([9])) } catch { Issue.record(error) }
    }) {
      try marks.backup(to: backup)
    }
    #expect(try Self.images(open(Photo.self, CountMark.self)) == [Self.large(1)])
  }

  @Test("has what toolkits keep beside the store, without locks")
  func supportFolder() throws {
    let container = try filled()
    let folder = store.folder.appending(path: ".test.store_SUPPORT/sync/user")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("upload".utf8).write(to: folder.appending(path: "file"))
    #expect(symlink("/", folder.appending(path: "link").path) == 0)
    try container.backup(to: backup)
    let copied = backup.appending(path: ".test.store_SUPPORT")
    #expect(try entries(copied) == ["external", "sync"])
    #expect(try entries(copied.appending(path: "sync/user")) == ["file"])
    #expect(
      try Data(contentsOf: copied.appending(path: "sync/user/file")) == Data("upload".utf8))
    let error = #expect(throws: StoreError.self) {
      try container.backup(to: folder.appending(path: "backup"))
    }
    #expect(error?.code == .cannotOpen)
    #expect(try entries(folder) == ["file", "link"])
  }

  @Test("of encrypted values is encrypted with the same key")
  func encrypted() throws {
    let key = EncryptionKey()
    let container = try store.container(Patient.self, encryptionKey: key)
    let context = ModelContext(container)
    context.insert(
      Patient(number: 1, name: "Ada Lovelace", scan: Data(repeating: 7, count: 120_000)))
    try context.save()
    try container.backup(to: backup)
    for other in [nil, EncryptionKey()] {
      let error = #expect(throws: StoreError.self) { _ = try open(Patient.self, key: other) }
      #expect(error?.code == (other == nil ? .missingKey : .wrongKey))
    }
    let found = try open(Patient.self, key: key).fetch(FetchDescriptor<Patient>())
    #expect(found.map(\.name) == ["Ada Lovelace"] && found.map(\.scan.count) == [120_000])
    let files = FileManager.default.enumerator(at: backup, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where !file.hasDirectoryPath {
      let bytes = try Data(contentsOf: file)
      for secret in ["Lovelace", String(repeating: "\u{7}", count: 16)] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file.lastPathComponent)")
      }
    }
  }

  @Test("is readable by those who may read the store")
  func access() throws {
    let container = try filled()
    #expect(chmod(store.file.path, 0o600) == 0)
    try container.backup(to: backup)
    #expect(permissions(of: backup) == 0o700)
    #expect(permissions(of: backup.appending(path: "test.store")) == 0o600)
  }

  private func permissions(of file: URL) -> mode_t? {
    var status = stat()
    return stat(file.path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test("replaces nothing", arguments: ["folder", "empty folder", "file", "link"])
  func occupied(_ what: String) throws {
    let container = try filled()
    let files = FileManager.default
    switch what {
    case "folder":
      try files.createDirectory(
        at: backup.appending(path: "inner"), withIntermediateDirectories: true)
    case "empty folder":
      try files.createDirectory(at: backup, withIntermediateDirectories: true)
    case "file": try Data("theirs".utf8).write(to: backup)
    default: #expect(symlink(store.folder.path + "/nowhere", backup.path) == 0)
    }
    let before = try entries(store.folder)
    let error = #expect(throws: StoreError.self) { try container.backup(to: backup) }
    #expect(error?.code == .alreadyExists)
    #expect(error?.path == backup.path)
    #expect(try entries(store.folder) == before)
    if what == "file" { #expect(try Data(contentsOf: backup) == Data("theirs".utf8)) }
  }

  @Test("that something else takes the place of meanwhile leaves that, and nothing of its own")
  func occupiedMeanwhile() throws {
    let container = try filled()
    let before = try entries(store.folder)
    let error = #expect(throws: StoreError.self) {
      try BackupProbe.install(reached: { [backup] moment in
        guard moment == "complete" else { return }
        do { try Data("theirs".utf8).write(to: backup) } catch { Issue.record(error) }
      }) {
        try container.backup(to: backup)
      }
    }
    #expect(error?.code == .alreadyExists)
    #expect(try Data(contentsOf: backup) == Data("theirs".utf8))
    #expect(try entries(store.folder) == (before + ["backup"]).sorted())
  }

  @Test("of a store that lacks a file fails, and leaves nothing")
  func missingFile() throws {
    let container = try filled()
    let folder = store.folder.appending(path: ".test.store_SUPPORT/external")
    let name = try #require(try entries(folder).first)
    try FileManager.default.removeItem(at: folder.appending(path: name))
    let before = try entries(store.folder)
    let error = #expect(throws: StoreError.self) { try container.backup(to: backup) }
    #expect(error?.code == .missingFile)
    #expect(error?.description.contains(name) == true)
    #expect(try entries(store.folder) == before)
    let nowhere = #expect(throws: StoreError.self) {
      try container.backup(to: backup.appending(path: "inner"))
    }
    #expect(nowhere?.code == .cannotOpen)
    #expect(try entries(store.folder) == before)
  }

  @Test("ends with its task, and leaves nothing", arguments: ["database", "files", "complete"])
  func cancelled(_ moment: String) async throws {
    let container = try filled()
    let before = try entries(store.folder)
    let outcome = await Task { [backup] in
      try BackupProbe.install(reached: {
        if $0 == moment { withUnsafeCurrentTask { $0?.cancel() } }
      }) {
        try container.backup(to: backup)
      }
    }.result
    if moment == "complete" {
      // It is too late.
      try outcome.get()
      #expect(try Self.images(open(Photo.self)) == [Self.large(1), Data([2])])
    } else {
      #expect(throws: CancellationError.self) { try outcome.get() }
      #expect(try entries(store.folder) == before)
    }
  }

  @Test("by a program that is killed isn't taken for a whole one")
  func killed() async throws {
    let path = store.folder.path
    do { _ = try filled() }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let folder = URL(filePath: path)
      let container = try ModelContainer(
        for: Photo.self,
        configurations: ModelConfiguration(url: folder.appending(path: "test.store")))
      try BackupProbe.install(reached: { if $0 == "complete" { kill(getpid(), SIGKILL) } }) {
        try container.backup(to: folder.appending(path: "backup"))
      }
    }
    let left = try entries(store.folder)
    #expect(!left.contains("backup"))
    #expect(left.count { $0.hasPrefix(".backup-") && $0.hasSuffix(".unfinished") } == 1)
    try store.container(Photo.self).backup(to: backup)
    #expect(try Self.images(open(Photo.self)) == [Self.large(1), Data([2])])
  }

  @Test("of several stores has a save over them in all copies, also one that is being committed")
  func severalStores() throws {
    let container = try store.pair()
    let context = ModelContext(container)
    context.insert(Tally("before"))
    context.insert(CountMark("before"))
    try context.save()
    let (between, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let saved = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      let context = ModelContext(container)
      context.insert(Tally("after"))
      context.insert(CountMark("after"))
      do {
        try JointSaveProbe.install(reached: { moment in
          guard moment.hasPrefix("committing") else { return }
          between.signal()
          goOn.wait()
        }) { try context.save() }
      } catch { Issue.record(error) }
      saved.signal()
    }
    between.wait()
    let count = Mutex(0)
    do {
      defer { goOn.signal() }
      try BackupProbe.install(reached: { moment in
        guard moment == "torn" else { return }
        guard
          count.withLock({ count in
            count += 1
            return count == 1
          })
        else { return }
        goOn.signal()
        saved.wait()
      }) {
        try container.backup(to: backup)
      }
    }
    #expect(count.withLock { $0 } == 1)
    let copy = ModelContext(try TemporaryStore.pair(backup))
    #expect(try copy.names() == ["after", "before", "after", "before"])
    #expect(try copy.container.incompleteSaves().isEmpty)
  }

  @Test(
    "of which a store is in memory waits for a save over both, and has it in both copies",
    arguments: [(hasFile: false, moment: "prepared"), (hasFile: true, moment: "committing")])
  func besidesMemory(hasFile: Bool, moment: String) throws {
    let container = try joined(hasFile: hasFile)
    let (group, folder) = (DispatchGroup(), backup)
    let context = ModelContext(container)
    context.insert(Tally("one"))
    context.insert(CountMark("one"))
    do {
      defer { group.wait() }
      try JointSaveProbe.install(reached: { reached in
        guard reached.hasPrefix(moment) else { return }
        DispatchQueue.global().async(group: group) {
          do { try container.backup(to: folder) } catch { Issue.record(error) }
        }
        // It can't end before the save, which goes on after this time.
        #expect(group.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
      }) { try context.save() }
    }
    let (tallies, marks) = (
      try open(Tally.self, named: "tallies.store"), try open(CountMark.self, named: "marks.store")
    )
    #expect(try tallies.fetchCount(FetchDescriptor<Tally>()) == 1)
    #expect(try marks.fetchCount(FetchDescriptor<CountMark>()) == 1)
  }

  /// Makes a container with the marks in memory and the tallies in memory or in a file. A save goes by the stores'
  /// identifiers, which are random: the file's comes first, and that of marks comes before that of tallies in memory.
  private func joined(hasFile: Bool) throws -> ModelContainer {
    while true {
      let tallies =
        hasFile
        ? ModelConfiguration(
          "tallies", schema: Schema([Tally.self]),
          url: store.folder.appending(path: "\(UUID().uuidString)/tallies.store"))
        : ModelConfiguration("tallies", schema: Schema([Tally.self]), isStoredInMemoryOnly: true)
      let container = try ModelContainer(
        for: Schema([Tally.self, CountMark.self]),
        configurations: [
          tallies,
          ModelConfiguration(
            "marks", schema: Schema([CountMark.self]), isStoredInMemoryOnly: true),
        ])
      let identifiers = ["tallies", "marks"].compactMap {
        container.storeIdentifier(forConfigurationNamed: $0)
      }
      if (identifiers == identifiers.sorted()) == hasFile { return container }
    }
  }

  @Test("of stores whose files have one name is refused")
  func sameNames() throws {
    let configurations = ["one", "two"].map { name in
      ModelConfiguration(
        name, schema: name == "one" ? Schema([Tally.self]) : Schema([CountMark.self]),
        url: store.folder.appending(path: "\(name)/test.store"))
    }
    let container = try ModelContainer(
      for: Schema([Tally.self, CountMark.self]), configurations: configurations)
    let error = #expect(throws: SwiftDataError.self) { try container.backup(to: backup) }
    #expect(error == .duplicateConfiguration)
    #expect(error?.description.contains("test.store") == true)
    #expect(try entries(store.folder) == ["one", "two"])
  }

  @Test("of a store in memory is a file, in which encrypted values need a key")
  func memory() throws {
    let container = try memoryContainer(Photo.self)
    let context = ModelContext(container)
    context.insert(Photo(name: "a", image: Self.large(1)))
    try context.save()
    try container.backup(to: backup)
    let copy = try open(Photo.self, named: "default.store")
    #expect(try Self.images(copy) == [Self.large(1)])
    copy.insert(Photo(name: "b", image: Self.large(2)))
    try copy.save()
    #expect(try Self.images(copy) == [Self.large(1), Self.large(2)])
    let error = #expect(throws: StoreError.self) {
      try memoryContainer(Patient.self).backup(to: backup.appending(path: "plain"))
    }
    #expect(error?.code == .missingKey)
    let key = EncryptionKey()
    let patients = try memoryContainer(Patient.self, encryptionKey: key)
    let other = ModelContext(patients)
    other.insert(Patient(number: 1, name: "Ada"))
    try other.save()
    try patients.backup(to: backup.appending(path: "encrypted"))
    let sealed = try open(Patient.self, named: "encrypted/default.store", key: key)
    #expect(try sealed.fetch(FetchDescriptor<Patient>()).map(\.name) == ["Ada"])
  }
}

@Suite("A backup of stores that aren't files")
struct UnsupportedBackupTests {
  @Test("is refused, and names other means")
  func refused() throws {
    let store = try TemporaryStore()
    let container =
      StoreKind.tested == .sqlite
      ? try ModelContainer(
        for: Schema([Invoice.self]),
        configurations: [NotebookConfiguration(schema: Schema([Invoice.self]))])
      : try store.container(Photo.self)
    let place = store.folder.appending(path: "backup")
    let error = #expect(throws: SwiftDataError.self) { try container.backup(to: place) }
    #expect(error == .unsupportedBackup)
    #expect(error?.description.contains("pg_dump") == true)
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }
}
