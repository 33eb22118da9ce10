import Foundation
import SwiftData
import Testing

@Suite("Edits of a row deleted elsewhere are discarded with a notification")
struct DeletedElsewhereTests {
  let container: ModelContainer
  let context: ModelContext
  let other: ModelContext

  init() throws {
    container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    context = ModelContext(container)
    context.mergesChangesAutomatically = false
    other = ModelContext(container)
    let book = Book("one", author: Author("a"))
    book.labels = [Label("l")]
    context.insert(book)
    context.insert(Book("two"))
    try context.save()
  }

  private func book(_ title: String, in context: ModelContext) throws -> Book {
    try #require(
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title })).first)
  }

  private func deleteElsewhere(_ title: String) throws {
    other.delete(try book(title, in: other))
    try other.save()
  }

  /// Returns the user info of the notification of the context's next save.
  private func saved() throws -> [AnyHashable: Any] {
    nonisolated(unsafe) var told: [AnyHashable: Any] = [:]
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { told = $0.userInfo ?? [:] }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    return told
  }

  @Test("the deletion stays, the model is marked and the notification names it")
  func told() throws {
    let mine = try book("one", in: context)
    let second = try book("two", in: context)
    mine.title = "edited"
    second.title = "kept"
    try deleteElsewhere("one")
    let told = try saved()
    #expect(mine.isDeleted && !context.hasChanges)
    #expect(mine.title == "edited")
    let discarded = told[ModelContext.NotificationKey.discardedIdentifiers.rawValue]
    #expect(discarded as? [PersistentIdentifier] == [mine.persistentModelID])
    let updated = told[ModelContext.NotificationKey.updatedIdentifiers.rawValue]
    #expect(updated as? [PersistentIdentifier] == [second.persistentModelID])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.title) == ["kept"])
  }

  @Test("a new relationship to it is saved without a destination")
  func related() throws {
    let mine = try book("one", in: context)
    let author = try #require(mine.author)
    let cover = Cover("red")
    let page = Page(1)
    context.insert(cover)
    context.insert(page)
    try context.save()
    mine.title = "edited"
    page.book = mine
    mine.cover = cover
    let label = Label("new")
    label.books = [mine]
    context.insert(label)
    let inserted = Page(2)
    context.insert(inserted)
    inserted.book = mine
    try deleteElsewhere("one")
    try context.save()
    #expect(mine.isDeleted)
    #expect(page.book == nil && inserted.book == nil && cover.book == nil)
    #expect(label.books.isEmpty && author.books.isEmpty)
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Page>()).allSatisfy { $0.book == nil })
    #expect(try fresh.fetchCount(FetchDescriptor<Label>()) == 2)
    #expect(try fresh.fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test("a new relationship to it alone is refused with the reason, and can be taken back")
  func relatedAlone() throws {
    let mine = try book("one", in: context)
    let page = Page(1)
    context.insert(page)
    page.book = mine
    try deleteElsewhere("one")
    do {
      try context.save()
      Issue.record("The link was saved.")
    } catch let error as StoreError {
      #expect(error.code == .danglingReference)
      #expect(error.explanation.contains("Page leads by book to a Book that another context"))
      #expect(!error.explanation.contains("can't be deleted"))
    }
    page.book = nil
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Page>()) == 1)
  }

  @Test("a save that fails for another reason gives up nothing")
  func failure() throws {
    let mine = try book("one", in: context)
    mine.title = "edited"
    try deleteElsewhere("one")
    let loan = try book("two", in: context)
    context.insert(Loan("r", loan))
    try other.delete(model: Book.self)
    try other.save()
    #expect(throws: (any Error).self) { try context.save() }
    #expect(context.hasChanges)
    #expect(mine.hasChanges && !mine.isDeleted)
  }

  @Test("bringing the row back is a policy")
  func back() throws {
    context.mergePolicy = .propertyObjectTrump
    let mine = try book("one", in: context)
    mine.title = "edited"
    try deleteElsewhere("one")
    let told = try saved()
    #expect(!mine.isDeleted)
    let discarded = told[ModelContext.NotificationKey.discardedIdentifiers.rawValue]
    #expect((discarded as? [PersistentIdentifier])?.isEmpty == true)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 2)
  }
}
