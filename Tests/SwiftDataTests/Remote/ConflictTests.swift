import Foundation
import SwiftData
import SwiftDataCore
import Testing

@Suite("A save detects conflicts with other writers")
struct ConflictTests {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext
  let other: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Counter.self, Author.self, Book.self)
    context = ModelContext(container)
    other = ModelContext(try store.container(Counter.self, Author.self, Book.self))
    _ = try context.saveCounter("a", value: 1)
  }

  /// Returns the context's edited model, after another context has changed its row.
  private func conflict(_ policy: MergePolicy) throws -> (mine: Counter, theirs: Counter) {
    context.mergePolicy = policy
    let mine = try #require(try context.counter("a"))
    let theirs = try #require(try other.counter("a"))
    mine.value = 10
    mine.remark = "mine"
    theirs.value = 20
    theirs.note = "theirs"
    try other.save()
    return (mine, theirs)
  }

  private func stored() throws -> [String?] {
    try ["value", "note", "remark"].map { try store.value("SELECT \($0) FROM \"Counter\"") }
  }

  @Test("by default local edits win, property by property")
  func objectTrump() throws {
    #expect(context.mergePolicy == .deletionTrump)
    let (mine, _) = try conflict(context.mergePolicy)
    try context.save()
    #expect(try stored() == ["10", "theirs", "mine"])
    #expect(mine.note == "theirs")
  }

  @Test("or the store's changes, property by property")
  func storeTrump() throws {
    let (mine, _) = try conflict(.propertyStoreTrump)
    try context.save()
    #expect(try stored() == ["20", "theirs", "mine"])
    #expect(mine.value == 20 && mine.note == "theirs" && mine.remark == "mine")
    #expect(!context.hasChanges)
  }

  @Test(
    "the store's links stay, also when the save deletes another model", arguments: [false, true])
  func storeTrumpOfLinks(deletes: Bool) throws {
    context.mergePolicy = .propertyStoreTrump
    let authors = ["A", "B", "C"].map(Author.init)
    for author in authors { context.insert(author) }
    let (book, second, junk) = (Book("1", author: authors[0]), Book("2"), Book("junk"))
    for book in [book, second, junk] { context.insert(book) }
    try context.save()
    book.author = authors[2]
    second.author = authors[2]
    let theirs = try #require(
      try other.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "1" })).first)
    theirs.author = try other.fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.name == "B" })
    ).first
    #expect(theirs.author != nil)
    try other.save()
    if deletes { context.delete(junk) }
    try context.save()
    let fresh = try ModelContext(container).fetch(
      FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .lexical)]))
    #expect(fresh.map(\.author?.name) == ["B", "C"] + (deletes ? [] : [nil]))
    #expect(book.author === authors[1] && second.author === authors[2])
    #expect(authors.map(\.books.count) == [0, 1, 1])
  }

  @Test("or the whole model as it is here")
  func overwrite() throws {
    let (mine, _) = try conflict(.overwrite)
    try context.save()
    #expect(try stored() == ["10", "", "mine"])
    #expect(mine.note.isEmpty)
  }

  @Test("or the store's, and the edits are dropped")
  func rollback() throws {
    let (mine, _) = try conflict(.rollback)
    let unrelated = Counter("b")
    context.insert(unrelated)
    try context.save()
    #expect(try store.value("SELECT value FROM \"Counter\" WHERE name = 'a'") == "20")
    #expect(try store.value("SELECT count(*) FROM \"Counter\"") == "2")
    #expect(mine.value == 20 && mine.note == "theirs" && mine.remark == nil)
    #expect(!context.hasChanges && !mine.hasChanges)
    mine.value = 3
    try context.save()
    #expect(try store.value("SELECT value FROM \"Counter\" WHERE name = 'a'") == "3")
  }

  @Test("or the save fails with the conflicts, and changes nothing")
  func error() throws {
    let (mine, _) = try conflict(.error)
    context.insert(Counter("b"))
    let error = try #require(throws: MergeConflictError.self) { try context.save() }
    let found = try #require(error.conflicts.first)
    #expect(error.conflicts.count == 1 && found.kind == .edited)
    #expect(found.persistentModelID == mine.persistentModelID)
    #expect(found.changedProperties == ["value", "note"])
    #expect(found.editedProperties == ["value", "remark"])
    #expect(found.baseValue(of: "value") as? Int == 1)
    #expect(found.storedValue(of: "value") as? Int == 20)
    #expect(found.localValue(of: "value") as? Int == 10)
    #expect(found.storedValue(of: "nothing") == nil)
    // The identifier may contain any digits.
    let words = error.description.replacingOccurrences(
      of: "\(found.persistentModelID)", with: "the counter")
    #expect(words.contains("the counter"))
    #expect(!words.contains("20") && !words.contains("theirs"))
    #expect(try stored() == ["20", "theirs", nil])
    #expect(try store.value("SELECT count(*) FROM \"Counter\"") == "1")
    #expect(mine.value == 10 && context.hasChanges)
    #expect(container.core.capabilities.first?.commitTracking?.position.transaction == 2)
    context.mergePolicy = .propertyObjectTrump
    try context.save()
    #expect(try stored() == ["10", "theirs", "mine"])
  }

  @Test(
    "rows unchanged by others are no conflict",
    .enabled(if: StoreKind.tested == .sqlite, "reads of a server look for commits every 20 ms"),
    arguments: [
      MergePolicy.error, .propertyStoreTrump, .rollback, .overwrite, .propertyObjectTrump,
      .deletionTrump,
    ])
  func unchanged(policy: MergePolicy) throws {
    context.mergePolicy = policy
    let mine = try #require(try context.counter("a"))
    let another = try #require(try other.counter("a"))
    another.note = "kept"
    try other.save()
    _ = try context.counter("a")
    mine.value = 2
    try context.save()
    mine.value = 3
    try context.save()
    #expect(try stored() == ["3", "kept", nil])
  }

  @Test(
    "edited here and deleted there",
    arguments: [
      (MergePolicy.propertyObjectTrump, true), (.overwrite, true), (.propertyStoreTrump, false),
      (.rollback, false), (.deletionTrump, false),
    ])
  func deletedThere(policy: MergePolicy, isBack: Bool) throws {
    context.mergePolicy = policy
    let mine = try #require(try context.counter("a"))
    mine.value = 5
    other.delete(try #require(try other.counter("a")))
    try other.save()
    try context.save()
    #expect(try store.value("SELECT value FROM \"Counter\"") == (isBack ? "5" : nil))
    #expect(mine.isDeleted != isBack)
    #expect(!context.hasChanges)
  }

  @Test(
    "with the policy error, a remote deletion and the deletion of a changed row are errors"
  )
  func deletionErrors() throws {
    context.mergePolicy = .error
    let mine = try #require(try context.counter("a"))
    let theirs = try #require(try other.counter("a"))
    theirs.note = "changed"
    try other.save()
    context.delete(mine)
    let deleted = try #require(throws: MergeConflictError.self) { try context.save() }
    #expect(deleted.conflicts.map(\.kind) == [.deletedHere])
    context.rollback()
    #expect(mine.note == "changed")
    mine.value = 5
    other.delete(theirs)
    try other.save()
    let edited = try #require(throws: MergeConflictError.self) { try context.save() }
    #expect(edited.conflicts.map(\.kind) == [.deletedInStore])
    #expect(edited.conflicts.first?.storedValue(of: "value") == nil)
    context.rollback()
    #expect(mine.isDeleted)
    #expect(!context.hasChanges)
  }

  @Test("with the policy error, an unchanged row may be deleted")
  func deletion() throws {
    context.mergePolicy = .error
    context.delete(try #require(try context.counter("a")))
    try context.save()
    #expect(try store.value("SELECT count(*) FROM \"Counter\"") == "0")
  }

  @Test(
    "another form of the same value, and a value encrypted again, are no conflict")
  func forms() throws {
    let container = try memoryContainer(
      SealedCounter.self, encryptionKey: EncryptionKey(Data(repeating: 7, count: 32)))
    let context = ModelContext(container)
    context.mergePolicy = .error
    let mine = SealedCounter("s")
    context.insert(mine)
    try context.save()
    let second = ModelContext(container)
    let theirs = try #require(try second.fetch(FetchDescriptor<SealedCounter>()).first)
    mine.value = 1
    // Written, but with the original value in the end.
    theirs.secret = "t"
    try second.save()
    theirs.secret = "s"
    try second.save()
    try context.save()
    mine.value = 2
    theirs.secret = "u"
    try second.save()
    #expect(throws: MergeConflictError.self) { try context.save() }
  }

  @Test("additions of both sides to a list are kept")
  func lists() throws {
    context.mergePolicy = .error
    other.mergePolicy = .error
    let author = Author("x")
    context.insert(author)
    try context.save()
    let theirs = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    author.books.append(Book("one"))
    theirs.books.append(Book("two"))
    try other.save()
    try context.save()
    #expect(try store.value("SELECT count(*) FROM \"Book\" WHERE author IS NOT NULL") == "2")
    #expect(author.books.count == 2)
  }

  @Test("writers that try again lose no increment")
  func increments() async throws {
    let store = store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        let container = try store.container(Counter.self, Author.self, Book.self)
        group.addTask {
          let context = ModelContext(container)
          context.mergePolicy = .error
          for _ in 0..<20 { _ = try increment(in: context) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.value("SELECT value FROM \"Counter\"") == "161")
  }
}

/// Increments the counter `a`, with as many attempts as necessary.
///
/// - Returns: The number of failed attempts.
func increment(in context: ModelContext) throws -> Int {
  var retries = 0
  while true {
    guard let counter = try context.counter("a") else { throw SwiftDataError.unknownSchema }
    counter.value += 1
    do {
      try context.save()
      return retries
    } catch is MergeConflictError {
      context.rollback()
      retries += 1
    }
  }
}
