import SwiftData
import Testing

@Suite("Predicates and sorts see unsaved changes behind relationships")
struct UnsavedChangeTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try smallLibrary()
    context = ModelContext(container)
  }

  private func one<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> Model {
    try #require(try context.fetch(FetchDescriptor(predicate: predicate)).first)
  }

  private func titles(
    _ predicate: Predicate<Book>, _ sort: [SortDescriptor<Book>] = [SortDescriptor(\.title)]
  ) throws -> [String] {
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
    let books = try context.fetch(descriptor)
    #expect(try context.fetchCount(descriptor) == books.count)
    #expect(try context.fetchIdentifiers(descriptor) == books.map(\.persistentModelID))
    return books.map(\.title)
  }

  @Test("an edit, in the fetched model's relation to one")
  func edits() throws {
    let author = try one(#Predicate<Author> { $0.name == "Bob" })
    let before = try titles(#Predicate { $0.author?.name == "Bob" })
    author.name = "Zoe"
    #expect(try titles(#Predicate { $0.author?.name == "Zoe" }) == before)
    #expect(try titles(#Predicate { $0.author?.name == "Bob" }) == [])
    #expect(try titles(#Predicate { $0.author?.name == "Zoe" && $0.title < "C" }) == ["Bees"])
    context.rollback()
    #expect(try titles(#Predicate { $0.author?.name == "Bob" }) == before)
  }

  @Test("models put in and taken out of lists")
  func links() throws {
    let author = try one(#Predicate<Author> { $0.name == "nobody" })
    let title = "Bees"
    let predicate = #Predicate<Author> { $0.books.contains { $0.title == title } }
    #expect(try one(predicate).name == "Bob")
    let bees = try one(#Predicate<Book> { $0.title == title })
    author.books.append(bees)
    #expect(try one(predicate).name == "nobody")
    #expect(try context.fetch(FetchDescriptor(predicate: predicate)).count == 1)
    let label = try one(#Predicate<Label> { $0.text == "unused" })
    label.books = [bees]
    #expect(try titles(#Predicate { $0.labels.contains { $0.text == "unused" } }) == ["Bees"])
    let shelf = try one(#Predicate<Shelf> { $0.name == "empty" })
    shelf.books = [bees]
    let shelves = FetchDescriptor<Shelf>(
      predicate: #Predicate { $0.books.contains { $0.labels.contains { $0.text == "unused" } } },
      sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(shelves).map(\.name) == ["empty", "top"])
    try context.save()
    #expect(try context.fetch(shelves).map(\.name) == ["empty", "top"])
  }

  @Test("lists that were nil read as empty once they are saved, as predicates see them")
  func savedLists() throws {
    let book = Book("Newt")
    context.insert(book)
    let empty = #Predicate<Book> { $0.pages?.isEmpty == true && $0.title == "Newt" }
    let none = #Predicate<Book> { $0.pages == nil }
    #expect(try titles(none) == ["Newt"])
    try context.save()
    #expect(book.pages == [])
    #expect(try titles(empty) == ["Newt"])
    #expect(try titles(none) == [])
    book.title = "Newts"
    #expect(try titles(none) == [])
  }

  @Test("insertions and deletions")
  func insertionsAndDeletions() throws {
    let aloe = try one(#Predicate<Book> { $0.title == "Aloe" })
    let cover = try #require(aloe.cover)
    context.delete(cover)
    #expect(!(try titles(#Predicate { $0.cover == nil }).isEmpty))
    #expect(try titles(#Predicate { $0.cover == nil }).contains("Aloe"))
    let author = Author("new")
    author.books = [Book("Newt")]
    context.insert(author)
    #expect(try titles(#Predicate { $0.author?.name == "new" }) == ["Newt"])
    #expect(try one(#Predicate<Author> { $0.books.contains { $0.title == "Newt" } }) === author)
  }

  @Test("the order by a related model's values")
  func order() throws {
    let sort = [
      SortDescriptor(\Book.author?.name, order: .reverse), SortDescriptor(\Book.title),
    ]
    let all = #Predicate<Book> { _ in true }
    #expect(try titles(all, sort) == ["Cats", "Cleo", "Bees", "Aloe", "Bob", "Dunes", "Eels"])
    try one(#Predicate<Author> { $0.name == "Ann" }).name = "Zoe"
    #expect(try titles(all, sort) == ["Aloe", "Bob", "Dunes", "Cats", "Cleo", "Bees", "Eels"])
  }
}
