import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@MainActor
@Suite("An observer of results", .timeLimit(.minutes(20)))
struct ResultsObserverTests {
  let store: TemporaryStore
  let container: ModelContainer
  let other: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(
      Quake.self, Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    other = ModelContext(container)
  }

  private func add(_ codes: String...) throws {
    for (number, code) in codes.enumerated() {
      other.insert(Quake(code: code, magnitude: Double(number), name: code.lowercased()))
    }
    try other.save()
  }

  @Test("follows insertions, edits and deletions that another context saves")
  func saves() async throws {
    try add("a", "b")
    let observer = try ResultsObserver<Quake, Never>(
      sortBy: [SortDescriptor(\.code)], modelContext: ModelContext(container))
    #expect(observer.results.map(\.code) == ["a", "b"])
    let first = observer.results[0]
    #expect(
      try await value({ observer.results.map(\.code) }) { try add("c") } == ["a", "b", "c"])
    #expect(observer.results[0] === first)
    let stored = try #require(try other.fetch(FetchDescriptor<Quake>()).first { $0.code == "a" })
    #expect(
      try await value({ first.magnitude }) {
        stored.magnitude = 9
        try other.save()
      } == 9)
    #expect(
      try await value({ observer.results.map(\.code) }) {
        other.delete(stored)
        try other.save()
      } == ["b", "c"])
    #expect(first.isDeleted)
  }

  @Test("follows batches and deletions by predicate")
  func batches() async throws {
    try add("a", "b")
    let observer = try ResultsObserver<Quake, Never>(modelContainer: container)
    #expect(
      try await value({ observer.results.count }) {
        let batch = try BatchUpsert<Quake>(container)
        for number in 0..<100 { try batch.upsert(Quake(code: "\(number)")) }
        try batch.commit()
      } == 102)
    #expect(
      try await value({ observer.results.count }) {
        try other.delete(model: Quake.self)
        try other.save()
      } == 0)
  }

  @Test("fetches at once when its filter or its order is set")
  func settings() throws {
    try add("a", "b", "c")
    let observer = try ResultsObserver<Quake, Never>(modelContainer: container)
    observer.sortBy = [SortDescriptor(\.code, order: .reverse)]
    #expect(observer.results.map(\.code) == ["c", "b", "a"])
    observer.filterBy = #Predicate { $0.magnitude >= 1 }
    #expect(observer.results.map(\.code) == ["c", "b"])
    #expect(observer.fetchDescriptor.sortBy == observer.sortBy)
    observer.filterBy = nil
    #expect(observer.results.count == 3)
  }

  @Test("leaves equal models in the order of their identifiers")
  func ties() throws {
    for code in ["d", "b", "a", "c"] { other.insert(Quake(code: code, magnitude: 5)) }
    try other.save()
    let observer = try ResultsObserver<Quake, Never>(
      sortBy: [SortDescriptor(\.magnitude, order: .reverse)], modelContainer: container)
    #expect(observer.results.map(\.code) == ["d", "b", "a", "c"])
  }

  @Test("does nothing for a save that touches no entity of its fetch")
  func unrelatedSaves() async throws {
    try add("a")
    let observer = try ResultsObserver<Quake, Never>(modelContainer: container)
    let before = container.executedStatementCount
    other.insert(Author("Ann"))
    try other.save()
    let save = container.executedStatementCount - before
    await Task.yield()
    #expect(container.executedStatementCount == before + save)
    #expect(try await value({ observer.results.count }) { try add("b") } == 2)
  }

  @Test("follows models that its predicate or its order reaches through a relationship")
  func relationships() async throws {
    let author = Author("Ann")
    other.insert(Book("B", author: author))
    try other.save()
    let named = #Predicate<Book> { $0.author?.name == "Bea" }
    let observer = try ResultsObserver<Book, Never>(filterBy: named, modelContainer: container)
    #expect(observer.results.isEmpty)
    #expect(
      try await value({ observer.results.count }) {
        author.name = "Bea"
        try other.save()
      } == 1)
  }

  @Test("loads models when they are read, a batch at a time")
  func laziness() throws {
    try container.batchInsert((0..<1000).lazy.map { Quake(code: "\(1000 + $0)") })
    let observer = try ResultsObserver<Quake, Never>(
      sortBy: [SortDescriptor(\.code, comparator: .lexical)], modelContainer: container)
    #expect(observer.results.count == 1000)
    #expect(observer.results.loadedBatchCount == 0)
    #expect(observer.results[999].code == "1999")
    #expect(observer.results.loadedBatchCount == 1)
    #expect(observer.indexPath(for: observer.results[500]) == IndexPath(indexes: [0, 500]))
    #expect(observer.element(at: IndexPath(indexes: [0, 3]))?.code == "1003")
    #expect(observer.element(at: IndexPath(index: 3))?.code == "1003")
    #expect(observer.element(at: IndexPath(indexes: [0, 1000])) == nil)
    #expect(observer.element(at: IndexPath(indexes: [1, 3])) == nil)
  }

  @Test("keeps assigned results until the next fetch")
  func assignment() throws {
    try add("a", "b")
    let observer = try ResultsObserver<Quake, Never>(modelContainer: container)
    let both = observer.results
    observer.filterBy = #Predicate { $0.code == "a" }
    observer.results = both
    #expect(observer.results.count == 2)
    #expect(observer.sections == nil)
    #expect(observer.sectionBy == nil)
    #expect(observer.debugDescription == "ResultsObserver<Quake>(results: 2)")
  }

  @Test("that was made without isolation is up to date when it is read")
  func withoutIsolation() throws {
    nonisolated func observe(_ container: ModelContainer) throws -> [Int] {
      let observer = try ResultsObserver<Quake, Never>(
        modelContext: ModelContext(container), isolation: nil)
      let context = ModelContext(container)
      var counts = [observer.results.count]
      context.insert(Quake(code: "x"))
      try context.save()
      counts.append(observer.results.count)
      return counts
    }
    #expect(try observe(container) == [0, 1])
  }

  @Test("delivers in the actor that created it, and ends with it")
  func actors() async throws {
    let watcher = Watcher(modelContainer: container)
    try await watcher.watch()
    try add("a")
    try await watcher.waitForCount(1)
    weak let gone = watcher
    _ = consume watcher
    #expect(gone == nil)
    try add("b")
  }
}

@ModelActor
private actor Watcher {
  private var observer: ResultsObserver<Quake, Never>?
  private var changes: AsyncStream<Int>?

  func watch() throws {
    let observer = try ResultsObserver<Quake, Never>(modelContext: modelContext)
    self.observer = observer
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    changes = stream
    withObservationTracking {
      _ = observer.results.count
    } onChange: {
      continuation.yield(1)
    }
  }

  func waitForCount(_ count: Int) async throws {
    guard let changes, let observer else { return }
    for await _ in changes { break }
    while observer.results.count != count { await Task.yield() }
  }
}
