import SwiftData
import Testing

@Suite("Both ends of a relationship change together")
struct InverseTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Author.self, Shelf.self, Branch.self)
    context = ModelContext(container)
  }

  func fresh() -> ModelContext { ModelContext(container) }

  func authors(_ context: ModelContext) throws -> [Author] {
    try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
  }

  func book(_ title: String, _ context: ModelContext) throws -> Book {
    try #require(
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title })).first)
  }

  @Test("destinations are found though only the root is listed")
  func traversal() {
    let names = Set(container.schema.entities.map(\.name))
    #expect(
      names.isSuperset(of: ["Author", "Book", "Page", "Label", "Loan", "Cover", "Shelf", "Branch"]))
    let books = container.schema.entitiesByName["Author"]?.relationshipsByName["books"]
    #expect(books?.inverseName == "author")
    #expect(books?.isToOneRelationship == false)
    #expect(
      container.schema.entitiesByName["Cover"]?.relationshipsByName["book"]?.inverseName == "cover")
    #expect(
      container.schema.entitiesByName["Shelf"]?.relationshipsByName["books"]?.inverseName == nil)
  }

  @Test("setting the to-one side fills the list before the save, and the save keeps it")
  func fromToOne() throws {
    let author = Author("Woolf")
    context.insert(author)
    let book = Book("Orlando", author: author)
    context.insert(book)
    #expect(author.books.map(\.title) == ["Orlando"])
    let second = Book("The Waves")
    second.author = author
    #expect(author.books.map(\.title) == ["Orlando", "The Waves"], "it came into the context")
    context.insert(second)
    #expect(author.books.map(\.title) == ["Orlando", "The Waves"])
    try context.save()
    let read = try #require(try authors(fresh()).first)
    #expect(Set(read.books.map(\.title)) == ["Orlando", "The Waves"])
    #expect(read.books.allSatisfy { $0.author === read })
  }

  @Test("appending to the list sets the to-one side")
  func fromToMany() throws {
    let author = Author("Woolf")
    context.insert(author)
    try context.save()
    let book = Book("Orlando")
    author.books.append(book)
    #expect(book.author === author)
    #expect(book.modelContext === context)
    try context.save()
    #expect(book.author === author)
    #expect(try self.book("Orlando", fresh()).author?.name == "Woolf")
  }

  @Test("a book that moves leaves its old author, loaded or not")
  func reparenting() throws {
    let first = Author("A")
    let second = Author("B")
    first.books = [Book("1"), Book("2")]
    context.insert(first)
    context.insert(second)
    try context.save()

    let other = fresh()
    let moved = try book("1", other)
    let both = try authors(other)
    moved.author = both[1]
    #expect(both[0].books.map(\.title) == ["2"], "read after the move, before the save")
    #expect(both[1].books.map(\.title) == ["1"])
    both[0].books.append(moved)
    #expect(both[1].books.isEmpty)
    #expect(moved.author === both[0])
    both[1].books = both[0].books
    #expect(both[0].books.isEmpty)
    try other.save()
    let read = try authors(fresh())
    #expect(read.map { Set($0.books.map(\.title)) } == [[], ["1", "2"]])
  }

  @Test("one to one: setting a taken destination moves it, from either end")
  func oneToOne() throws {
    let books = [Book("1"), Book("2")]
    let cover = Cover("red")
    for book in books { context.insert(book) }
    books[0].cover = cover
    #expect(cover.book === books[0])
    try context.save()
    cover.book = books[1]
    #expect(books[0].cover == nil)
    #expect(books[1].cover === cover)
    try context.save()

    let other = fresh()
    let first = try book("1", other)
    let read = try #require(try other.fetch(FetchDescriptor<Cover>()).first)
    first.cover = read
    #expect(try book("2", other).cover == nil)
    #expect(read.book === first)
    try other.save()
    let last = fresh()
    #expect(try book("1", last).cover?.colour == "red")
    #expect(try book("2", last).cover == nil)
  }

  @Test("many to many: both lists, pairs once, removal from either side")
  func manyToMany() throws {
    let books = [Book("1"), Book("2")]
    let labels = [Label("a"), Label("b")]
    books[0].labels = labels
    labels[1].books.append(books[0])
    context.insert(books[0])
    context.insert(books[1])
    #expect(labels[0].books.map(\.title) == ["1"])
    #expect(labels[1].books.map(\.title) == ["1"])
    books[1].labels.append(labels[1])
    try context.save()

    let other = fresh()
    let first = try book("1", other)
    #expect(Set(first.labels.map(\.text)) == ["a", "b"])
    let b = try #require(first.labels.first { $0.text == "b" })
    #expect(Set(b.books.map(\.title)) == ["1", "2"])
    b.books.removeAll { $0.title == "1" }
    #expect(first.labels.map(\.text) == ["a"])
    try other.save()

    let last = fresh()
    #expect(try book("1", last).labels.map(\.text) == ["a"])
    #expect(try book("2", last).labels.map(\.text) == ["b"])
  }

  @Test("without an inverse a model may stand in several lists")
  func oneWay() throws {
    let shelves = [Shelf("left"), Shelf("right")]
    let book = Book("1")
    for shelf in shelves {
      shelf.books = [book]
      context.insert(shelf)
    }
    try context.save()
    let read = try fresh().fetch(FetchDescriptor<Shelf>())
    #expect(read.map { $0.books.map(\.title) } == [["1"], ["1"]])
  }

  @Test("a tree of one class")
  func tree() throws {
    let root = Branch("root", children: [Branch("a", children: [Branch("a1")]), Branch("b")])
    context.insert(root)
    #expect(context.insertedModelsArray.count == 4)
    #expect(root.children[0].parent === root)
    try context.save()
    let read = try #require(
      try fresh().fetch(FetchDescriptor<Branch>(predicate: #Predicate { $0.name == "a1" })).first)
    #expect(read.parent?.parent?.name == "root")
  }

  @Test("rollback restores both ends from the store")
  func rollback() throws {
    let authors = [Author("A"), Author("B")]
    authors[0].books = [Book("1"), Book("2")]
    for author in authors { context.insert(author) }
    try context.save()
    let book = authors[0].books[0]
    book.author = authors[1]
    book.labels = [Label("new")]
    authors[0].books.append(Book("3"))
    context.delete(authors[0].books[0])
    context.rollback()
    #expect(Set(authors[0].books.map(\.title)) == ["1", "2"])
    #expect(authors[1].books.isEmpty)
    #expect(book.author === authors[0])
    #expect(book.labels.isEmpty)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try self.authors(fresh()).map(\.books.count) == [2, 0])
  }

  @Test("a list of the same model twice has it once")
  func repetition() throws {
    let author = Author("A")
    context.insert(author)
    let book = Book("1")
    author.books = [book, book]
    #expect(author.books.count == 1)
    author.books.append(book)
    #expect(author.books.count == 1)
    try context.save()
    #expect(try authors(fresh()).first?.books.count == 1)
  }

  @Test("a new model that is related to one of a context comes into it, and the other end follows")
  func joining() throws {
    let context = ModelContext(try memoryContainer(Author.self))
    let author = Author("a")
    context.insert(author)
    try context.save()
    let book = Book("one")
    book.author = author
    #expect(book.modelContext === context)
    #expect(author.books.map(\.title) == ["one"])
    let label = Label("l")
    label.books = [book]
    #expect(label.modelContext === context && book.labels == [label])
    try context.save()
    let stored = try ModelContext(context.container).fetch(FetchDescriptor<Author>())
    #expect(stored.first?.books.first?.labels.map(\.text) == ["l"])
  }

  @Test("a new model that is related to new ones, or to deleted ones, comes into no context")
  func notJoining() throws {
    let context = ModelContext(try memoryContainer(Author.self))
    let author = Author("a")
    let book = Book("one")
    book.author = author
    #expect(book.modelContext == nil)
    context.insert(author)
    try context.save()
    context.delete(author)
    let other = Book("two")
    other.author = author
    #expect(other.modelContext == nil)
  }

  @Test("a chain of fifty thousand inserts and deletes without running out of stack")
  func longChain() throws {
    // The array keeps all elements alive, because Swift releases a chain of objects recursively.
    let chain = (0..<50_000).map { Branch("\($0)") }
    for (parent, child) in zip(chain, chain.dropFirst()) { child.parent = parent }
    context.insert(chain[49_999])
    try context.save()
    #expect(try fresh().fetchCount(FetchDescriptor<Branch>()) == 50_000)
    context.delete(chain[0])
    try context.save()
    #expect(try fresh().fetchCount(FetchDescriptor<Branch>()) == 0)
  }

  @Test("an upsert adds to the links of the row that was there")
  func upsert() throws {
    let author = Author("A")
    author.books = [Book("1")]
    context.insert(author)
    try context.save()
    let other = fresh()
    let same = Author("A")
    same.books = [Book("2")]
    other.insert(same)
    try other.save()
    #expect(Set(same.books.map(\.title)) == ["1", "2"])
    #expect(try authors(fresh()).map { Set($0.books.map(\.title)) } == [["1", "2"]])
  }

  @Test("observers of a list are notified of a change of the other end")
  func observation() throws {
    let author = Author("A")
    context.insert(author)
    try context.save()
    nonisolated(unsafe) var fired = false
    withObservationTracking {
      _ = author.books.count
    } onChange: {
      fired = true
    }
    context.insert(Book("1", author: author))
    #expect(fired)
    #expect(author.books.count == 1)
  }

  @Test("a placeholder for a missing model never becomes a row")
  func standIn() throws {
    let author = Author("A")
    context.insert(author)
    try context.save()
    let identifier = author.persistentModelID
    context.delete(author)
    try context.save()
    let other = fresh()
    let standIn = try #require(other.model(for: identifier) as? Author)
    let book = Book("1")
    other.insert(book)
    book.author = standIn
    try other.save()
    #expect(try fresh().fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(try self.book("1", fresh()).author == nil)
    other.insert(standIn)
    #expect(throws: SwiftDataError.self) { try other.save() }
  }
}
