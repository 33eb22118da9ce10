import SwiftData
import Testing

@Suite("A graph inserted through one of its models")
struct InsertedGraphTests {
  @Test("keeps pairs that only one list had")
  func listsInTheMiddle() throws {
    let container = try memoryContainer(Author.self)
    let context = ModelContext(container)
    let first = Book("1")
    let second = Book("2")
    let label = Label("y")
    first.labels = [label]
    label.books.append(second)
    context.insert(first)
    #expect(Set(label.books.map(\.title)) == ["1", "2"])
    #expect(second.labels.map(\.text) == ["y"])
    try context.save()
    let reading = ModelContext(container)
    let stored = try #require(try reading.fetch(FetchDescriptor<Label>()).first)
    #expect(Set(stored.books.map(\.title)) == ["1", "2"])
  }

  @Test("keeps both ends of one to many, for pairs declared at either end")
  func oneToMany() throws {
    let container = try memoryContainer(Author.self)
    let context = ModelContext(container)
    let author = Author("A")
    let first = Book("1", author: author)
    author.books.append(Book("2"))
    context.insert(first)
    try context.save()
    let reading = ModelContext(container)
    let stored = try #require(try reading.fetch(FetchDescriptor<Author>()).first)
    #expect(Set(stored.books.map(\.title)) == ["1", "2"])
  }
}

@Suite("A relationship set to its former destination")
struct SameDestinationTests {
  @Test("stays although something else is deleted in the same save")
  func withDeletion() throws {
    let container = try memoryContainer(Author.self)
    let context = ModelContext(container)
    let author = Author("A")
    author.books = [Book("1"), Book("2")]
    let books = author.books
    context.insert(author)
    try context.save()
    context.delete(books[1])
    books[0].author = author
    try context.save()
    let reading = ModelContext(container)
    #expect(try reading.fetch(FetchDescriptor<Book>()).map(\.author?.name) == ["A"])
  }
}

@Suite("A row number released and reused in one save")
struct FreedRowTests {
  @Test("is known as the new model's")
  func registration() throws {
    let context = ModelContext(try memoryContainer(Author.self))
    let gone = Author("A")
    context.insert(gone)
    try context.save()
    context.delete(gone)
    let added = Author("B")
    context.insert(added)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Author>()).first === added)
    #expect(gone.isDeleted)
    #expect(gone.name == "A")
  }
}

@Suite("A model removed from a list and deleted")
struct RemovedModelTests {
  @Test("isn't taken for one that is made at its place in memory")
  func address() throws {
    let container = try memoryContainer(Author.self)
    let writing = ModelContext(container)
    let author = Author("A")
    author.books = (1...50).map { Book("\($0)") }
    writing.insert(author)
    try writing.save()
    let context = ModelContext(container)
    let read = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    var removed = (1...50).map { Book("removed \($0)", author: read) }
    for book in removed {
      context.insert(book)
      book.author = nil
      context.delete(book)
    }
    removed = []
    #expect(read.books.count == 50)
  }
}
