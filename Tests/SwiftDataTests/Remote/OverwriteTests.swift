import SwiftData
import Testing

/// Saves under the policy `overwrite`, in which an updated model has no changed value of its own row: others' edits of
/// that row, and its deletion, are no conflict.
@Suite("Overwriting saves leave rows alone of which only lists have changed")
struct OverwriteTests {
  /// A change of lists.
  enum Change: CaseIterable {
    case inserting, appending, emptying, deleting, pairing, unpairing

    /// Whether the row of the author, or otherwise that of the book, has only changed lists.
    var isOfAuthor: Bool { ![.pairing, .unpairing].contains(self) }
    /// Whether something new leads to that row.
    var links: Bool { [.inserting, .appending, .pairing].contains(self) }
  }

  let container: ModelContainer
  let context: ModelContext
  let other: ModelContext
  let author = Author("a")
  let book = Book("b")
  let label = Label("l")

  init() throws {
    container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    context = ModelContext(container)
    context.mergesChangesAutomatically = false
    context.mergePolicy = .overwrite
    other = ModelContext(container)
    context.insert(author)
    context.insert(book)
    context.insert(label)
    book.author = author
    book.labels = [label]
    try context.save()
  }

  private func make(_ change: Change) {
    switch change {
    case .inserting:
      let second = Book("second")
      context.insert(second)
      second.author = author
    case .appending: author.books.append(Book("second"))
    case .emptying: author.books = []
    case .deleting: context.delete(book)
    case .pairing: book.labels.append(Label("second"))
    case .unpairing: book.labels = []
    }
  }

  @Test("others' values stay", arguments: Change.allCases)
  func values(change: Change) throws {
    for author in try other.fetch(FetchDescriptor<Author>()) { author.name = "theirs" }
    for book in try other.fetch(FetchDescriptor<Book>()) { book.title = "theirs" }
    for label in try other.fetch(FetchDescriptor<Label>()) { label.text = "theirs" }
    try other.save()
    make(change)
    try context.save()
    let fresh = ModelContext(container)
    let authors = try fresh.fetch(FetchDescriptor<Author>())
    let books = try fresh.fetch(FetchDescriptor<Book>())
    let labels = try fresh.fetch(FetchDescriptor<Label>())
    #expect(authors.map(\.name) == ["theirs"])
    // The book's own link has changed when the list is emptied.
    let title = change == .emptying ? "b" : "theirs"
    let isGrown = change.isOfAuthor && change.links
    #expect(
      books.map(\.title).sorted()
        == (change == .deleting ? [] : isGrown ? ["second", title] : [title]))
    #expect(labels.map(\.text).sorted() == (change == .pairing ? ["second"] : []) + ["theirs"])
    let linked = change.isOfAuthor ? authors.first?.books.count : books.first?.labels.count
    #expect(linked == (change.links ? 2 : 0))
  }

  @Test("a row that others have deleted doesn't come back", arguments: Change.allCases)
  func deletion(change: Change) throws {
    if change.isOfAuthor {
      for author in try other.fetch(FetchDescriptor<Author>()) { other.delete(author) }
    } else {
      for book in try other.fetch(FetchDescriptor<Book>()) { other.delete(book) }
    }
    try other.save()
    make(change)
    if change.links {
      let error = #expect(throws: StoreError.self) { try context.save() }
      #expect(error?.code == .danglingReference)
    } else {
      try context.save()
    }
    let fresh = ModelContext(container)
    let count =
      try change.isOfAuthor
      ? fresh.fetchCount(FetchDescriptor<Author>()) : fresh.fetchCount(FetchDescriptor<Book>())
    #expect(count == 0)
  }
}
