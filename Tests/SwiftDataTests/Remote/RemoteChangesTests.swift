import Foundation
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

/// Returns the numbers of the next `count` transactions.
private func numbers(
  _ count: Int, of changes: RemoteChanges, after action: () throws -> Void = {}
) async throws -> [Int64] {
  var iterator = changes.makeAsyncIterator()
  try action()
  var numbers: [Int64] = []
  while numbers.count < count, let next = try await iterator.next() { numbers.append(next.id) }
  return numbers
}

@Suite("The stream of transactions", .timeLimit(.minutes(20)))
struct RemoteChangesTests {
  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Counter.self, Author.self)
  }

  private func save(_ names: String..., author: String? = nil, in container: ModelContainer) throws
  {
    let context = ModelContext(container)
    context.author = author
    for name in names {
      context.insert(Counter(name))
      try context.save()
    }
  }

  @Test("begins now, and has the commits of all writers")
  func everybody() async throws {
    try save("before", in: container)
    let other = try store.container(Counter.self, Author.self)
    let found = try await numbers(3, of: container.remoteChanges()) {
      try save("a", in: container)
      try save("b", in: other)
      let batch = try BatchUpsert<Counter>(container)
      try batch.upsert(Counter("c"))
      try batch.commit()
    }
    #expect(found == [2, 3, 4])
  }

  @Test("commits between the call and the first iteration aren't missed")
  func early() async throws {
    let changes = container.remoteChanges()
    try save("a", in: container)
    #expect(try await numbers(1, of: changes) == [1])
  }

  @Test("continues from a token, more than a page behind")
  func token() async throws {
    try save("first", in: container)
    let token = try #require(try container.currentHistoryToken())
    let context = ModelContext(container)
    for number in 0..<100 { _ = try context.saveCounter("\(number)") }
    let found = try await numbers(101, of: container.remoteChanges(after: token)) {
      try save("last", in: container)
    }
    #expect(found == Array(2...102))
  }

  @Test("an expired token is an error with a remedy, which the newest token is")
  func expiry() async throws {
    try save("a", in: container)
    let token = try #require(try container.currentHistoryToken())
    try save("b", "c", in: container)
    try ModelContext(container).deleteHistory(Transactions())
    var iterator = container.remoteChanges(after: token).makeAsyncIterator()
    let error = await #expect(throws: SwiftDataError.self) { _ = try await iterator.next() }
    #expect(error == .historyTokenExpired)
    #expect(error?.description.contains("newest token") == true)
    #expect(try await iterator.next() == nil)
    let newest = try #require(try container.currentHistoryToken())
    #expect(
      try await numbers(1, of: container.remoteChanges(after: newest)) {
        try save("d", in: container)
      } == [4])
  }

  @Test("leaves out other classes and authors")
  func filters() async throws {
    let changes = container.remoteChanges(models: [Counter.self], authors: ["import"])
    let found = try await numbers(2, of: changes) {
      try save("a", author: "import", in: container)
      try save("b", author: "person", in: container)
      let context = ModelContext(container)
      context.author = "import"
      context.insert(Author("c"))
      try context.save()
      try save("d", author: "import", in: container)
    }
    #expect(found == [1, 4])
  }

  @Test("ends with its container, and with its task")
  func ends() async throws {
    var shortLived: ModelContainer? = try store.container(Counter.self)
    var iterator = try #require(shortLived?.remoteChanges()).makeAsyncIterator()
    async let last = iterator.next()
    shortLived = nil
    #expect(try await last == nil)
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    let changes = container.remoteChanges()
    let task = Task {
      continuation.finish()
      for try await _ in changes {}
      return true
    }
    for await _ in begun {}
    task.cancel()
    #expect(try await task.value)
  }

  @Test("works for a store in memory")
  func inMemory() async throws {
    let container = try memoryContainer(Counter.self)
    #expect(
      try await numbers(1, of: container.remoteChanges()) { try save("a", in: container) } == [1])
  }

  @Test("misses and repeats nothing while many write, and readers are many")
  func manyWriters() async throws {
    let container = container
    let store = store
    let readers = (0..<4).map { _ in container.remoteChanges() }
    try await withThrowingTaskGroup(of: [Int64].self) { group in
      for changes in readers {
        group.addTask { try await numbers(120, of: changes) }
      }
      for writer in 0..<4 {
        let own = writer < 2 ? container : try store.container(Counter.self, Author.self)
        group.addTask {
          let context = ModelContext(own)
          for number in 0..<30 { _ = try context.saveCounter("\(writer)-\(number)") }
          return []
        }
      }
      for try await numbers in group where !numbers.isEmpty {
        #expect(numbers == Array(1...120))
      }
    }
  }
}
