import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

@Suite("The history of a store")
struct HistoryTests {
  @Test("has a transaction for every save, with each model's change")
  func saves() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Author.self))
    let author = Author("Ann")
    context.insert(author)
    try context.save()
    context.author = "editor"
    author.name = "Anna"
    try context.save()
    context.delete(author)
    try context.save()
    let history = try context.history()
    #expect(
      history.map(\.summary) == [
        ["insert Author 1"], ["update Author 1 name"], ["delete Author 1"],
      ]
    )
    #expect(history.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(history.map(\.author) == [nil, "editor", "editor"])
    #expect(history[0].token < history[1].token)
    #expect(history[0].storeIdentifier == history[0].token.storeIdentifier)
    #expect(history[0].processIdentifier == "\(ProcessInfo.processInfo.processIdentifier)")
    let changes = history.flatMap(\.changes).map(\.changedPersistentIdentifier)
    #expect(Set(changes) == [author.persistentModelID])
  }

  @Test("has nothing of changes that were rolled back, refused or without effect")
  func traces() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Quake.self))
    let quake = Quake(code: "a")
    context.insert(quake)
    context.rollback()
    try context.save()
    #expect(try context.history().isEmpty)
    context.insert(Quake(code: "a"))
    try context.save()
    context.insert(Quake(code: "a"))
    try context.save()
    #expect(try context.history().count == 1)
    let other = Quake(code: "b")
    context.insert(other)
    try context.save()
    other.code = "a"
    #expect(throws: StoreError.self) { try context.save() }
    context.rollback()
    other.magnitude = 5
    try context.save()
    #expect(try context.history().map(\.transactionIdentifier) == [1, 2, 3])
    #expect(try context.history().last?.unnumberedSummary == ["update Quake magnitude"])
  }

  @Test("names the properties that an upsert changed")
  func upserts() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Quake.self))
    context.insert(Quake(code: "a", name: "here"))
    try context.save()
    context.insert(Quake(code: "a", magnitude: 3, name: "there"))
    try context.save()
    #expect(try context.history().last?.summary == ["update Quake 1 magnitude,location"])
  }

  @Test("is shared by containers on one file and lasts longer than they do")
  func containers() throws {
    let store = try TemporaryStore()
    let first = ModelContext(try store.container(Quake.self))
    let second = ModelContext(try store.container(Quake.self))
    first.insert(Quake(code: "a"))
    try first.save()
    let seen = try #require(try first.history().last?.token)
    second.author = "second"
    second.insert(Quake(code: "b"))
    try second.save()
    let new = try first.history(#Predicate { $0.token > seen })
    #expect(new.map(\.unnumberedSummary) == [["insert Quake"]])
    let kept = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: JSONEncoder().encode(seen))
    #expect(kept == seen)
    let third = ModelContext(try store.container(Quake.self))
    #expect(try third.history(#Predicate { $0.token > kept }).map(\.author) == ["second"])
  }

  @Test("can be read, and not written, in a store that is open for reading only")
  func readOnly() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Quake.self))
    context.insert(Quake(code: "a"))
    try context.save()
    let reader = ModelContext(try store.container(Quake.self, allowsSave: false))
    #expect(try reader.history().count == 1)
    #expect(throws: StoreError.self) { try reader.deleteHistory(Transactions()) }
  }

  @Test("has one transaction for a batch, in a file and in memory", arguments: [true, false])
  func batches(isInMemory: Bool) throws {
    let store = try TemporaryStore()
    let container =
      try isInMemory ? memoryContainer(Quake.self) : store.container(Quake.self)
    let batch = try BatchUpsert<Quake>(container, author: "import")
    for number in 0..<300 { try batch.upsert(Quake(code: "\(number)")) }
    try batch.commit()
    let unchanged = try BatchUpsert<Quake>(container, author: "import")
    for number in 0..<300 { try unchanged.upsert(Quake(code: "\(number)")) }
    try unchanged.commit()
    let abandoned = try BatchUpsert<Quake>(container, author: "import")
    try abandoned.upsert(Quake(code: "x"))
    abandoned.rollback()
    let history = try ModelContext(container).history()
    #expect(history.map(\.author) == ["import"])
    #expect(history.first?.changes.count == 300)
    #expect(history.first?.summary.last == "insert Quake 300")
  }

  @Test("reports its position when a context has saved")
  func notification() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    nonisolated(unsafe) var tokens: [String: any HistoryToken]?
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      tokens =
        note.userInfo?[ModelContext.NotificationKey.historyTokens]
        as? [String: any HistoryToken]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Quake(code: "a"))
    try context.save()
    let last = try #require(try context.history().last)
    #expect(tokens?[last.storeIdentifier] as? DefaultHistoryToken == last.token)
  }

  @Test(
    "survives a new form of the models",
    .enabled(if: StoreKind.tested == .sqlite, "writes SQLite's tables of the history"))
  func schemaChanges() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Author.self, Quake.self))
    let author = Author("Ann")
    context.insert(author)
    context.insert(Quake(code: "q"))
    try context.save()
    // The history of another version of the program: other positions, and a property that no longer
    // exists.
    try store.execute(
      "UPDATE _history_layout SET properties = 'gone' || char(10) || 'name' WHERE entity = 'Author'"
    )
    let file = try SQLiteFile(store.file)
    try file.run("INSERT INTO _history_transaction VALUES (2, 0, 'old', 'p', 1, 100)")
    // An update of row 1: positions 0 and 1.
    try file.run(
      "INSERT INTO _history_change SELECT 2, id, 0, x'0102020001' FROM _history_layout"
        + " WHERE entity = 'Author'")
    let reader = ModelContext(try store.container(Author.self))
    #expect(try reader.history().map(\.summary) == [["insert Author 1"], ["update Author 1 name"]])
  }

  @Test(
    "is reported as damaged instead of being guessed", arguments: ["ff", "0380", "0102ff", "07"])
  func damage(bytes: String) throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Author.self))
    context.insert(Author("Ann"))
    try context.save()
    try store.execute("UPDATE _history_change SET changes = \(StoreKind.tested.data(bytes))")
    let error = #expect(throws: StoreError.self) { try context.history() }
    #expect(error?.code == .damaged)
    try context.deleteHistory(Transactions())
    #expect(try context.history().isEmpty)
  }
}
