import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

@Suite("Deleting history")
struct HistoryDeletionTests {
  let store = try? TemporaryStore()

  private func context(
    saves: Int, _ retention: HistoryRetention = .standard
  ) throws -> ModelContext {
    let context = ModelContext(
      try #require(store).container(Quake.self, historyRetention: retention))
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

  @Test("continues its numbers after everything was deleted, also in a new container")
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

  @Test("of one author's transactions keeps tokens valid for readers of others")
  func authors() throws {
    let context = try context(saves: 8)
    let tokens = try context.history().map(\.token)
    let start = tokens[1]
    let odd = "odd"
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "even" }))
    // Queries that miss no transaction.
    #expect(
      try context.history(#Predicate { $0.token > start && $0.author == odd }).map(\.id) == [
        4, 6, 8,
      ])
    #expect(
      try context.history(#Predicate { $0.author != "even" && $0.token > start }).map(\.id)
        == [4, 6, 8])
    let others: [String?] = ["odd", "other", nil]
    #expect(
      try context.history(#Predicate { others.contains($0.author) && $0.token > start }).map(\.id)
        == [4, 6, 8])
    #expect(
      try context.history(
        #Predicate { $0.token > start && ($0.author == "odd" || $0.author == nil) }
      ).map(\.id) == [4, 6, 8])
    let last = tokens[6]
    #expect(try context.history(#Predicate { $0.token > last }).map(\.id) == [8])
    // Queries that miss a transaction, or may miss one.
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start })
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start && $0.author != "odd" })
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start && $0.author == "even" })
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start && $0.bundleIdentifier != "" })
    }
    // Later deletions of any kind count too.
    let mark = tokens[3]
    try context.deleteHistory(
      Transactions(predicate: #Predicate { $0.token <= mark && $0.author == "odd" }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start && $0.author == odd })
    }
    #expect(
      try context.history(#Predicate { $0.token > mark && $0.author == odd }).map(\.id) == [6, 8])
    context.author = "new"
    context.insert(Quake(code: "new"))
    try context.save()
    #expect(try context.history().last?.id == 9)
  }

  @Test("at the bounds applies to all authors, also after a deletion of one author's")
  func authorsAndAge() throws {
    let context = try context(saves: 8, HistoryRetention(maximumAge: 3600, maximumSize: nil))
    let start = try #require(try context.history().first?.token)
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "even" }))
    #expect(try context.history(#Predicate { $0.token > start && $0.author == "odd" }).count == 4)
    try #require(store).execute(
      "UPDATE _history_transaction SET timestamp = timestamp - 7200 WHERE number <= 5")
    // Another store: this one may remember the time.
    _ = try self.context(saves: 1, HistoryRetention(maximumAge: 3600, maximumSize: nil))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start && $0.author == "odd" })
    }
  }

  @Test(
    "by an earlier version of the library, which records only the newest one, applies to all authors",
    .enabled(if: StoreKind.tested == .sqlite, "is about files of earlier versions"))
  func earlierVersion() throws {
    let context = try context(saves: 8)
    let start = try #require(try context.history().first?.token)
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "even" }))
    try #require(store).execute(
      "UPDATE _metadata SET value = 8 WHERE key = 'history.deleted'")
    let later = DefaultHistoryToken(store: start.tokenValue?.keys.first ?? "", transaction: 7)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > later && $0.author == "odd" })
    }
  }

  @Test("of many authors' transactions never hides a loss", arguments: [1, 2, 3])
  func manyAuthors(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = ModelContext(try #require(store).container(Quake.self))
    var all: [(number: Int64, author: String)] = []
    for number in 1...300 {
      let author = "a\(Int.random(in: 0..<100, using: &random))"
      context.author = author
      context.insert(Quake(code: "\(number)"))
      try context.save()
      all.append((Int64(number), author))
    }
    let store = try #require(try context.history().first).storeIdentifier
    for _ in 0..<40 {
      let gone = "a\(Int.random(in: 0..<100, using: &random))"
      let end = DefaultHistoryToken(
        store: store, transaction: Int64.random(in: 1...300, using: &random))
      try context.deleteHistory(
        Transactions(predicate: #Predicate { $0.author == gone && $0.token <= end }))
      let author = "a\(Int.random(in: 0..<100, using: &random))"
      let start = Int64.random(in: 0..<300, using: &random)
      let token = DefaultHistoryToken(store: store, transaction: start)
      let wanted = all.filter { $0.author == author && $0.number > start }.map(\.number)
      do {
        let found = try context.history(#Predicate { $0.token > token && $0.author == author })
        #expect(found.map(\.id) == wanted)
      } catch SwiftDataError.historyTokenExpired {
        continue  // Always allowed; the cases where it is unnecessary are tested above.
      }
    }
  }

  @Test("takes tokens with any number")
  func hostileTokens() throws {
    let context = try context(saves: 2)
    let store = try #require(try context.history().first).storeIdentifier
    for number in [Int64.min, -1, 0, .max] {
      let token = DefaultHistoryToken(store: store, transaction: number)
      if number == .max {
        #expect(throws: SwiftDataError.historyTokenExpired) {
          try context.history(#Predicate { $0.token >= token })
        }
      } else if number == 0 {
        #expect(try context.history(#Predicate { $0.token > token }).count == 2)
      } else {
        #expect(throws: SwiftDataError.historyTokenExpired) {
          try context.history(#Predicate { $0.token >= token })
        }
      }
    }
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

  @Test("happens automatically when the history exceeds its size")
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

  @Test("happens automatically when transactions reach their age")
  func age() throws {
    let context = try context(saves: 5, HistoryRetention(maximumAge: 3600, maximumSize: nil))
    #expect(try context.history().count == 5)
    try #require(store).execute(
      "UPDATE _history_transaction SET timestamp = timestamp - 7200 WHERE number <= 3")
    // Another store: this one may remember the time.
    _ = try self.context(saves: 1, HistoryRetention(maximumAge: 3600, maximumSize: nil))
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
    // Nothing was deleted that would have fitted.
    let oneMore = sizes.reduce(0, +) + (sizes.max() ?? 0)
    #expect(oneMore > size || sizes.count == 40)
  }

  @Test("never takes the transaction just written")
  func newest() throws {
    let context = try context(saves: 3, HistoryRetention(maximumAge: 0, maximumSize: 0))
    #expect(try context.history().map(\.id) == [3])
  }
}
