import SwiftData
import Testing

@testable import SwiftDataSQLite

@Suite("Deleting history")
struct HistoryDeletionTests {
  let store = try? TemporaryStore()

  private func context(
    saves: Int, _ retention: HistoryRetention = .standard
  ) throws -> ModelContext {
    var configuration = ModelConfiguration(url: try #require(store).file)
    configuration.historyRetention = retention
    let context = ModelContext(
      try ModelContainer(for: Schema([Quake.self]), configurations: configuration))
    for number in 0..<saves {
      context.author = number % 2 == 0 ? "even" : "odd"
      context.insert(Quake(code: UUID().uuidString))
      try context.save()
    }
    return context
  }

  @Test("makes older tokens expire, and only those")
  func expiry() throws {
    let context = try context(saves: 4)
    let tokens = try context.history().map(\.token)
    let mark = tokens[1]
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.token <= mark }))
    #expect(try context.history().map(\.id) == [3, 4])
    #expect(try context.history(#Predicate { $0.token > mark }).count == 2)
    let old = tokens[0]
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > old })
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token >= mark })
    }
  }

  @Test("keeps counting after everything has gone, also in a new container")
  func numbers() throws {
    let context = try context(saves: 3)
    let last = try #require(try context.history().last?.token)
    try context.deleteHistory(Transactions())
    #expect(try context.history().isEmpty)
    #expect(try context.history(#Predicate { $0.token > last }).isEmpty)
    let other = try self.context(saves: 1)
    #expect(try other.history().map(\.id) == [4])
    #expect(try other.history(#Predicate { $0.token > last }).map(\.id) == [4])
  }

  @Test("may pick transactions")
  func selection() throws {
    let context = try context(saves: 6)
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "even" }))
    #expect(try context.history().map(\.id) == [2, 4, 6])
    var first = Transactions(predicate: #Predicate { $0.author == "odd" || $0.author == "even" })
    first.fetchLimit = 1
    try context.deleteHistory(first)
    #expect(try context.history().map(\.id) == [4, 6])
  }

  @Test("refuses a token from a later state of the file")
  func future() throws {
    let context = try context(saves: 2)
    let last = try #require(try context.history().last)
    let future = DefaultHistoryToken(store: last.storeIdentifier, transaction: 9)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > future })
    }
  }

  @Test("happens by itself when the history grows beyond its size")
  func size() throws {
    let context = try context(saves: 50, HistoryRetention(maximumAge: nil, maximumSize: 1000))
    let history = try context.history()
    #expect(history.count < 20)
    #expect(history.count > 5)
    #expect(history.last?.id == 50)
    let start = DefaultHistoryToken(store: history[0].storeIdentifier, transaction: 1)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start })
    }
    #expect(try #require(store).value("SELECT count(*) FROM _history_change") == "\(history.count)")
  }

  @Test("happens by itself when transactions have reached their age")
  func age() throws {
    let context = try context(saves: 5, HistoryRetention(maximumAge: 3600, maximumSize: nil))
    #expect(try context.history().count == 5)
    try #require(store).execute(
      "UPDATE _history_transaction SET timestamp = timestamp - 7200 WHERE number <= 3")
    context.insert(Quake(code: "new"))
    try context.save()
    #expect(try context.history().map(\.id) == [4, 5, 6])
  }

  @Test("keeps the bytes within the bound, to the byte", arguments: [0, 64, 500, 1000])
  func bound(size: Int64) throws {
    let context = try context(saves: 40, HistoryRetention(maximumAge: nil, maximumSize: size))
    let sizes = try context.rows(
      sql: """
        SELECT 64 + (SELECT sum(length(changes)) FROM _history_change AS c WHERE c.number = t.number)
        FROM _history_transaction AS t
        """, as: Int64.self)
    #expect(sizes.reduce(0, +) <= size || sizes.count == 1)
    // Nothing went that had room.
    let oneMore = sizes.reduce(0, +) + (sizes.max() ?? 0)
    #expect(oneMore > size || sizes.count == 40)
  }

  @Test("never takes the transaction just written")
  func newest() throws {
    let context = try context(saves: 3, HistoryRetention(maximumAge: 0, maximumSize: 0))
    #expect(try context.history().map(\.id) == [3])
  }
}
