import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("A toolkit's transaction on a server", .server, .timeLimit(.minutes(20)))
struct ExclusiveTransactionTests {
  private let server: PostgresServer
  private let name = uniqueName("exclusive")

  private static let counts = SideTable(
    "_counts", [.init("id", .integer), .init("value", .integer)], key: .number)

  init() throws {
    server = try PostgresServer.shared
    try store().writeSideTables { try $0.create(Self.counts) }
  }

  private func store(_ url: String? = nil) throws -> PostgresStore {
    var configuration = PostgresConfiguration(name, url: url ?? server.url)
    configuration.schema = serverSchema
    return try PostgresStore(configuration)
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: serverSchema, configurations: [PostgresConfiguration(name, url: server.url)])
  }

  private static func count(_ transaction: any RowReadTransaction) throws -> Int64 {
    var count: Int64 = 0
    try transaction.forEachRow(SideTableQuery(counts, ["value"])) { count = $0[0].integer ?? 0 }
    return count
  }

  private static func raise(_ transaction: any RowWriteTransaction) throws {
    let rows = SideTableRows(
      ["id", "value"], [[.integer(1), .integer(try count(transaction) + 1)]])
    try transaction.insert(rows, into: counts, existing: .replace)
  }

  @Test("reads a state that stays valid until its commit")
  func exclusion() async throws {
    let container = try container()
    await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let store = try store()
          for _ in 0..<25 {
            try store.writeSideTables { transaction in
              let number = try transaction.lastTransaction()
              try Self.raise(transaction)
              #expect(try transaction.lastTransaction() == number)
            }
          }
        }
        group.addTask {
          let context = ModelContext(container)
          for number in 0..<25 {
            context.insert(Tag("\(writer) \(number)"))
            try context.save()
          }
        }
      }
    }
    #expect(try store().readRows { try Self.count($0) } == 100)
    #expect(try ModelContext(container).history().map(\.id) == Array(1...100))
  }

  @Test("without changes of models isn't in the history, and a consumer's position is")
  func history() throws {
    let store = try store()
    let context = ModelContext(try container())
    context.insert(Tag("one"))
    try context.save()
    _ = try store.change(historyConsumer: "reader", .register(0))
    try store.writeSideTables { transaction in
      try Self.raise(transaction)
      try transaction.acknowledgeHistory(through: 1, by: "reader")
    }
    #expect(try context.history().count == 1)
    #expect(try store.historyConsumers().map(\.number) == [1])
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try store.writeSideTables { transaction in
        try Self.raise(transaction)
        throw Refusal()
      }
    }
    #expect(try store.readRows { try Self.count($0) } == 1)
  }

  @Test("is run again when a row is locked by a save that waits for its end")
  func lockedRow() throws {
    let store = try store()
    let context = ModelContext(try container())
    context.insert(Sample("a"))
    try context.save()
    let sample = try #require(store.plans.first { $0.name == "Sample" })
    let note = try #require(sample.columns.firstIndex { $0.name == "note" })
    let other = try server.connect()
    try other.use(schema: name)
    try other.begin()
    try other.run("UPDATE \"Sample\" SET key = key")
    var attempts = 0
    try store.writeRows(author: "test") { transaction in
      attempts += 1
      if attempts == 3 { other.rollBack() }
      try transaction.set([(1, .text("new"))], inColumn: note, of: sample)
    }
    #expect(attempts == 3)
    #expect(try context.history().last?.summary == ["update Sample note"])
    try other.begin()
    try other.run("UPDATE \"Sample\" SET key = key")
    defer { other.rollBack() }
    do {
      try store.writeRows(author: "test") { transaction in
        try transaction.set([(1, .text("newer"))], inColumn: note, of: sample)
      }
      Issue.record("a locked row was written")
    } catch let error as StoreError { #expect(error.code == .busy) }
    // Saves of other rows don't wait for it.
    context.insert(Sample("b"))
    try context.save()
  }

  @Test("happens once, also when no model changes", arguments: RepeatedSaveTests.losses.prefix(5))
  func lostCommits(loss: RepeatedSaveTests.Loss) throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let store = try store(proxy.url)
    try store.writeSideTables { try Self.raise($0) }
    proxy.set(loss.fates)
    try store.writeSideTables { try Self.raise($0) }
    #expect(proxy.commitCount > 1)
    #expect(try store.readRows { try Self.count($0) } == 2)
  }
}
