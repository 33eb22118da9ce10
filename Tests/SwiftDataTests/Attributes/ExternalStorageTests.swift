import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataSQLite
import Testing

@Model
final class Photo {
  @Attribute(.unique) var name: String
  @Attribute(.externalStorage) var image: Data
  @Attribute(.externalStorage) var text: String?
  @Attribute(.externalStorage) var tags: [String]?

  init(name: String, image: Data, text: String? = nil, tags: [String]? = nil) {
    self.name = name
    self.image = image
    self.text = text
    self.tags = tags
  }
}

/// Returns more bytes than are stored in a row, different for each seed.
private func large(_ seed: UInt8) -> Data {
  Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) ^ seed })
}

@Suite(
  "Large values are in files beside the store",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct ExternalStorageTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private var folder: URL { store.folder.appending(path: ".test.store_SUPPORT/external") }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func context() throws -> ModelContext { ModelContext(try store.container(Photo.self)) }

  private func photos(_ context: ModelContext) throws -> [Photo] {
    try context.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.name)]))
  }

  @Test("values of every kind come back, small ones from the row and large ones from files")
  func roundTrip() throws {
    let text = String(repeating: "é", count: 80_000)
    let tags = (0..<20_000).map { "tag \($0)" }
    do {
      let context = try context()
      context.insert(Photo(name: "large", image: large(1), text: text, tags: tags))
      context.insert(Photo(name: "small", image: Data([1, 2]), text: "t", tags: ["a"]))
      try context.save()
    }
    #expect(try files().count == 3)
    #expect(
      try store.values(
        "SELECT typeof(image) || typeof(text) || typeof(tags) FROM Photo ORDER BY name")
        == ["textblobblob", "blobtexttext"])
    #expect(try store.value("SELECT max(length(image)) FROM Photo") == "64")
    let found = try photos(try context())
    #expect(found.map(\.image) == [large(1), Data([1, 2])])
    #expect(found.map(\.text) == [text, "t"])
    #expect(found.map(\.tags) == [tags, ["a"]])
  }

  @Test("files come and go with the rows that need them")
  func cleaning() throws {
    let context = try context()
    context.insert(Photo(name: "a", image: large(1)))
    context.insert(Photo(name: "b", image: large(1)))
    try context.save()
    let shared = try files()
    #expect(shared.count == 1)
    let found = try photos(context)
    found[0].image = large(2)
    try context.save()
    #expect(try files().count == 2)
    context.delete(found[1])
    try context.save()
    #expect(try files().count == 1)
    #expect(try files() != shared)
    found[0].image = Data()
    try context.save()
    #expect(try files().isEmpty)
    found[0].text = String(repeating: "x", count: 200_000)
    try context.save()
    #expect(try files().count == 1)
    try context.container.erase()
    #expect(try files().isEmpty)
  }

  @Test("a save that fails leaves neither row nor file, one that is repeated works")
  func failedSave() throws {
    let context = try context()
    context.insert(Photo(name: "kept", image: large(1)))
    try context.save()
    try store.execute(
      "CREATE TRIGGER fault BEFORE INSERT ON Photo WHEN new.name = 'bad'"
        + " BEGIN SELECT RAISE(ABORT, 'fault'); END")
    context.insert(Photo(name: "good", image: large(2)))
    context.insert(Photo(name: "bad", image: large(1)))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try files().count == 1)
    #expect(try photos(ModelContext(context.container)).map(\.image) == [large(1)])
    try store.execute("DROP TRIGGER fault")
    try context.save()
    #expect(try photos(ModelContext(context.container)).map(\.name) == ["bad", "good", "kept"])
    #expect(try files().count == 2)
  }

  @Test("an upsert of an equal large value writes nothing")
  func unchanged() throws {
    let container = try store.container(Photo.self)
    for round in 0..<2 {
      let batch = try BatchUpsert<Photo>(container)
      let outcome = try batch.upsert(Photo(name: "a", image: large(3)))
      #expect(outcome == (round == 0 ? .inserted : .unchanged))
      try batch.commit()
    }
    #expect(try files().count == 1)
    let batch = try BatchUpsert<Photo>(container)
    try batch.upsert(Photo(name: "a", image: large(4)))
    #expect(try files().count == 2)
    batch.rollback()
    #expect(try files().count == 1)
    #expect(try photos(ModelContext(container)).map(\.image) == [large(3)])
  }

  @Test("the remains of a crash are swept at the next opening with exclusive use")
  func orphans() throws {
    let first = try context()
    first.insert(Photo(name: "a", image: large(1)))
    try first.save()
    let orphan = String(repeating: "0f", count: 32)
    for name in [orphan, "unfinished.new"] {
      try Data([1]).write(to: folder.appending(path: name))
    }
    do { _ = try store.container(Photo.self) }
    #expect(try files().count == 3, "another writer has the store open")
    #expect(try photos(first).count == 1)
  }

  @Test("the sweep keeps referenced files")
  func sweep() throws {
    do {
      let context = try context()
      context.insert(Photo(name: "a", image: large(1)))
      try context.save()
    }
    try Data([1]).write(to: folder.appending(path: String(repeating: "0f", count: 32)))
    try Data([1]).write(to: folder.appending(path: "unfinished.new"))
    let context = try context()
    #expect(try files().count == 1)
    #expect(try photos(context).map(\.image) == [large(1)])
  }

  @Test("a row that another program deletes leaves its file to the next opening")
  func foreignDeletion() throws {
    do {
      let context = try context()
      context.insert(Photo(name: "a", image: large(1)))
      try context.save()
    }
    try store.execute("DELETE FROM Photo")
    #expect(try store.value("SELECT count(*) FROM _external_garbage") == "1")
    let context = try context()
    #expect(try files().isEmpty)
    #expect(try photos(context).isEmpty)
  }

  private func expect(_ code: StoreError.Code, naming text: String) throws {
    let context = try context()
    #expect {
      _ = try photos(context)
    } throws: { error in
      let error = error as? StoreError
      return error?.code == code && error?.description.contains(text) == true
    }
    // The other columns of the row can be read.
    var names = FetchDescriptor<Photo>()
    names.propertiesToFetch = [\.name]
    #expect(try context.fetch(names).map(\.name) == ["a"])
  }

  private func storeOne() throws -> String {
    do {
      let context = try context()
      context.insert(Photo(name: "a", image: large(1)))
      try context.save()
    }
    return try #require(try files().first)
  }

  @Test("a missing file is an error that names the property")
  func missingFile() throws {
    let name = try storeOne()
    try FileManager.default.removeItem(at: folder.appending(path: name))
    try expect(.missingFile, naming: "Photo.image")
  }

  @Test("a changed file is noticed")
  func changedFile() throws {
    let name = try storeOne()
    try large(9).write(to: folder.appending(path: name))
    try expect(.damaged, naming: "Photo.image")
  }

  @Test("a pipe, a folder or a size without bytes in place of a file is damage")
  func noFile() throws {
    let path = folder.appending(path: try storeOne()).path
    #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
    try expect(.damaged, naming: "Photo.image")
    let copy = store.folder.appending(path: "copy")
    let error = #expect(throws: StoreError.self) { try context().container.backup(to: copy) }
    #expect(error?.code == .missingFile)
    #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
    try expect(.damaged, naming: "Photo.image")
    #expect(rmdir(path) == 0)
    try Data([1]).write(to: URL(filePath: path))
    // 8 TiB, and no machine's memory.
    #expect(truncate(path, 1 << 43) == 0)
    try expect(.damaged, naming: "Photo.image")
  }

  @Test(
    "a reference to a path outside of the folder is refused",
    arguments: ["../../secret", "/etc/passwd", "", String(repeating: "A", count: 64)])
  func traversal(reference: String) throws {
    _ = try storeOne()
    try Data("secret".utf8).write(to: store.folder.appending(path: "secret"))
    try store.execute("UPDATE Photo SET image = '\(reference)'")
    try expect(.damaged, naming: "Photo.image")
  }

  @Test("a forged note of garbage removes nothing outside the folder")
  func forgedGarbage() throws {
    _ = try storeOne()
    let secret = store.folder.appending(path: "secret")
    try Data("secret".utf8).write(to: secret)
    let context = try context()
    try store.execute("INSERT INTO _external_garbage VALUES ('../../secret')")
    context.insert(Photo(name: "b", image: Data()))
    try context.save()
    #expect(try store.value("SELECT count(*) FROM _external_garbage") == "0")
    #expect(FileManager.default.fileExists(atPath: secret.path))
  }

  @Test("a predicate on such a value sees all of it")
  func predicate() throws {
    let context = try context()
    context.insert(Photo(name: "a", image: large(1), text: String(repeating: "y", count: 150_000)))
    context.insert(Photo(name: "b", image: Data(), text: "y"))
    try context.save()
    let long = FetchDescriptor<Photo>(
      predicate: #Predicate { $0.text?.contains("yyyy") == true })
    #expect(try context.fetch(long).map(\.name) == ["a"])
  }

  @Test("a file stays during reads that may need it, and is removed afterwards")
  func readers() throws {
    let context = try context()
    context.insert(Photo(name: "a", image: large(1)))
    context.insert(Photo(name: "b", image: large(2)))
    try context.save()
    let store = try #require(context.container.core.stores.first as? DefaultStore)
    let writer = ModelContext(context.container)
    let plan = try #require(store.plans.first)
    let query = try store.prepare(StoreRequest<Photo>(plan: plan))
    var seen = 0
    try query.statement.forEachRow { _, _ in
      if seen == 0 {
        for photo in try photos(writer) { writer.delete(photo) }
        try writer.save()
      }
      seen += 1
    }
    #expect(seen == 2)
    #expect(try files().count == 2)
    writer.insert(Photo(name: "c", image: Data()))
    try writer.save()
    #expect(try files().isEmpty)
  }

  @Test("a truncated file is rewritten when its value is saved again")
  func repair() throws {
    let name = try storeOne()
    try Data([1, 2]).write(to: folder.appending(path: name))
    let context = try context()
    context.insert(Photo(name: "b", image: large(1)))
    try context.save()
    #expect(try photos(ModelContext(context.container)).map(\.image) == [large(1), large(1)])
  }

  @Test("a store in memory keeps everything in its rows")
  func memory() throws {
    let container = try memoryContainer(Photo.self)
    let context = ModelContext(container)
    context.insert(Photo(name: "a", image: large(1)))
    try context.save()
    #expect(try photos(ModelContext(container)).map(\.image) == [large(1)])
  }
}
