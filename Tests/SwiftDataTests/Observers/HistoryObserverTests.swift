import SwiftData
import SwiftDataCore
import Testing

@MainActor
@Suite("An observer of the history", .timeLimit(.minutes(20)))
struct HistoryObserverTests {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Quake.self, Author.self)
    context = ModelContext(container)
  }

  private func save(_ model: some PersistentModel, author: String? = nil) throws {
    context.author = author
    context.insert(model)
    try context.save()
  }

  @Test("counts the transactions from its beginning on")
  func counting() async throws {
    try save(Quake(code: "before"))
    let observer = try HistoryObserver(modelContainer: container)
    #expect(observer.eventCounter == 0)
    #expect(try await value({ observer.eventCounter }) { try save(Quake(code: "a")) } == 1)
    #expect(try await value({ observer.eventCounter }) { try save(Author("b")) } == 2)
  }

  @Test("counts the requested classes and authors")
  func filters() async throws {
    let observer = try HistoryObserver(
      observedModels: [Quake.self], authors: ["import"], modelContainer: container)
    try save(Author("a"), author: "import")
    try save(Quake(code: "b"), author: "person")
    try save(Quake(code: "c"))
    #expect(
      try await value({ observer.eventCounter }) {
        try save(Quake(code: "d"), author: "import")
      } == 1)
    #expect(observer.authors == ["import"])
    #expect(observer.observedModels.count == 1)
  }

  @Test("begins at a token, and reports an expired one")
  func tokens() throws {
    try save(Quake(code: "a"))
    let first = try #require(try context.history().first)
    try save(Quake(code: "b"))
    try save(Quake(code: "c"))
    let tokens: [String: any HistoryToken] = [first.storeIdentifier: first.token]
    let observer = try HistoryObserver(historyTokens: tokens, modelContainer: container)
    #expect(observer.eventCounter == 2)
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.transactionIdentifier == 2 }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(historyTokens: tokens, modelContainer: container)
    }
  }

  @Test("of some authors continues when others' transactions were deleted, and counts exactly")
  func deletionOfOthers() async throws {
    try save(Quake(code: "a"), author: "import")
    let first = try #require(try context.history().first)
    let tokens: [String: any HistoryToken] = [first.storeIdentifier: first.token]
    let running = try HistoryObserver(authors: ["import"], modelContainer: container)
    for code in ["b", "c"] { try save(Quake(code: code), author: "person") }
    try save(Quake(code: "d"))
    try save(Quake(code: "e"), author: "import")
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "person" }))
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == nil }))
    let late = try HistoryObserver(
      historyTokens: tokens, authors: ["import"], modelContainer: container)
    #expect(late.eventCounter == 1)
    #expect(
      try await value({ running.eventCounter }) { try save(Quake(code: "f"), author: "import") }
        == 2)
    for authors: Set<String> in [[], ["person"], ["person", "import"]] {
      #expect(throws: SwiftDataError.historyTokenExpired) {
        try HistoryObserver(historyTokens: tokens, authors: authors, modelContainer: container)
      }
    }
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "import" }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(historyTokens: tokens, authors: ["import"], modelContainer: container)
    }
  }

  @Test("counts the commits of another container at once")
  func otherContainers() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let other = ModelContext(try store.container(Quake.self, Author.self))
    #expect(
      try await value({ observer.eventCounter }) {
        other.insert(Quake(code: "elsewhere"))
        try other.save()
      } == 1)
    #expect(try await value({ observer.eventCounter }) { try save(Quake(code: "a")) } == 2)
  }

  @Test("continues when unread history was deleted")
  func deletion() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    try save(Quake(code: "a"))
    try context.deleteHistory(Transactions())
    let other = ModelContext(container)
    other.insert(Quake(code: "b"))
    #expect(try await value({ observer.eventCounter }) { try other.save() } > 0)
    #expect(try await value({ observer.eventCounter }) { try save(Quake(code: "c")) } > 1)
  }

  @Test("without isolation has counted when the save returns")
  func withoutIsolation() throws {
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    try save(Quake(code: "a"))
    #expect(observer.eventCounter == 1)
  }

  @Test("never misses or repeats a transaction of many writers, and never blocks them")
  func manyWriters() async throws {
    let container = container
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let context = ModelContext(container)
          for number in 0..<25 {
            context.insert(Quake(code: "\(writer)-\(number)"))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(observer.eventCounter == 100)
    #expect(try context.history().map(\.id) == Array(1...100))
  }
}
