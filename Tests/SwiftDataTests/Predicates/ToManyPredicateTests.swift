import SwiftData
import Testing

@Suite("Predicates on relationships to many are answered by the store")
struct ToManyPredicateTests {
  let container: ModelContainer

  init() throws { container = try smallLibrary() }

  @Test("some and all, through a key in the other table")
  func quantifiersThroughKeys() throws {
    let title = "Bees"
    try expectSameAnswer(
      #Predicate<Author> { $0.books.contains { $0.title == title } }, in: container)
    try expectSameAnswer(
      #Predicate<Author> { !$0.books.contains { $0.title < title } }, in: container)
    try expectSameAnswer(
      #Predicate<Author> { $0.books.allSatisfy { $0.title > title } }, in: container)
    try expectSameAnswer(
      #Predicate<Author> { $0.books.contains { $0.title.localizedStandardContains("EE") } },
      in: container)
  }

  @Test("some and all, through tables of pairs")
  func quantifiersThroughPairs() throws {
    try expectSameAnswer(
      #Predicate<Book> { $0.labels.contains { $0.text == "red" } }, in: container)
    try expectSameAnswer(
      #Predicate<Label> { $0.books.allSatisfy { $0.title < "Dune" } }, in: container)
    try expectSameAnswer(
      #Predicate<Shelf> { $0.books.contains { $0.title == "Aloe" } }, in: container)
    try expectSameAnswer(
      #Predicate<Branch> { $0.children.contains { $0.name == "a" } }, in: container)
  }

  @Test("emptiness and count")
  func emptinessAndCount() throws {
    try expectSameAnswer(#Predicate<Author> { $0.books.isEmpty }, in: container)
    try expectSameAnswer(#Predicate<Book> { !$0.labels.isEmpty }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.labels.count == 2 }, in: container)
    try expectSameAnswer(#Predicate<Author> { $0.books.count > 2 }, in: container)
    try expectSameAnswer(
      #Predicate<Author> { $0.books.filter { $0.title < "C" }.count == 1 }, in: container)
    try expectSameAnswer(
      #Predicate<Book> { $0.labels.filter { $0.text == "new" }.isEmpty }, in: container)
    try expectSameAnswer(
      #Predicate<Author> { $0.books.filter { $0.title > "B" }.contains { $0.title < "C" } },
      in: container)
  }

  @Test("optional lists")
  func optionalLists() throws {
    try expectSameAnswer(
      #Predicate<Book> { $0.pages?.contains { $0.number > 7 } ?? false }, in: container)
    try expectSameAnswer(#Predicate<Book> { ($0.pages?.count ?? 0) >= 4 }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.pages?.isEmpty == true }, in: container)
    try expectSameAnswer(
      #Predicate<Book> { $0.pages == nil }, in: container, isSelective: false)
    try expectSameAnswer(#Predicate<Shelf> { ($0.labels?.count ?? 5) == 1 }, in: container)
    try expectSameAnswer(
      #Predicate<Book> { $0.author?.books.contains { $0.title == "Bees" } ?? true },
      in: container)
    try expectSameAnswer(#Predicate<Book> { ($0.author?.books.count ?? 2) > 2 }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.author?.books.isEmpty == false }, in: container)
  }

  @Test("many inside many, one inside many, the outer model inside the closure")
  func nested() throws {
    try expectSameAnswer(
      #Predicate<Author> { $0.books.contains { $0.labels.contains { $0.text == "blue" } } },
      in: container)
    try expectSameAnswer(
      #Predicate<Author> { $0.books.contains { $0.labels.allSatisfy { $0.text == "red" } } },
      in: container)
    try expectSameAnswer(
      #Predicate<Label> { $0.books.contains { $0.author?.name == "Bob" } }, in: container)
    try expectSameAnswer(
      #Predicate<Label> { $0.books.contains { $0.cover?.colour == "green" } }, in: container)
    try expectSameAnswer(
      #Predicate<Author> { author in author.books.contains { $0.title == author.name } },
      in: container)
    try expectSameAnswer(
      #Predicate<Author> { author in
        author.books.contains { book in
          book.labels.contains {
            $0.books.contains { $0.title > book.title && $0.title > author.name }
          }
        }
      }, in: container)
    try expectSameAnswer(
      #Predicate<Branch> { branch in branch.children.contains { $0.name == branch.name } },
      in: container)
  }

  @Test("a model in a list, identifiers in a list")
  func members() throws {
    let context = ModelContext(container)
    let bees = try #require(
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Bees" })).first)
    let id = bees.persistentModelID
    try expectSameAnswer(
      #Predicate<Author> { $0.books.contains { $0.persistentModelID == id } }, in: container)
    try expectSameAnswer(
      #Predicate<Book> { book in book.labels.contains { $0.books.contains(book) } },
      in: container)
    let ids = try context.fetch(FetchDescriptor<Label>()).prefix(2).map(\.persistentModelID)
    try expectSameAnswer(
      #Predicate<Book> { $0.labels.contains { ids.contains($0.persistentModelID) } },
      in: container)
    try expectSameAnswer(
      #Predicate<Book> { $0.labels.allSatisfy { !ids.contains($0.id) } }, in: container)
  }

  @Test("captured lists, tested one by one")
  func capturedLists() throws {
    let beginnings = ["A", "C"]
    try expectSameAnswer(
      #Predicate<Book> { book in beginnings.contains { book.title.starts(with: $0) } },
      in: container)
    try expectSameAnswer(
      #Predicate<Book> { book in beginnings.allSatisfy { !book.title.contains($0) } },
      in: container)
    try expectSameAnswer(
      #Predicate<Author> { author in
        beginnings.contains { letter in author.books.contains { $0.title.contains(letter) } }
      }, in: container)
  }

  @Test("the order of many is known to memory only")
  func order() throws {
    try expectSameAnswer(
      #Predicate<Author> { $0.books.first?.title == "Bees" }, in: container, isExact: false)
  }
}
