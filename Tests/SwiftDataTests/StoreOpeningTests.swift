import SwiftData
import SwiftDataExtras
import Testing

@Suite("Opening a store reports problems, and destroys nothing")
struct StoreOpeningTests {
  private func expect(_ code: StoreError.Code, from body: () throws -> Void) {
    #expect(performing: body, throws: { ($0 as? StoreError)?.code == code })
  }

  @Test("a file that is no database", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func noDatabase() throws {
    let store = try TemporaryStore()
    let bytes = Data(String(repeating: "not a database ", count: 100).utf8)
    try bytes.write(to: store.file)
    expect(.damaged) { _ = try store.container(Quake.self) }
    #expect(try Data(contentsOf: store.file) == bytes)
  }

  @Test(
    "is also a load issue of the container, as in Apple's framework",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func loadIssue() throws {
    let store = try TemporaryStore()
    try Data("not a database".utf8).write(to: store.file)
    do {
      _ = try store.container(Quake.self)
      Issue.record("The file was opened.")
    } catch SwiftDataError.loadIssueModelContainer {
      // The test checks that this pattern catches the error.
    }
  }

  @Test(
    "a database of another application", .enabled(if: StoreKind.tested == .sqlite, "is about files")
  )
  func foreignDatabase() throws {
    let store = try TemporaryStore()
    try store.execute("CREATE TABLE mine (x)")
    expect(.foreignFile) { _ = try store.container(Quake.self) }
  }

  @Test("a file of a newer format", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func newerFormat() throws {
    let store = try TemporaryStore()
    _ = try store.container(Quake.self)
    try store.execute("PRAGMA user_version = 99")
    expect(.newerFormat) { _ = try store.container(Quake.self) }
  }

  @Test(
    "a table that doesn't fit the model is named with its columns",
    .enabled(
      if: StoreKind.tested == .sqlite, "a server's tables are compared by their description only"))
  func schemaMismatch() throws {
    let store = try TemporaryStore()
    _ = try store.container(Quake.self)
    try store.execute("ALTER TABLE \"Quake\" RENAME COLUMN magnitude TO size")
    #expect {
      _ = try store.container(Quake.self)
    } throws: { error in
      let error = error as? StoreError
      return error?.code == .schemaMismatch && error?.description.contains("magnitude") == true
        && error?.description.contains("size") == true
    }
  }

  @Test("a model added to the schema gets its table in an existing file")
  func addedModel() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Quake.self))
      context.insert(Quake(code: "a"))
      try context.save()
    }
    let context = ModelContext(try store.container(Quake.self, Lodging.self))
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Lodging>()) == 0)
  }

  @Test("a read-only store reads, and refuses to save")
  func readOnly() throws {
    let store = try TemporaryStore()
    expect(.cannotOpen) { _ = try store.container(Quake.self, allowsSave: false) }
    do {
      let context = ModelContext(try store.container(Quake.self))
      context.insert(Quake(code: "a"))
      try context.save()
    }
    let container = try store.container(Quake.self, allowsSave: false)
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<Quake>()).map(\.code) == ["a"])
    context.insert(Quake(code: "b"))
    expect(.readOnly) { try context.save() }
    expect(.readOnly) { _ = try BatchUpsert<Quake>(container) }
  }

  @Test(
    "what is no file is said so", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func noFile() throws {
    let store = try TemporaryStore()
    let folder = store.file.deletingLastPathComponent()
    for (file, allowsSave, text) in [
      (folder, true, "it is a folder"), (folder, false, "it is a folder"),
      (store.file, false, "it doesn't exist"),
    ] {
      #expect {
        _ = try ModelContainer(
          for: Quake.self, configurations: ModelConfiguration(url: file, allowsSave: allowsSave))
      } throws: { error in
        let error = error as? StoreError
        return error?.code == .cannotOpen && error?.explanation.contains(text) == true
      }
    }
    #expect(!FileManager.default.fileExists(atPath: store.file.path))
  }

  @Test(
    "a row with a value of the wrong type is an error that names the column",
    .enabled(if: StoreKind.tested == .sqlite, "columns of a server have types"))
  func wrongType() throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    let context = ModelContext(container)
    context.insert(Quake(code: "a"))
    try context.save()
    try store.execute("UPDATE Quake SET time = 'yesterday'")
    #expect {
      _ = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    } throws: { error in
      (error as? RowDecodingError)?.column == "time"
    }
  }

  @Test(
    "a write by another program is seen by the next fetch",
    .enabled(if: StoreKind.tested == .sqlite, "reads of a server look for commits every 20 ms"))
  func otherProgram() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Quake.self))
    let quake = Quake(code: "a", magnitude: 1)
    context.insert(quake)
    try context.save()
    _ = try context.fetch(FetchDescriptor<Quake>())
    try store.execute("UPDATE \"Quake\" SET magnitude = 6")
    _ = try context.fetch(FetchDescriptor<Quake>())
    #expect(quake.magnitude == 6)
  }

  @Test("configurations are checked")
  func configurations() throws {
    let schema = Schema([Quake.self])
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: schema, configurations: ModelConfiguration("a", isStoredInMemoryOnly: true),
        ModelConfiguration("a", isStoredInMemoryOnly: true))
    }
    for name in ["a/b", "a/\u{301}b", "a\0b"] {
      #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
        try ModelContainer(
          for: schema, configurations: ModelConfiguration(name, isStoredInMemoryOnly: true))
      }
    }
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelConfiguration(String(repeating: "n", count: 300)).validate()
    }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: schema,
        configurations: ModelConfiguration(for: Sample.self, isStoredInMemoryOnly: true))
    }
  }
}
