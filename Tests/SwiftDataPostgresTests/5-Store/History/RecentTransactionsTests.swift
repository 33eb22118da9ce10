import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("The last transactions of a store on a server", .server, .timeLimit(.minutes(20)))
struct RecentTransactionsTests {
  private let server: PostgresServer
  private let name = uniqueName("recent")

  init() throws { server = try PostgresServer.shared }

  private func container(_ url: String? = nil) throws -> ModelContainer {
    try ModelContainer(
      for: serverSchema, configurations: [PostgresConfiguration(name, url: url ?? server.url)])
  }

  @Test("reach the other contexts of the process without a look at the server's history")
  func contexts() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let reads = CallCounter()
    proxy.before("SELECT number, layout, changes FROM \"_history_change\"") { reads.increment() }
    let container = try container(proxy.url)
    let contexts = (0..<3).map { _ in ModelContext(container) }
    contexts[0].insert(Sample("shared", count: 0))
    try contexts[0].save()
    let samples = try contexts.map { context in
      try #require(try context.fetch(FetchDescriptor<Sample>()).first)
    }
    for round in 1...20 {
      let place = round % 3
      samples[place].count = round
      contexts[place].insert(Tag("\(round)"))
      try contexts[place].save()
    }
    // A save catches up with what the others have saved before it.
    for context in contexts {
      context.insert(Tag("last"))
      try context.save()
    }
    #expect(samples.map(\.count) == [20, 20, 20])
    #expect(reads.count == 0)
  }

  @Test("have gaps where others commit, and those are read from the server")
  func others() throws {
    let own = try container()
    let contexts = [ModelContext(own), ModelContext(own), ModelContext(try container())]
    contexts[0].insert(Sample("shared", count: 0))
    try contexts[0].save()
    let samples = try contexts.map { context in
      try #require(try context.fetch(FetchDescriptor<Sample>()).first)
    }
    for round in 1...12 {
      let place = round % 3
      samples[place].count = round
      try contexts[place].save()
      // Changes to the same property of the next one are refused unless it is up to date.
      let next = (place + 1) % 3
      contexts[next].insert(Tag("\(round)"))
      try contexts[next].save()
      #expect(samples[next].count == round)
    }
  }

  @Test("are followed by those of others in one look")
  func own() throws {
    let own = try container()
    let contexts = [ModelContext(own), ModelContext(own), ModelContext(try container())]
    contexts[0].insert(Sample("shared", count: 0))
    try contexts[0].save()
    let samples = try contexts.map { context in
      try #require(try context.fetch(FetchDescriptor<Sample>()).first)
    }
    for place in [1, 2] {
      samples[place].count = place
      try contexts[place].save()
    }
    contexts[0].processPendingChanges()
    #expect(samples[0].count == 2)
  }

  @Test("are kept up to a number and a size, and forgotten when numbers are given again")
  func bounds() {
    let recent = RecentTransactions()
    func numbers(after number: Int64) -> [Int64] {
      recent.transactions(after: number).map(\.number)
    }
    func part(_ size: Int) -> [HistoryPart] {
      [HistoryPart(layout: 1, number: 0, bytes: Array(repeating: 0, count: size))]
    }
    #expect(numbers(after: 0) == [])
    for number: Int64 in [1, 3, 2, 5] { recent.insert(number, part(1)) }
    #expect(numbers(after: 0) == [1, 2, 3])
    #expect(numbers(after: 3) == [])
    #expect(numbers(after: 4) == [5])
    #expect(numbers(after: .max) == [] && numbers(after: .min) == [] && numbers(after: -1) == [])
    recent.insert(4, part(RecentTransactions.maximumSize))
    #expect(numbers(after: 3) == [])
    let capacity = RecentTransactions.capacity
    for number in 6...capacity + 10 { recent.insert(number, part(1)) }
    #expect(numbers(after: 8) == [])
    #expect(numbers(after: 10) == Array(11...capacity + 10))
    for number in [Int64.min, -1, 0] { recent.insert(number, part(1)) }
    #expect(numbers(after: 10) == Array(11...capacity + 10))
    // A copy of the server from long before.
    recent.insert(20, part(1))
    #expect(numbers(after: 10) == [] && numbers(after: 19) == [20])
  }
}
