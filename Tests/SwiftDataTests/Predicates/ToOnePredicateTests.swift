import SwiftData
import Testing

@Suite("Predicates on relationships to one are answered by the store")
struct ToOnePredicateTests {
  let container: ModelContainer

  init() throws { container = try smallLibrary() }

  @Test("the key in the model's own table or in the other one")
  func bothEnds() throws {
    try expectSameAnswer(#Predicate<Cover> { $0.book?.title == "Bees" }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.cover?.colour == "green" }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.cover?.colour != "green" }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.cover == nil }, in: container)
    try expectSameAnswer(
      #Predicate<Cover> { $0.book == nil }, in: container, isSelective: false)
    try expectSameAnswer(
      #Predicate<Book> { $0.cover != nil && $0.cover!.colour > "green" }, in: container)
    try expectSameAnswer(
      #Predicate<Loan> { $0.book.title == "Cleo" && $0.reader > "B" }, in: container)
    try expectSameAnswer(
      #Predicate<Loan> { ($0.book.author?.name ?? "") == $0.reader }, in: container,
      isSelective: false)
  }

  @Test("several steps, back and forth")
  func steps() throws {
    try expectSameAnswer(
      #Predicate<Cover> { $0.book?.cover?.book?.author?.name == "Ann" }, in: container)
    try expectSameAnswer(
      #Predicate<Book> { $0.cover?.book?.title == "Cats" }, in: container)
    try expectSameAnswer(#Predicate<Branch> { $0.parent?.parent?.name == "root" }, in: container)
    try expectSameAnswer(#Predicate<Branch> { ($0.parent?.name ?? "a") == $0.name }, in: container)
    try expectSameAnswer(
      #Predicate<Book> { $0.cover?.book?.labels.contains { $0.text == "red" } == true },
      in: container)
    try expectSameAnswer(#Predicate<Page> { ($0.book?.pages?.count ?? 0) > 4 }, in: container)
  }

  @Test("models compared with models and identifiers")
  func identity() throws {
    let context = ModelContext(container)
    let red = try #require(
      try context.fetch(FetchDescriptor<Cover>(predicate: #Predicate { $0.colour == "red" })).first)
    let id = red.persistentModelID
    let none: PersistentIdentifier? = nil
    try expectSameAnswer(#Predicate<Book> { $0.cover?.persistentModelID == id }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.cover?.id != id }, in: container)
    try expectSameAnswer(#Predicate<Book> { $0.cover?.persistentModelID == none }, in: container)
    try expectSameAnswer(
      #Predicate<Book> { $0.cover?.book == $0.author?.books.first?.cover?.book }, in: container,
      isExact: false)
    try expectSameAnswer(
      #Predicate<Branch> { $0.parent == $0.parent?.parent }, in: container)
  }
}
