import SwiftData
import SwiftDataCore
import Testing

@Model
final class PageMark {
  var name: String
  @Relationship(inverse: nil) var page: Page?

  init(_ name: String, _ page: Page) {
    self.name = name
    self.page = page
  }
}

@Suite("Deleting by predicate")
struct BatchDeleteTests {
  private func library() throws -> (ModelContext, [Book]) {
    let context = ModelContext(
      try memoryContainer(
        Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self, PageMark.self))
    let books = ["A", "B", "C"].map { Book($0, author: Author("of \($0)")) }
    for book in books {
      book.pages = [Page(1), Page(2)]
      context.insert(book)
    }
    try context.save()
    return (context, books)
  }

  @Test("happens at the save, with the delete rules and the history")
  func rules() throws {
    let (context, books) = try library()
    let page = try #require(books[0].pages?.first)
    try context.delete(model: Book.self, where: #Predicate { $0.title != "C" })
    #expect(context.hasChanges)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 3)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["C"])
    #expect(try context.fetchCount(FetchDescriptor<Page>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 3)
    #expect(books.map(\.isDeleted) == [true, true, false])
    #expect(page.isDeleted)
    let changes = try #require(try context.history().last).summary
    #expect(changes.count == 6)
    #expect(changes.count { $0.hasPrefix("delete Book") } == 2)
    #expect(changes.count { $0.hasPrefix("delete Page") } == 4)
  }

  @Test("of everything needs no predicate")
  func everything() throws {
    let (context, _) = try library()
    try context.delete(model: Book.self)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Page>()) == 0)
  }

  @Test("leaves unsaved models alone and takes unsaved edits of those that go with them")
  func pending() throws {
    let (context, books) = try library()
    context.insert(Book("A"))
    books[0].title = "edited"
    books[1].title = "A"
    try context.delete(model: Book.self, where: #Predicate { $0.title == "A" })
    try context.save()
    #expect(
      try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
        == ["A", "A", "C"])
    #expect(books[0].isDeleted)
    #expect(!books[1].isDeleted)
  }

  @Test("of several classes is about the rows before the first of them", arguments: [false, true])
  func several(asksBefore: Bool) throws {
    let (context, _) = try library()
    try context.delete(model: Author.self, where: #Predicate { $0.name == "of A" })
    try context.delete(model: Book.self, where: #Predicate { $0.author?.name == "of A" })
    try context.delete(model: Page.self, where: #Predicate { $0.book?.author?.name == "of B" })
    if asksBefore { _ = try context.fetchCount(FetchDescriptor<Book>()) }
    try context.save()
    let other = ModelContext(context.container)
    #expect(
      try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
        == ["B", "C"])
    #expect(try other.fetchCount(FetchDescriptor<Author>()) == 2)
    #expect(try other.fetchCount(FetchDescriptor<Page>()) == 2)
  }

  @Test("empties unsaved links to the deleted models", arguments: [false, true])
  func unsavedLinks(asksBefore: Bool) throws {
    let (context, books) = try library()
    let author = try #require(books[0].author)
    let label = Label("red")
    label.books = [books[1]]
    let new = Book("new", author: author)
    context.insert(new)
    books[2].author = author
    try context.delete(model: Author.self, where: #Predicate { $0.name == "of A" })
    try context.delete(model: Book.self, where: #Predicate { $0.title == "B" })
    if asksBefore { _ = try context.fetchCount(FetchDescriptor<Author>()) }
    context.insert(label)
    try context.save()
    #expect(author.isDeleted && books[1].isDeleted)
    #expect(new.author == nil && books[2].author == nil && label.books.isEmpty)
    let other = ModelContext(context.container)
    #expect(
      try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        .map { "\($0.title) \($0.author?.name ?? "-")" } == ["A -", "C -", "new -"])
    #expect(try other.fetch(FetchDescriptor<Label>()).map(\.books.count) == [0])
  }

  @Test("by a cascade empties unsaved links, too")
  func unsavedLinksOfCascades() throws {
    let (context, books) = try library()
    let page = try #require(books[0].pages?.first)
    context.insert(PageMark("here", page))
    try context.delete(model: Book.self, where: #Predicate { $0.title == "A" })
    try context.save()
    let stored = try ModelContext(context.container).fetch(FetchDescriptor<PageMark>())
    #expect(stored.map { $0.page == nil } == [true])
  }

  @Test("is called off by a rollback")
  func rollback() throws {
    let (context, _) = try library()
    try context.delete(model: Book.self)
    context.rollback()
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 3)
  }

  @Test("is refused as a whole when a rule denies it, and can be mended")
  func denied() throws {
    let (context, books) = try library()
    let loan = Loan("reader", books[1])
    context.insert(loan)
    try context.save()
    let count = try context.history().count
    try context.delete(model: Book.self)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .danglingReference)
    #expect(error?.explanation.contains("a Book can't be deleted while ") == true)
    #expect(error?.explanation.contains(" refers to it") == true)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 3)
    #expect(try context.history().count == count)
    try context.delete(model: Loan.self)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(loan.isDeleted)
  }

  @Test("evaluates in memory where SQL can't")
  func memory() throws {
    let context = ModelContext(try memoryContainer(Sample.self))
    for number in 0..<4 { context.insert(Sample(int: number)) }
    try context.save()
    let filtered = MemoryFiltering.count
    try context.delete(
      model: Sample.self, where: #Predicate { $0.int > 1 && $0.strings.last == "b" })
    try context.save()
    #expect(MemoryFiltering.count > filtered)
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 2)
  }

  @Test("of a class that the container doesn't have is refused at once")
  func unknown() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    #expect(throws: SwiftDataError.unknownSchema) { try context.delete(model: Trip.self) }
  }

  @Test("notifies of all deleted models when the context has saved")
  func notification() throws {
    let (context, books) = try library()
    let expected = Set(books.map(\.persistentModelID))
    nonisolated(unsafe) var deleted: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      deleted = note.userInfo?["deleted"] as? [PersistentIdentifier] ?? []
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.delete(model: Book.self)
    try context.save()
    #expect(Set(deleted).isSuperset(of: expected))
    #expect(deleted.count == 9)
  }
}
