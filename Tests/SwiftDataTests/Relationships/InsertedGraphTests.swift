import SwiftData
import Testing

@Suite("A graph that is inserted by one of its models")
struct InsertedGraphTests {
  @Test("keeps what lists in the middle of it held by themselves")
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

  @Test("keeps both ends of one to many, whichever end says more")
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
