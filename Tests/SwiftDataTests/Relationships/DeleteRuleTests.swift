import SwiftData
import Testing

@Suite("Delete rules")
struct DeleteRuleTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Author.self, Shelf.self, Branch.self)
    context = ModelContext(container)
  }

  func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  func aBook() throws -> Book {
    let book = Book("1", author: Author("A"))
    book.pages = [Page(1), Page(2)]
    book.labels = [Label("a")]
    context.insert(book)
    try context.save()
    return book
  }

  @Test("nullify: the destinations lose the owner at once and stay")
  func nullify() throws {
    let book = try aBook()
    let author = try #require(book.author)
    context.delete(author)
    #expect(book.author == nil)
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Book>()).first)
    #expect(read.author == nil)
  }

  @Test("deleting one end of many to many removes the pairs only")
  func pairs() throws {
    let book = try aBook()
    let label = try #require(book.labels.first)
    context.delete(label)
    #expect(book.labels.isEmpty)
    try context.save()
    #expect(try count(Label.self) == 0)
    #expect(try count(Book.self) == 1)
  }

  @Test("cascade: the destinations are deleted too, also unloaded ones")
  func cascade() throws {
    _ = try aBook()
    let other = ModelContext(container)
    let book = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    other.delete(book)
    #expect(other.deletedModelsArray.count == 3)
    try other.save()
    #expect(try count(Page.self) == 0)
    #expect(try count(Author.self) == 1)
    #expect(try count(Label.self) == 1)
  }

  @Test("a destination removed before the deletion stays")
  func spared() throws {
    let book = try aBook()
    let page = try #require(book.pages?.first)
    page.book = nil
    context.delete(book)
    try context.save()
    #expect(try count(Page.self) == 1)
  }

  @Test("deny: the save fails while there are destinations, and changes nothing")
  func deny() throws {
    let book = try aBook()
    let loan = Loan("Ann", book)
    context.insert(loan)
    try context.save()
    context.delete(book)
    #expect {
      try context.save()
    } throws: { error in
      SwiftDataError.modelValidationFailure ~= error && "\(error)".contains("Book")
    }
    #expect(try count(Book.self) == 1)
    context.delete(loan)
    try context.save()
    #expect(try count(Book.self) == 0)
    #expect(try count(Loan.self) == 0)
  }

  @Test("a relationship that isn't optional keeps its destination from vanishing")
  func notOptional() throws {
    let book = try aBook()
    context.insert(Loan("Ann", book))
    try context.save()
    let other = ModelContext(container)
    let loan = try #require(try other.fetch(FetchDescriptor<Loan>()).first)
    #expect(loan.book.title == "1")
    loan.book.loans = []
    #expect(throws: SwiftDataError.self) { try other.save() }
  }

  @Test(
    "the database itself follows the rules",
    .enabled(if: StoreKind.tested == .sqlite, "changes rows in SQLite's SQL"))
  func database() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Author.self, Branch.self))
      let book = Book("1", author: Author("A"))
      book.pages = [Page(1), Page(2)]
      book.labels = [Label("a")]
      context.insert(book)
      context.insert(Branch("r", children: [Branch("c", children: [Branch("g")])]))
      let lent = Book("2")
      context.insert(Loan("Ann", lent))
      try context.save()
    }
    let sqlite = try SQLiteFile(store.file)
    try sqlite.run("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON")
    try sqlite.run("DELETE FROM Author")
    #expect(try sqlite.integer("SELECT count(*) FROM Book WHERE author IS NULL") == 2)
    try sqlite.run("DELETE FROM Book WHERE title = '1'")
    #expect(try sqlite.integer("SELECT count(*) FROM Page") == 0)
    #expect(try sqlite.integer("SELECT count(*) FROM Book_labels") == 0)
    try sqlite.run("DELETE FROM Branch WHERE name = 'r'")
    #expect(try sqlite.integer("SELECT count(*) FROM Branch") == 0)
    #expect(throws: (any Error).self) { try sqlite.run("DELETE FROM Book") }
    #expect(try sqlite.integer("SELECT count(*) FROM Book") == 1)
  }

  @Test("bounds on the number of destinations are checked at save")
  func bounds() throws {
    let shelf = Shelf("s")
    context.insert(shelf)
    try context.save()
    shelf.labels = [Label("1"), Label("2"), Label("3")]
    #expect(throws: SwiftDataError.self) { try context.save() }
    shelf.labels?.removeLast()
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Shelf>()).first?.labels?.count == 2)
  }

  @Test("erasing empties everything despite delete rules")
  func erase() throws {
    let book = try aBook()
    context.insert(Loan("Ann", book))
    try context.save()
    try container.erase()
    #expect(try count(Book.self) == 0)
    #expect(try count(Loan.self) == 0)
  }
}
