import Foundation
import SwiftData
import Testing

@Suite("Models inserted again after their saved deletion")
struct InsertedAgainTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Author.self, Shelf.self)
    context = ModelContext(container)
  }

  /// Saves a book with an author, a cover and a label.
  private func book() throws -> Book {
    let book = Book("B", author: Author("A"))
    book.cover = Cover("red")
    book.labels = [Label("L")]
    context.insert(book)
    try context.save()
    return book
  }

  /// Describes the links of all books, from both ends.
  private func links(in context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Author>()).map { "author of \($0.books.map(\.title))" }
      + context.fetch(FetchDescriptor<Cover>()).map { "cover of \($0.book?.title ?? "-")" }
      + context.fetch(FetchDescriptor<Label>()).map { "label of \($0.books.map(\.title))" }
      + context.fetch(FetchDescriptor<Book>()).map {
        "\($0.author?.name ?? "-") \($0.cover?.colour ?? "-") \($0.labels.map(\.text))"
      }
  }

  private static let all = [
    #"author of ["B"]"#, "cover of B", #"label of ["B"]"#, #"A red ["L"]"#,
  ]
  private static let none = ["author of []", "cover of -", "label of []"]

  @Test("are led to by what they lead to, before the save and after it", arguments: [false, true])
  func links(isFetched: Bool) throws {
    var model = try book()
    var context = context
    if isFetched {
      context = ModelContext(container)
      model = try #require(try context.fetch(FetchDescriptor<Book>()).first)
      #expect(model.labels.count == 1)
    }
    context.delete(model)
    try context.save()
    #expect(try links(in: context) == Self.none)
    context.insert(model)
    #expect(try links(in: context) == Self.all)
    try context.save()
    #expect(try links(in: context) == Self.all)
    #expect(try links(in: ModelContext(container)) == Self.all)
  }

  @Test("lead there no longer when that is undone, and do again when it is redone")
  func undone() throws {
    let model = try book()
    context.delete(model)
    try context.save()
    context.undoManager = UndoManager()
    context.insert(model)
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(try links(in: context) == Self.none)
    context.undoManager?.redo()
    #expect(try links(in: context) == Self.all)
    try context.save()
    #expect(try links(in: ModelContext(container)) == Self.all)
  }

  @Test("lead to nothing where the row of their destination is gone", arguments: [false, true])
  func goneDestination(isDeletedElsewhere: Bool) throws {
    _ = try book()
    let context = ModelContext(container)
    let model = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    model.labels = []
    context.delete(model)
    try context.save()
    let other = isDeletedElsewhere ? ModelContext(container) : context
    for author in try other.fetch(FetchDescriptor<Author>()) { other.delete(author) }
    try other.save()
    context.insert(model)
    #expect(model.author == nil && model.cover?.colour == "red")
    try context.save()
    let left = ["cover of B", "label of []", "- red []"]
    #expect(try links(in: context) == left)
    #expect(try links(in: ModelContext(container)) == left)
  }

  @Test("are saved without a destination whose deletion waits for the same save")
  func destinationToDelete() throws {
    _ = try book()
    let context = ModelContext(container)
    let model = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    context.delete(model)
    try context.save()
    for author in try context.fetch(FetchDescriptor<Author>()) { context.delete(author) }
    context.insert(model)
    try context.save()
    #expect(model.author == nil && model.cover?.colour == "red")
    let left = ["cover of B", #"label of ["B"]"#, #"- red ["L"]"#]
    #expect(try links(in: ModelContext(container)) == left)
  }

  @Test("lead to a destination without an inverse before the save, too")
  func oneWay() throws {
    let container = try memoryContainer(Town.self)
    let first = ModelContext(container)
    let stored = Town(key: 1)
    stored.seen = Thing(key: 2)
    first.insert(stored)
    try first.save()
    let context = ModelContext(container)
    let town = try #require(try context.fetch(FetchDescriptor<Town>()).first)
    context.delete(town)
    try context.save()
    context.insert(town)
    #expect(town.seen?.key == 2)
    try context.save()
    #expect(town.seen?.key == 2)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Town>()).map { $0.seen?.key } == [2])
  }
}
