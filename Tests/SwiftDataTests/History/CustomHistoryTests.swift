import SwiftData
import Testing

@MainActor
@Suite("The history of a custom store", .timeLimit(.minutes(20)))
struct CustomHistoryTests {
  let container: ModelContainer
  let context: ModelContext
  let desk: NotebookDesk

  init() throws {
    let notes = NotebookConfiguration(schema: Schema([Invoice.self]))
    desk = notes.desk
    let rest = ModelConfiguration("rest", schema: Schema([Quake.self]), isStoredInMemoryOnly: true)
    container = try ModelContainer(
      for: Schema([Invoice.self, Quake.self]), configurations: [notes, rest])
    context = ModelContext(container)
  }

  private func save(_ model: some PersistentModel, _ author: String? = nil) throws {
    context.author = author
    context.insert(model)
    try context.save()
  }

  @Test("is asked for and deleted through a context, beside that of a default store")
  func requests() throws {
    try save(Invoice(1), "a")
    try save(Invoice(2), "b")
    try save(Quake(code: "q"))
    #expect(try context.fetchHistory(HistoryDescriptor<NotebookPage>()).map(\.id) == [1, 2])
    #expect(try context.history().map(\.summary) == [["insert Quake 1"]])
    let second = HistoryDescriptor<NotebookPage>(predicate: #Predicate { $0.author == "b" })
    #expect(try context.fetchHistory(second).map(\.id) == [2])
    try context.deleteHistory(second)
    #expect(try context.fetchHistory(HistoryDescriptor<NotebookPage>()).map(\.id) == [1])
    #expect(try context.history().count == 1)
  }

  @Test("is followed by observers")
  func observers() async throws {
    try save(Invoice(1))
    let history = try HistoryObserver(modelContainer: container)
    let results = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.number, order: .reverse)], modelContainer: container)
    #expect(results.results.map(\.number) == [1])
    #expect(try await value({ results.results.map(\.number) }) { try save(Invoice(2)) } == [2, 1])
    #expect(try await value({ history.eventCounter }) { try save(Quake(code: "q")) } >= 2)
  }

  @Test("begins at a token of its own")
  func tokens() throws {
    try save(Invoice(1))
    let first = try #require(try context.fetchHistory(HistoryDescriptor<NotebookPage>()).first)
    #expect(first.token.storeIdentifier == first.storeIdentifier)
    try save(Invoice(2))
    let observer = try HistoryObserver(
      historyTokens: [first.storeIdentifier: first.token], modelContainer: container)
    #expect(observer.eventCounter == 1)
  }

  @Test(
    "is counted from an observer's start on, despite commits during the start",
    arguments: [true, false])
  func commitsWhileBeginning(beforeReading: Bool) throws {
    for number in 1...2 { try save(Invoice(number)) }
    let other = ModelContext(container)
    let commit: () throws -> Void = {
      other.insert(Invoice(3))
      try other.save()
    }
    if beforeReading { desk.beforeAnswer = commit } else { desk.afterAnswer = commit }
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    let missed = beforeReading ? 0 : 1
    #expect(observer.eventCounter == missed)
    try save(Invoice(4))
    #expect(observer.eventCounter == missed + 1)
  }

  @Test("counts no transaction twice that is committed while a lost place is looked for")
  func commitWhileExpired() throws {
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    try save(Invoice(1))
    #expect(observer.eventCounter == 1)
    let other = ModelContext(container)
    let desk = desk
    let commit: () throws -> Void = {
      other.insert(Invoice(3))
      try other.save()
    }
    // The save requests its own position first, then the observer the new transactions.
    desk.beforeAnswer = {
      desk.beforeAnswer = {
        desk.afterAnswer = commit
        throw SwiftDataError.historyTokenExpired
      }
    }
    try save(Invoice(2))
    #expect(observer.eventCounter == 3)
    try save(Invoice(4))
    #expect(observer.eventCounter == 4)
  }

  @Test("has deletions by predicate, which the context does model by model")
  func batchDeletion() throws {
    for number in 1...3 { try save(Invoice(number)) }
    try context.delete(model: Invoice.self, where: #Predicate { $0.number > 1 })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Invoice>()).map(\.number) == [1])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Invoice>()) == 1)
  }
}
