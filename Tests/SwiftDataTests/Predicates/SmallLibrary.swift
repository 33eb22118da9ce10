import SwiftData

/// Returns a container with a few books and all kinds of related models.
func smallLibrary(_ container: ModelContainer? = nil) throws -> ModelContainer {
  let container = try container ?? memoryContainer(Author.self, Shelf.self, Branch.self)
  let context = ModelContext(container)
  let authors = ["Ann", "Bob", "Cleo", "nobody"].map(Author.init)
  let labels = ["red", "blue", "new", "unused"].map(Label.init)
  let titles = ["Aloe", "Bees", "Cats", "Dunes", "Eels", "Cleo", "Bob"]
  let books = titles.enumerated().map { number, title in
    let book = Book(title, author: number == 4 ? nil : authors[number % 3])
    book.labels = labels.enumerated().filter { number & (1 << $0.offset) != 0 && $0.offset < 3 }
      .map(\.element)
    if number.isMultiple(of: 2) { book.pages = (0..<number).map { Page($0 * number) } }
    if number < 3 { book.cover = Cover(["red", "green", "Cats"][number]) }
    if number == 5 { book.loans = [Loan("Ann", book), Loan("Cy", book)] }
    return book
  }
  for model in authors as [any PersistentModel] + books + labels { context.insert(model) }
  let shelves = ["top", "low", "empty"].map(Shelf.init)
  shelves[0].books = Array(books[0..<3])
  shelves[1].books = Array(books[2..<5])
  shelves[1].labels = [labels[0]]
  for shelf in shelves { context.insert(shelf) }
  context.insert(
    Branch("root", children: [Branch("a", children: [Branch("leaf"), Branch("a")]), Branch("b")]))
  try context.save()
  return container
}
