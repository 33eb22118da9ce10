import SwiftData
import SwiftDataExtras
import Testing

@Suite(
  "The history of relationships",
  .enabled(if: StoreKind.tested == .sqlite, "knows the row IDs that SQLite gives"))
struct HistoryRelationshipTests {
  let store = try? TemporaryStore()

  private func context() throws -> ModelContext {
    ModelContext(
      try #require(store).container(
        Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self))
  }

  @Test("has changed to-one relationships")
  func toOne() throws {
    let context = try context()
    let book = Book("B", author: Author("A"))
    context.insert(book)
    try context.save()
    #expect(Set(try context.history()[0].summary) == ["insert Author 1", "insert Book 1"])
    book.author = nil
    try context.save()
    #expect(try context.history()[1].summary == ["update Book 1 author"])
  }

  @Test("names both ends of a relationship between many and many")
  func manyToMany() throws {
    let context = try context()
    let book = Book("B")
    let label = Label("L")
    context.insert(book)
    context.insert(label)
    try context.save()
    book.labels = [label]
    try context.save()
    let both: Set = ["update Book 1 labels", "update Label 1 books"]
    #expect(Set(try context.history()[1].summary) == both)
    book.labels = []
    try context.save()
    #expect(Set(try context.history()[2].summary) == both)
  }

  @Test("has the deletions by the context's delete rules")
  func cascade() throws {
    let context = try context()
    let book = Book("B")
    book.pages = [Page(1), Page(2)]
    context.insert(book)
    try context.save()
    context.delete(book)
    try context.save()
    #expect(
      Set(try context.history()[1].summary) == ["delete Book 1", "delete Page 1", "delete Page 2"])
  }

  @Test("has an insertion, and no update, for models that were completed in the same save")
  func cycles() throws {
    let context = ModelContext(try #require(store).container(Branch.self))
    let root = Branch("root", children: [Branch("left"), Branch("right")])
    context.insert(root)
    try context.save()
    #expect(
      Set(try context.history()[0].summary) == [
        "insert Branch 1", "insert Branch 2", "insert Branch 3",
      ])
  }

  @Test("has everything that was there when a container is erased")
  func erase() throws {
    let context = try context()
    let book = Book("B", author: Author("A"))
    book.labels = [Label("L")]
    context.insert(book)
    try context.save()
    try context.container.erase()
    #expect(
      Set(try context.history()[1].summary) == [
        "delete Author 1", "delete Book 1", "delete Label 1",
      ]
    )
  }
}

@Suite("The history of deleted models")
struct HistoryOfDeletedModelsTests {
  /// Deletions of rows with pairs of which the deleting context knows nothing.
  enum Deletion: CaseIterable {
    case byPredicate
    case inBatch
    case ofModel
  }

  @Test(
    "has their deletion only, and the changes of what led to them", arguments: Deletion.allCases)
  func pairs(deletion: Deletion) throws {
    let container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    let context = ModelContext(container)
    let book = Book("B")
    let label = Label("L")
    context.insert(book)
    context.insert(label)
    try context.save()
    let other = ModelContext(container)
    let read = try other.fetch(FetchDescriptor<Book>())
    #expect(read.map(\.labels) == [[]])
    book.labels = [label]
    try context.save()
    switch deletion {
    case .byPredicate: try other.delete(model: Book.self)
    case .inBatch: try container.batchDelete(Book.self)
    case .ofModel: for book in read { other.delete(book) }
    }
    try other.save()
    let history = try context.history()
    #expect(history.count == 3)
    #expect(
      history.last?.unnumberedSummary.sorted() == ["delete Book", "update Label books"])
  }
}
