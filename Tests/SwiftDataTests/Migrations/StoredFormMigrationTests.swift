import SwiftData
import Testing

@Suite(
  "Changes of the stored form and of indices migrate",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct StoredFormMigrationTests {
  private typealias Plain = LetterForms.Plain.Letter
  private static let scan = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  private func open(
    _ store: TemporaryStore, _ type: any PersistentModel.Type, hasKey: Bool = true,
    version: Schema.Version = Schema.Version(1, 0, 0)
  ) throws -> ModelContext {
    var configuration = ModelConfiguration(url: store.file)
    if hasKey {
      configuration.encryptionKey = EncryptionKey(Data(repeating: 7, count: 32))
    }
    return ModelContext(
      try ModelContainer(
        for: Schema([type], version: version), configurations: [configuration]))
  }

  private func filled(_ store: TemporaryStore) throws {
    let context = try open(store, Plain.self, hasKey: false)
    for number in 1...3 {
      context.insert(
        Plain(number, text: "dear reader \(number)", scan: number == 2 ? Self.scan : nil))
    }
    try context.save()
  }

  private func externalFiles(_ store: TemporaryStore) throws -> Int {
    let folder = store.folder.appending(path: ".test.store_SUPPORT/external")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).count
  }

  @Test("texts are encrypted and decrypted, files read back into their rows and written again")
  func sealing() throws {
    let store = try TemporaryStore()
    try filled(store)
    #expect(try externalFiles(store) == 1)
    do {
      let context = try open(store, LetterForms.Sealed.Letter.self)
      let letters = try context.fetch(
        FetchDescriptor<LetterForms.Sealed.Letter>(sortBy: [SortDescriptor(\.number)]))
      #expect(letters.map(\.text) == ["dear reader 1", "dear reader 2", "dear reader 3"])
      #expect(letters.allSatisfy { $0.mood == "calm" })
      #expect(letters.map(\.scan) == [nil, Self.scan, nil])
      #expect(
        Set(try store.values("SELECT typeof(text) || typeof(mood) FROM Letter")) == ["blobblob"])
      #expect(try externalFiles(store) == 0)
    }
    #expect {
      _ = try open(store, Plain.self, hasKey: false, version: Schema.Version(2, 0, 0))
    } throws: { error in
      (error as? StoreError)?.code == .missingKey
    }
    let context = try open(store, Plain.self, version: Schema.Version(2, 0, 0))
    let letters = try context.fetch(FetchDescriptor<Plain>(sortBy: [SortDescriptor(\.number)]))
    #expect(letters.map(\.text) == ["dear reader 1", "dear reader 2", "dear reader 3"])
    #expect(letters.map(\.scan) == [nil, Self.scan, nil])
    #expect(Set(try store.values("SELECT typeof(text) FROM Letter")) == ["text"])
    #expect(try store.value("PRAGMA integrity_check") == "ok")
  }

  @Test("search tables follow, and large values keep their files")
  func searching() throws {
    let store = try TemporaryStore()
    try filled(store)
    do {
      let context = try open(store, LetterForms.Searchable.Letter.self)
      let found = try context.fetch(
        FetchDescriptor<LetterForms.Searchable.Letter>(
          predicate: #Predicate { $0.text.localizedStandardContains("reader 2") }))
      #expect(found.map(\.picture) == [Self.scan])
      #expect(found.map(\.author) == ["sender 2"])
      #expect(try store.value("SELECT count(*) FROM Letter_number_rtree") == "3")
      found[0].picture = nil
      try context.save()
    }
    _ = try open(store, Plain.self)
    #expect(
      try store.values(
        "SELECT name FROM sqlite_schema WHERE name LIKE '%rtree%' OR name LIKE '%_search%'")
        == ["_search_stale"])
    // The table of rows whose texts changed is kept, like the tables of external files.
    #expect(try store.value("SELECT count(*) FROM _search_stale") == "0")
    #expect(try externalFiles(store) == 0)
  }

  @Test("files of large values that have no place any more go, and stay with the copy")
  func filesOfTheCopy() throws {
    let store = try TemporaryStore()
    try filled(store)
    _ = try open(store, LetterForms.Short.Letter.self)
    #expect(try externalFiles(store) == 0)
    #expect(try store.value(Self.leftFiles) == "0")
    _ = try open(store, LetterForms.Short.Letter.self)
    let copy = ModelConfiguration(url: ModelConfiguration(url: store.file).migrationBackupURL)
    let context = ModelContext(try ModelContainer(for: Plain.self, configurations: copy))
    #expect(try context.fetch(FetchDescriptor<Plain>()).compactMap(\.scan) == [Self.scan])
  }

  private static let leftFiles = "SELECT count(*) FROM _metadata WHERE key = 'migration.files'"

  @Test("files of large values that have no place any more go later while somebody has the store")
  func filesInUse() throws {
    let store = try TemporaryStore()
    try filled(store)
    do {
      let older = try open(store, Plain.self)
      _ = try open(store, LetterForms.Short.Letter.self)
      _ = try open(store, LetterForms.Short.Letter.self)
      #expect(try externalFiles(store) == 1)
      #expect(try store.value(Self.leftFiles) == "1")
      withExtendedLifetime(older) {}
    }
    _ = try open(store, LetterForms.Short.Letter.self)
    #expect(try externalFiles(store) == 0)
    #expect(try store.value(Self.leftFiles) == "0")
  }

  @Test("files go that only a version in between had, as this one never opened the store")
  func filesInBetween() throws {
    let store = try TemporaryStore()
    do { _ = try open(store, LetterForms.Short.Letter.self) }
    _ = try ModelContainer(
      for: Schema(versionedSchema: LetterForms.V3.self),
      migrationPlan: LetterForms.FillingFiles.self,
      configurations: [ModelConfiguration(url: store.file)])
    #expect(try externalFiles(store) == 0)
  }

  @Test("a dry run makes no folder for the large values of a plan's versions")
  func previewOfFiles() throws {
    let store = try TemporaryStore()
    do { _ = try open(store, LetterForms.Short.Letter.self) }
    let folder = store.folder.appending(path: ".test.store_SUPPORT")
    try #require(!FileManager.default.fileExists(atPath: folder.path))
    let preview = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: LetterForms.V3.self),
      migrationPlan: LetterForms.ThroughFiles.self,
      configuration: ModelConfiguration(url: store.file))
    #expect(preview.stages.map(\.name) == ["V1 to V2", "V2 to V3"])
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  private func history(_ context: ModelContext) throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test("history stays readable, with values of renamed properties")
  func history() throws {
    let store = try TemporaryStore()
    try filled(store)
    do {
      let context = try open(store, Plain.self)
      for letter in try context.fetch(FetchDescriptor<Plain>()) where letter.number == 3 {
        letter.sender = "nobody"
        try context.save()
        context.delete(letter)
      }
      try context.save()
    }
    let transactions = try history(open(store, LetterForms.Searchable.Letter.self))
    #expect(transactions.map(\.changes.count) == [3, 1, 1])
    guard case .delete(let deletion)? = transactions.last?.changes.first,
      let letter = deletion as? DefaultHistoryDelete<LetterForms.Searchable.Letter>
    else {
      Issue.record("no deletion")
      return
    }
    #expect(letter.tombstone[\.author] as? String == "nobody")
  }

  @Test("history expires when kept values change their type")
  func expiry() throws {
    let store = try TemporaryStore()
    let context = try open(store, LetterForms.Counted.Letter.self)
    context.insert(LetterForms.Counted.Letter(1))
    try context.save()
    #expect(try history(context).count == 1)
    let migrated = try open(store, LetterForms.Numbered.Letter.self)
    #expect(try history(migrated).isEmpty)
    migrated.insert(LetterForms.Numbered.Letter())
    try migrated.save()
    #expect(try history(migrated).map(\.changes.count) == [1])
  }
}
