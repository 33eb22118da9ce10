import Foundation
import SwiftData
import Testing

@testable import SwiftDataSQLite

@Suite("A consumer of the history")
struct HistoryConsumerTests {
  let store = try? TemporaryStore()

  private func container(
    _ retention: HistoryRetention = HistoryRetention(maximumAge: nil, maximumSize: 1000)
  ) throws -> ModelContainer {
    try #require(store).container(Quake.self, historyRetention: retention)
  }

  private func save(_ times: Int, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    for _ in 0..<times {
      context.insert(Quake(code: UUID().uuidString))
      try context.save()
    }
  }

  private func numbers(_ container: ModelContainer) throws -> [Int64] {
    try ModelContext(container).history().map(\.id)
  }

  private func consumer(_ name: String, _ container: ModelContainer) throws -> HistoryConsumer {
    try #require(try container.historyConsumers().first { $0.name == name })
  }

  @Test("finds everything that it hasn't read, beyond the usual bounds")
  func held() throws {
    let container = try container()
    try save(1, container)
    try container.registerHistoryConsumer("index")
    try save(60, container)
    #expect(try numbers(container).suffix(60) == Array(2...61))
    #expect(try !consumer("index", container).isExpired)
  }

  @Test("no longer needs acknowledged transactions")
  func acknowledged() throws {
    let container = try container(HistoryRetention(maximumAge: nil, maximumSize: 0))
    try container.registerHistoryConsumer("index")
    try save(60, container)
    let token = try ModelContext(container).history()[49].token
    try container.acknowledgeHistory(through: token, by: "index")
    try save(1, container)
    #expect(try numbers(container) == Array(51...61))
  }

  @Test("waits for the slowest of several")
  func slowest() throws {
    let container = try container()
    try container.registerHistoryConsumer("fast")
    try container.registerHistoryConsumer("slow")
    try save(60, container)
    try container.acknowledgeHistory(
      through: try #require(try container.currentHistoryToken()), by: "fast")
    try save(1, container)
    #expect(try numbers(container) == Array(1...61))
    try container.removeHistoryConsumer("slow")
    try save(1, container)
    #expect(try numbers(container).count < 20)
  }

  @Test("gets an error when its transactions exceeded the larger bounds")
  func expired() async throws {
    var retention = HistoryRetention(maximumAge: nil, maximumSize: 1000)
    retention.maximumUnreadSize = 3000
    let container = try container(retention)
    try container.registerHistoryConsumer("index")
    try save(100, container)
    let kept = try numbers(container).count
    #expect(kept > 20 && kept < 60)
    #expect(try consumer("index", container).isExpired)
    await #expect(throws: SwiftDataError.historyTokenExpired) {
      for try await _ in try container.remoteChanges(for: "index") {}
    }
    let now = try #require(try container.currentHistoryToken())
    let again = try container.registerHistoryConsumer("index", at: now)
    #expect(again.token == now && !again.isExpired)
  }

  @Test("gets an error when its history was deleted explicitly")
  func deleted() throws {
    let container = try container(.standard)
    try container.registerHistoryConsumer("index")
    try save(3, container)
    try ModelContext(container).deleteHistory(Transactions())
    #expect(try consumer("index", container).isExpired)
  }

  @Test("is bounded by age as by size")
  func age() throws {
    var retention = HistoryRetention(maximumAge: 0, maximumSize: nil)
    let container = try container(retention)
    try container.registerHistoryConsumer("index")
    try save(20, container)
    #expect(try numbers(container) == Array(1...20))
    retention.maximumUnreadAge = 0
    try save(1, try self.container(retention))
    #expect(try numbers(container) == [21])
    #expect(try consumer("index", container).isExpired)
  }

  @Test("keeps its position when it registers again, in any container")
  func again() throws {
    let container = try container()
    let first = try container.registerHistoryConsumer("index")
    try save(2, container)
    #expect(try self.container().registerHistoryConsumer("index").token == first.token)
    #expect(try self.container().historyConsumers().map(\.name) == ["index"])
  }

  @Test("continues where it stopped")
  func resumption() async throws {
    let container = try container()
    try container.registerHistoryConsumer("index")
    try save(3, container)
    var seen: [Int64] = []
    for try await transaction in try container.remoteChanges(for: "index") {
      seen.append(transaction.id)
      try container.acknowledgeHistory(through: transaction.token, by: "index")
      if seen.count == 2 { break }
    }
    for try await transaction in try container.remoteChanges(for: "index") {
      seen.append(transaction.id)
      break
    }
    #expect(seen == [1, 2, 3])
  }

  @Test("never moves back by acknowledging, nor beyond the end")
  func monotony() throws {
    let container = try container()
    try container.registerHistoryConsumer("index")
    try save(3, container)
    let tokens = try ModelContext(container).history().map(\.token)
    try container.acknowledgeHistory(through: tokens[2], by: "index")
    try container.acknowledgeHistory(through: tokens[0], by: "index")
    #expect(try consumer("index", container).token == tokens[2])
    let store = try #require(tokens[0].tokenValue?.keys.first)
    try container.acknowledgeHistory(
      through: DefaultHistoryToken(store: store, transaction: 99), by: "index")
    #expect(try consumer("index", container).token == tokens[2])
  }

  @Test("has to be registered, under a name")
  func unknown() throws {
    let container = try container()
    try save(1, container)
    let token = try #require(try container.currentHistoryToken())
    #expect(throws: SwiftDataError.unknownHistoryConsumer) {
      try container.acknowledgeHistory(through: token, by: "nobody")
    }
    #expect(throws: SwiftDataError.unknownHistoryConsumer) {
      try container.remoteChanges(for: "nobody")
    }
    #expect(throws: SwiftDataError.unknownHistoryConsumer) {
      try container.registerHistoryConsumer("")
    }
    try container.removeHistoryConsumer("nobody")
  }

  @Test("with a damaged entry doesn't prevent saves, and can be removed")
  func damaged() throws {
    let container = try container()
    try container.registerHistoryConsumer("index")
    try #require(store).execute(
      "UPDATE _metadata SET value = '{\"number\":' WHERE key = 'history.consumer.index'")
    try save(2, container)
    #expect(throws: StoreError.self) { try container.historyConsumers() }
    try container.removeHistoryConsumer("index")
    #expect(try container.registerHistoryConsumer("index").token.tokenValue?.values.first == 2)
  }

  @Test("works in memory")
  func inMemory() throws {
    let container = try memoryContainer(Quake.self)
    try container.registerHistoryConsumer("index")
    try save(2, container)
    let token = try #require(try container.currentHistoryToken())
    try container.acknowledgeHistory(through: token, by: "index")
    #expect(try consumer("index", container).token == token)
  }
}
