import SwiftData
import SwiftDataExtras
import Testing

@Suite("Many deletions in one save")
struct ManyDeletionsTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Author.self, Shelf.self, Branch.self)
    context = ModelContext(container)
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  private func someBooks(_ count: Int) throws -> [Book] {
    let author = Author("A")
    let books = (0..<count).map { number in
      let book = Book("\(number)", author: author)
      book.pages = [Page(1), Page(2), Page(3)]
      book.labels = [Label("\(number)")]
      return book
    }
    for book in books { context.insert(book) }
    try context.save()
    return books
  }

  @Test("take a statement for each class, not for each row, and spare the rest")
  func statements() throws {
    let books = try someBooks(40)
    for book in books.prefix(30) { context.delete(book) }
    let (_, statements) = try container.recordingStatements { try context.save() }
    #expect(statements.count { $0.sql.hasPrefix("DELETE FROM \"Book\"") } == 1)
    #expect(statements.count { $0.sql.hasPrefix("DELETE FROM \"Page\"") } == 1)
    #expect(try count(Book.self) == 10)
    #expect(try count(Page.self) == 30)
    #expect(try count(Label.self) == 40)
    #expect(try count(Author.self) == 1)
    let labels = try ModelContext(container).fetch(FetchDescriptor<Label>())
    #expect(labels.count { !$0.books.isEmpty } == 10)
  }

  @Test("are in the history, each once")
  func history() throws {
    let books = try someBooks(20)
    let before = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
    for book in books { context.delete(book) }
    try context.save()
    let later = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > before }))
    let changes = later.flatMap(\.changes)
    func deletions<Model: PersistentModel>(of type: Model.Type) -> Int {
      changes.count {
        if case .delete(let deletion) = $0 { deletion is any HistoryDelete<Model> } else { false }
      }
    }
    #expect(deletions(of: Book.self) == 20)
    #expect(deletions(of: Page.self) == 60)
  }

  @Test("of one class that refers to itself are made from the leaves up, in chains of any length")
  func chain() throws {
    let root = Branch("0")
    context.insert(root)
    var last = root
    for number in 1..<1_500 {
      let next = Branch("\(number)")
      next.parent = last
      context.insert(next)
      last = next
    }
    context.insert(Branch("another"))
    try context.save()
    context.delete(root)
    try context.save()
    #expect(try count(Branch.self) == 1)
  }

  @Test("of owners and of models that a rule protects work together, in any order")
  func guarded() throws {
    for isReversed in [false, true] {
      let books = try someBooks(10)
      let loans = books.map { Loan("reader", $0) }
      for loan in loans { context.insert(loan) }
      try context.save()
      let doomed: [any PersistentModel] = isReversed ? books + loans : loans + books
      for model in doomed { context.delete(model) }
      try context.save()
      #expect(try count(Book.self) == 0)
      #expect(try count(Loan.self) == 0)
    }
  }

  @Test("that a rule refuses take nothing")
  func refused() throws {
    let books = try someBooks(10)
    context.insert(Loan("reader", books[7]))
    try context.save()
    for book in books { context.delete(book) }
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try count(Book.self) == 10)
    #expect(try count(Page.self) == 30)
  }

  @Test("before their first save leave the others in their order")
  func unsaved() throws {
    let pages = (0..<500).map(Page.init)
    for page in pages { context.insert(page) }
    for page in pages where page.number % 10 != 0 { context.delete(page) }
    for number in 500..<600 { context.insert(Page(number)) }
    let wanted = (0..<50).map { $0 * 10 } + Array(500..<600)
    #expect(context.insertedModelsArray.compactMap { ($0 as? Page)?.number } == wanted)
    context.delete(pages[10])
    try context.save()
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<Page>()).map(\.number)
        == wanted.filter { $0 != 10 })
  }
}
