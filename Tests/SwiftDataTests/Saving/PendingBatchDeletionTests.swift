import CSQLite
import Foundation
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

/// A class with a computed property, which only evaluation in memory can use.
@Model
private final class Watched {
  var name: String
  var value: Int

  /// Called when ``isSmall`` is read.
  static let probe = Mutex<(@Sendable () -> Void)?>(nil)

  var isSmall: Bool {
    Self.probe.withLock { probe in
      defer { probe = nil }
      return probe
    }?()
    return value < 5
  }

  init(_ name: String, _ value: Int) {
    self.name = name
    self.value = value
  }
}

@Suite("A deletion by predicate before it is saved", .serialized)
struct PendingBatchDeletionTests {
  private func library(_ container: ModelContainer) throws -> ModelContext {
    let context = ModelContext(container)
    for title in ["A", "B", "C"] {
      let book = Book(title, author: Author("of \(title)"))
      book.pages = [Page(1), Page(2)]
      context.insert(book)
    }
    try context.save()
    return context
  }

  private func container() throws -> ModelContainer {
    try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self, Tally.self)
  }

  @Test("is seen by all operations of its own context, and of no other")
  func seen() throws {
    let container = try container()
    let context = try library(container)
    let all = FetchDescriptor<Book>()
    try context.delete(model: Book.self, where: #Predicate { $0.title != "C" })
    #expect(try context.fetchCount(all) == 1)
    #expect(try context.fetchIdentifiers(all).count == 1)
    #expect(try context.fetch(all).map(\.title) == ["C"])
    #expect(try context.fetchCount(FetchDescriptor<Page>()) == 2)
    #expect(context.hasChanges)
    #expect(try ModelContext(container).fetchCount(all) == 3)
    var stored = all
    stored.includePendingChanges = false
    #expect(try context.fetch(stored).count == 3)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetch(all).map(\.title) == ["C"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Page>()) == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 3)
  }

  /// The kinds of requests, each on a context with a deletion that no earlier request has
  /// evaluated.
  private static let questions: [(String, @Sendable (ModelContext) throws -> Int)] = [
    ("fetch", { try $0.fetch(FetchDescriptor<Book>()).count }),
    ("fetchCount", { try $0.fetchCount(FetchDescriptor<Book>()) }),
    ("fetchIdentifiers", { try $0.fetchIdentifiers(FetchDescriptor<Book>()).count }),
    (
      "limit",
      { context in
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
        descriptor.fetchLimit = 3
        return try context.fetch(descriptor).count
      }
    ),
    (
      "enumerate",
      { context in
        var count = 0
        try context.enumerate(FetchDescriptor<Book>(), allowEscapingMutations: true) { _ in
          count += 1
        }
        return count
      }
    ),
    (
      "predicate",
      { context in
        try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.title > "" }))
      }
    ),
    ("pages", { try $0.fetchCount(FetchDescriptor<Page>()) / 2 }),
    (
      "related",
      { context in
        try context.fetchCount(
          FetchDescriptor<Page>(predicate: #Predicate { $0.book?.title != nil })) / 2
      }
    ),
  ]

  @Test("takes part in every question", arguments: questions.map(\.0))
  func takesPart(_ name: String) throws {
    let ask = try #require(Self.questions.first { $0.0 == name }?.1)
    let context = try library(try container())
    #expect(try ask(context) == 3)
    try context.delete(model: Book.self, where: #Predicate { $0.title == "A" })
    #expect(try ask(context) == 2)
    try context.delete(model: Book.self, where: #Predicate { $0.title == "B" })
    #expect(try ask(context) == 1)
    context.rollback()
    #expect(try ask(context) == 3)
    try context.delete(model: Book.self)
    #expect(try ask(context) == 0)
    try context.save()
    #expect(try ask(context) == 0)
  }

  @Test("an unconcerned class is fetched without it, and the save does it in the store")
  func unconcerned() throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let context = ModelContext(container)
    for number in 0..<3 {
      context.insert(Tally("\(number)"))
      context.insert(CountMark("\(number)"))
    }
    try context.save()
    try context.delete(model: Tally.self)
    #expect(try context.fetchCount(FetchDescriptor<CountMark>()) == 3)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 0)
    #expect(context.deletedModelsArray.count == 3)
    context.insert(Tally("new"))
    #expect(try context.fetch(FetchDescriptor<Tally>()).map(\.name) == ["new"])
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Tally>()).map(\.name) == ["new"])
  }

  @Test("applies to stored values: unsaved edits neither exclude nor include a model")
  func edits() throws {
    let context = ModelContext(try memoryContainer(Tally.self, CountMark.self))
    let (one, two) = (Tally("one", value: 1), Tally("two", value: 2))
    context.insert(one)
    context.insert(two)
    try context.save()
    (one.value, two.value) = (2, 1)
    try context.delete(model: Tally.self, where: #Predicate { $0.value == 1 })
    #expect(try context.fetch(FetchDescriptor<Tally>()).map(\.name) == ["two"])
    #expect(one.isDeleted && !two.isDeleted)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Tally>()).map(\.value) == [1])
  }

  @Test(
    "can be undone where there is an undo manager, asked about or not", arguments: [false, true])
  func undo(_ asks: Bool) throws {
    let context = ModelContext(try memoryContainer(Tally.self, CountMark.self))
    for number in 0..<3 { context.insert(Tally("\(number)")) }
    try context.save()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    manager.beginUndoGrouping()
    try context.delete(model: Tally.self)
    if asks { #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 0) }
    manager.endUndoGrouping()
    manager.undo()
    #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 3)
    manager.redo()
    #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 0)
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Tally>()) == 0)
  }

  @MainActor
  @Test("is saved soon on a context with autosave", .timeLimit(.minutes(20)))
  func autosaved() async throws {
    let container = try memoryContainer(Tally.self, CountMark.self)
    let context = container.mainContext
    context.insert(Tally("a"))
    try context.save()
    try context.delete(model: Tally.self)
    while context.hasChanges { await Task.yield() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tally>()) == 0)
  }

  // MARK: Isolation of the evaluation

  private enum Way: CaseIterable {
    case save, batchDelete, batchUpdate
  }

  @Test(
    "no row changes between the predicate and the transaction",
    .enabled(if: StoreKind.tested == .sqlite, "others wait for the lock of the file"),
    arguments: Way.allCases)
  private func moment(_ way: Way) throws {
    let store = try TemporaryStore()
    let container = try store.container(Watched.self)
    let context = ModelContext(container)
    for value in 0..<3 { context.insert(Watched("\(value)", value)) }
    try context.save()
    // Another program tries to change a row while the predicate is evaluated.
    let result = Mutex<Int32?>(nil)
    let path = store.file.path
    Watched.probe.withLock {
      $0 = {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(path, &database) == SQLITE_OK else { return }
        let outcome = sqlite3_exec(database, "UPDATE Watched SET value = 9", nil, nil, nil)
        result.withLock { $0 = outcome }
      }
    }
    let small = #Predicate<Watched> { $0.isSmall }
    switch way {
    case .save:
      try context.delete(model: Watched.self, where: small)
      try context.save()
    case .batchDelete: try container.batchDelete(Watched.self, where: small)
    case .batchUpdate:
      try container.batchUpdate(Watched.self, where: small) { $0.set(\.name, to: "small") }
    }
    let outcome = try #require(result.withLock { $0 })
    // The other program's update was either refused, or the predicate spares its row.
    let rows = try store.values("SELECT name || ' ' || value FROM \"Watched\" ORDER BY _id")
    if outcome == SQLITE_OK {
      #expect(rows == ["0 9", "1 9", "2 9"])
    } else {
      #expect(outcome == SQLITE_BUSY)
      #expect(rows == (way == .batchUpdate ? ["small 0", "small 1", "small 2"] : []))
    }
  }

  @Test("a predicate that only memory can evaluate works on a store in memory")
  func inMemory() throws {
    let container = try memoryContainer(Watched.self)
    let context = ModelContext(container)
    for value in 0..<10 { context.insert(Watched("\(value)", value)) }
    try context.save()
    try context.delete(model: Watched.self, where: #Predicate { $0.isSmall && $0.name != "3" })
    context.insert(Watched("new", 0))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Watched>()) == 7)
    try container.batchDelete(Watched.self, where: #Predicate { $0.isSmall })
    #expect(try context.fetchCount(FetchDescriptor<Watched>()) == 5)
  }
}
