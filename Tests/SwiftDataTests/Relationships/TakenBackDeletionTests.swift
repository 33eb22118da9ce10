import Foundation
import SwiftData
import Testing

@Suite("Unsaved deletions that an insertion takes back")
struct TakenBackDeletionTests {
  let container: ModelContainer
  let context: ModelContext
  let author = Author("a")
  let book = Book("b")
  let label = Label("l")
  let page = Page(1)
  let cover = Cover("red")

  init() throws {
    container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    context = ModelContext(container)
    book.author = author
    book.labels = [label]
    book.pages = [page]
    book.cover = cover
    context.insert(book)
    try context.save()
  }

  /// Checks all ends of the relationships, in a context and after a save in the store.
  private func expectAll(in context: ModelContext) throws {
    func check(_ context: ModelContext) throws {
      let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
      let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
      let label = try #require(try context.fetch(FetchDescriptor<Label>()).first)
      let page = try #require(try context.fetch(FetchDescriptor<Page>()).first)
      let cover = try #require(try context.fetch(FetchDescriptor<Cover>()).first)
      #expect(book.author === author && author.books.map(\.title) == ["b"])
      #expect(book.labels == [label] && label.books == [book])
      #expect(book.pages == [page] && page.book === book)
      #expect(book.cover === cover && cover.book === book)
    }
    try check(context)
    try context.save()
    #expect(!context.hasChanges)
    try check(context)
    try check(ModelContext(container))
  }

  @Test("keep all links, from each end", arguments: ["author", "book", "label", "cover", "all"])
  func each(_ name: String) throws {
    let models: [any PersistentModel] =
      switch name {
      case "author": [author]
      case "book": [book]
      case "label": [label]
      case "cover": [cover]
      default: [author, label, cover, book]
      }
    func delete(_ model: some PersistentModel) { context.delete(model) }
    func insert(_ model: some PersistentModel) { context.insert(model) }
    for model in models { delete(model) }
    for model in models { insert(model) }
    try expectAll(in: context)
  }

  @Test("keep all links of models whose relationships weren't loaded")
  func unloaded() throws {
    let other = ModelContext(container)
    let author = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    other.delete(author)
    other.insert(author)
    try expectAll(in: other)
    let book = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    other.delete(book)
    other.insert(book)
    try expectAll(in: other)
  }

  @Test("bring back the models that went with them by a cascade, saved or not")
  func cascade() throws {
    let second = Page(2)
    book.pages?.append(second)
    context.delete(book)
    #expect(page.isDeleted && second.isDeleted)
    context.insert(book)
    #expect(!page.isDeleted && !second.isDeleted)
    #expect(Set((book.pages ?? []).map(\.number)) == [1, 2] && second.book === book)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Page>()) == 2)
  }

  @Test("take no destination from another model that has got it meanwhile")
  func moved() throws {
    let other = Author("other")
    context.insert(other)
    context.delete(author)
    book.author = other
    context.insert(author)
    #expect(book.author === other && other.books == [book] && author.books.isEmpty)
    try context.save()
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Book>()).first)
    #expect(stored.author?.name == "other")
  }

  @Test("have no link to a model that was deleted meanwhile")
  func deletedMeanwhile() throws {
    context.delete(author)
    context.delete(book)
    context.insert(author)
    #expect(author.books.isEmpty)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try other.fetch(FetchDescriptor<Author>()).map(\.books.count) == [0])
  }

  @Test("can be undone and redone")
  func undone() throws {
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    manager.beginUndoGrouping()
    context.delete(author)
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    context.insert(author)
    manager.endUndoGrouping()
    #expect(book.author === author && author.books == [book])
    manager.undo()
    #expect(book.author == nil && author.isDeleted)
    manager.redo()
    #expect(book.author === author && author.books == [book] && !author.isDeleted)
    manager.undo()
    manager.undo()
    try expectAll(in: context)
  }

  @Test("and a rollback restores them all")
  func rolledBack() throws {
    context.delete(author)
    context.insert(author)
    context.delete(book)
    context.rollback()
    try expectAll(in: context)
  }
}
