import Foundation
import Observation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Synchronization
import Testing

@MainActor
@Suite("Contexts follow the commits of others", .timeLimit(.minutes(20)))
struct MergingTests {
  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Counter.self, Author.self, Book.self)
  }

  private func elsewhere() throws -> ModelContext {
    ModelContext(try store.container(Counter.self, Author.self, Book.self))
  }

  @Test("the main context adopts newer values, notifies observers, and fetches nothing")
  func mainContext() async throws {
    let model = try container.mainContext.saveCounter("a")
    let other = ModelContext(container)
    let value = try await value({ model.value }) {
      try #require(try other.counter("a")).value = 5
      try other.save()
    }
    #expect(value == 5)
    #expect(!container.mainContext.hasChanges)
  }

  @Test(
    "it follows another container, and other programs without history",
    .enabled(if: StoreKind.noticesOthers, "other programs aren't noticed"))
  func otherContainers() async throws {
    let model = try container.mainContext.saveCounter("a")
    let other = try elsewhere()
    #expect(
      try await value({ model.value }) {
        try #require(try other.counter("a")).value = 5
        try other.save()
      } == 5)
    #expect(
      try await value({ model.note }) {
        try store.execute("UPDATE \"Counter\" SET note = 'by hand'")
      } == "by hand")
    #expect(model.value == 5)
  }

  @Test("it follows the other contexts of a store in memory")
  func inMemory() async throws {
    let container = try memoryContainer(Counter.self)
    let model = try container.mainContext.saveCounter("a")
    let other = ModelContext(container)
    #expect(
      try await value({ model.value }) {
        try #require(try other.counter("a")).value = 7
        try other.save()
      } == 7)
  }

  @Test("observers are notified of the differing properties only")
  func observation() async throws {
    let model = try container.mainContext.saveCounter("a")
    let fired = Mutex<[String]>([])
    withObservationTracking {
      _ = model.note
    } onChange: {
      fired.withLock { $0.append("note") }
    }
    let other = ModelContext(container)
    let value = try await value({ model.value }) {
      try #require(try other.counter("a")).value = 5
      try other.save()
    }
    #expect(value == 5)
    #expect(fired.withLock { $0 } == [])
  }

  @Test("models whose rows were deleted are marked as deleted, and their observers notified")
  func deletion() async throws {
    let model = try container.mainContext.saveCounter("a")
    let other = try elsewhere()
    let isDeleted = try await value({ model.isDeleted || model.value < 0 }) {
      other.delete(try #require(try other.counter("a")))
      try other.save()
    }
    #expect(isDeleted)
    #expect(model.name == "a")
  }

  @Test("models with changes of their own keep them until they are saved or rolled back")
  func localEdits() throws {
    let context = ModelContext(container)
    let model = try context.saveCounter("a")
    let other = ModelContext(container)
    model.value = 1
    let theirs = try #require(try other.counter("a"))
    theirs.value = 9
    theirs.note = "theirs"
    try other.save()
    context.processPendingChanges()
    #expect(model.value == 1 && model.note.isEmpty)
    context.rollback()
    #expect(model.value == 9 && model.note == "theirs")
    model.value = 2
    theirs.note = "again"
    try other.save()
    try context.save()
    #expect(model.value == 2 && model.note == "again")
  }

  @Test("a context without isolation catches up at its next fetch, save or processing")
  func plainContexts() throws {
    let context = ModelContext(container)
    let model = try context.saveCounter("a")
    let other = try elsewhere()
    let theirs = try #require(try other.counter("a"))
    theirs.value = 1
    try other.save()
    #expect(model.value == 0)
    // A fetch of another class: it doesn't return the model itself. Reads of a server look for commits every 20 ms, or
    // are told of them.
    let end = ContinuousClock.now + .seconds(StoreKind.tested == .sqlite ? 0 : 60)
    repeat {
      _ = try context.fetch(FetchDescriptor<Author>())
    } while model.value == 0 && ContinuousClock.now < end
    #expect(model.value == 1)
    theirs.value = 2
    try other.save()
    context.insert(Author("b"))
    try context.save()
    #expect(model.value == 2)
    guard StoreKind.tested == .sqlite else { return }
    try store.execute("UPDATE \"Counter\" SET value = 3")
    _ = try context.fetchIdentifiers(FetchDescriptor<Author>())
    #expect(model.value == 3)
  }

  @ModelActor
  actor Follower {
    private var model: Counter?

    func begin() throws { model = try modelContext.counter("a") }

    func wait(for value: Int) async {
      while model?.value != value {
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let current = withObservationTracking {
          model?.value
        } onChange: {
          continuation.yield()
        }
        if current == value { return }
        for await _ in changes { break }
        await Task.yield()
      }
    }
  }

  @Test("a model actor's context follows on its executor")
  func modelActors() async throws {
    let context = ModelContext(container)
    let model = try context.saveCounter("a")
    let follower = Follower(modelContainer: container)
    try await follower.begin()
    model.value = 4
    try context.save()
    await follower.wait(for: 4)
    guard StoreKind.noticesOthers else { return }
    try store.execute("UPDATE \"Counter\" SET value = 5")
    await follower.wait(for: 5)
  }

  @ModelActor
  actor Listener {
    private var model: Counter?
    private(set) var changes = 0

    /// Counts the next change of the model, in the actor's isolation.
    func observe(_ notified: AsyncStream<Void>.Continuation) throws {
      model = try modelContext.counter("a")
      withObservationTracking {
        _ = model?.value
      } onChange: {
        self.assumeIsolated { $0.changes += 1 }
        notified.yield()
      }
    }
  }

  @Test("what a model actor's context merges by itself is observed in the actor's isolation")
  func isolationOfModelActors() async throws {
    let context = ModelContext(container)
    let model = try context.saveCounter("a")
    let listener = Listener(modelContainer: container)
    let (notified, continuation) = AsyncStream<Void>.makeStream()
    try await listener.observe(continuation)
    model.value = 4
    try context.save()
    for await _ in notified { break }
    #expect(await listener.changes == 1)
  }

  @Test("a context that doesn't merge keeps its values until a merge is requested")
  func explicitly() throws {
    let context = ModelContext(container)
    context.mergesChangesAutomatically = false
    let model = try context.saveCounter("a")
    let other = ModelContext(container)
    try #require(try other.counter("a")).value = 6
    try other.save()
    context.processPendingChanges()
    #expect(model.value == 0)
    let last = try #require(try context.history().last)
    try context.mergeChanges(from: last)
    #expect(model.value == 6)
    let identifier = model.persistentModelID
    other.delete(try #require(try other.counter("a")))
    try other.save()
    try context.mergeChanges(
      from: Notification(
        name: ModelContext.didSave, object: other, userInfo: ["deleted": [identifier]]))
    #expect(model.isDeleted)
  }

  @Test(
    "lists follow changes of their other end",
    .enabled(if: StoreKind.tested == .sqlite, "reads of a server look for commits every 20 ms"))
  func lists() throws {
    let context = ModelContext(container)
    let author = Author("a")
    author.books = [Book("one")]
    context.insert(author)
    try context.save()
    #expect(author.books.count == 1)
    let fired = Mutex(0)
    withObservationTracking {
      _ = author.books
    } onChange: {
      fired.withLock { $0 += 1 }
    }
    let other = try elsewhere()
    let theirs = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    other.insert(Book("two", author: theirs))
    try other.save()
    context.processPendingChanges()
    _ = try context.fetchCount(FetchDescriptor<Counter>())
    context.processPendingChanges()
    #expect(fired.withLock { $0 } == 1)
    #expect(Set(author.books.map(\.title)) == ["one", "two"])
    other.delete(try #require(theirs.books.first { $0.title == "one" }))
    try other.save()
    _ = try context.fetch(FetchDescriptor<Counter>())
    #expect(author.books.map(\.title) == ["two"])
  }

  /// A change of a list that the context has saved itself.
  enum SavedChange: CaseIterable { case atTheList, atTheOtherEnd, byInsertion, byDeletion }

  @Test(
    "lists that the context has changed and saved follow, too, whether they were read since",
    arguments: SavedChange.allCases, [false, true])
  func savedLists(change: SavedChange, isRead: Bool) throws {
    let context = ModelContext(container)
    let (author, rival) = (Author("a"), Author("b"))
    author.books = ["one", "two", "three"].map { Book($0) }
    context.insert(author)
    context.insert(rival)
    try context.save()
    let other = try elsewhere()
    let theirs = try #require(
      try other.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "a" })).first)
    #expect(theirs.books.count == 3 && rival.books.isEmpty)
    let book = try #require(author.books.first { $0.title == "one" })
    switch change {
    case .atTheList: rival.books.append(book)
    case .atTheOtherEnd: book.author = rival
    case .byInsertion: context.insert(Book("new", author: author))
    case .byDeletion: context.delete(book)
    }
    try context.save()
    if isRead { #expect(author.books.count == (change == .byInsertion ? 4 : 2)) }
    other.delete(try #require(theirs.books.first { $0.title == "two" }))
    other.insert(Book("theirs", author: theirs))
    try other.save()
    for context in [context, other] { context.processPendingChanges() }
    let titles: Set =
      change == .byInsertion ? ["one", "three", "new", "theirs"] : ["three", "theirs"]
    #expect(Set(author.books.map(\.title)) == titles)
    #expect(Set(theirs.books.map(\.title)) == titles)
    let moves = change == .atTheList || change == .atTheOtherEnd
    #expect(rival.books.map(\.title) == (moves ? ["one"] : []))
  }

  /// A way by which a context takes over the values of a row.
  enum Reading: CaseIterable { case merging, fetching, fetchingAfterRollback }

  @Test(
    "a model that got an existing row by its unique value follows it",
    arguments: Reading.allCases)
  func matchedRow(reading: Reading) throws {
    _ = try ModelContext(container).saveCounter("a")
    let context = ModelContext(container)
    context.mergesChangesAutomatically = reading == .merging
    let model = try context.saveCounter("a", value: 1)
    let other = try elsewhere()
    let theirs = try #require(try other.counter("a"))
    #expect(theirs.value == 1)
    theirs.value = 2
    try other.save()
    func read() throws {
      switch reading {
      case .merging: context.processPendingChanges()
      case .fetching: _ = try context.counter("a")
      case .fetchingAfterRollback:
        model.note = "mine"
        context.rollback()
        _ = try context.counter("a")
      }
    }
    try read()
    #expect(model.value == 2)
    other.delete(theirs)
    try other.save()
    try read()
    #expect(try context.counter("a") == nil)
    #expect(reading != .merging || model.isDeleted)
  }

  @Test("a relationship to one drops a destination deleted elsewhere, merged in any order")
  func destinationGone() throws {
    let context = ModelContext(container)
    let author = Author("a")
    let book = Book("one", author: author)
    let cover = Cover("red")
    book.cover = cover
    context.insert(book)
    try context.save()
    // The model itself holds them: the list isn't read.
    #expect(book.author === author && book.cover === cover)
    let other = try elsewhere()
    for author in try other.fetch(FetchDescriptor<Author>()) { other.delete(author) }
    for cover in try other.fetch(FetchDescriptor<Cover>()) { other.delete(cover) }
    try other.save()
    _ = try context.fetch(FetchDescriptor<Counter>())
    #expect(author.isDeleted && cover.isDeleted && !book.isDeleted)
    #expect(book.author == nil)
    #expect(book.cover == nil)
  }

  @Test("ordered lists follow another order")
  func order() throws {
    let store = try TemporaryStore()
    let container = try store.container(Tour.self)
    let context = ModelContext(container)
    let tour = Tour("t")
    context.insert(tour)
    tour.halts = ["a", "b", "c"].map { Halt($0) }
    tour.guides = ["x", "y"].map { Guide($0) }
    try context.save()
    let other = ModelContext(try store.container(Tour.self))
    let theirs = try #require(try other.fetch(FetchDescriptor<Tour>()).first)
    theirs.halts.reverse()
    try other.save()
    context.processPendingChanges()
    #expect(tour.halts.map(\.name) == ["c", "b", "a"])
    theirs.guides.reverse()
    try other.save()
    context.processPendingChanges()
    #expect(tour.guides.map(\.name) == ["y", "x"])
  }

  @Test("a context's own saves cost no second reading")
  func ownSaves() throws {
    let context = ModelContext(container)
    let models = try (0..<100).map { try context.saveCounter("\($0)") }
    let before = container.executedStatementCount
    for model in models { model.value += 1 }
    try context.save()
    context.processPendingChanges()
    #expect(container.executedStatementCount - before <= 101)
  }

  @Test("registered models are read 256 rows a statement, and nothing else")
  func batches() throws {
    let context = ModelContext(container)
    for number in 0..<1_000 { context.insert(Counter("\(number)")) }
    try context.save()
    let kept = try context.fetch(
      FetchDescriptor<Counter>(predicate: #Predicate { $0.name < "5" }))
    let other = ModelContext(container)
    for counter in try other.fetch(FetchDescriptor<Counter>()) { counter.value = 1 }
    try other.save()
    let before = container.executedStatementCount
    context.processPendingChanges()
    #expect(container.executedStatementCount - before == (kept.count + 255) / 256)
    #expect(kept.allSatisfy { $0.value == 1 })
  }
}
