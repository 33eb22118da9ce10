import SwiftData
import SwiftDataStore
import Testing

@testable import SwiftDataSQLite

@Suite("A query of the history")
struct HistoryQueryTests {
  let store = try? TemporaryStore()

  /// Returns a context after six saves: by two authors, and without an author.
  private func context() throws -> ModelContext {
    let context = ModelContext(try #require(store).container(Quake.self))
    for (number, author) in ["a", "b", nil, "a", "b", nil].enumerated() {
      context.author = author
      context.insert(Quake(code: "\(number)"))
      try context.save()
    }
    return context
  }

  @Test("finds by token, number, author and time the same as evaluating the predicate")
  func predicates() throws {
    let context = try context()
    let all = try context.history()
    let token = all[2].token
    let last = all[4].token
    let time = all[3].timestamp
    let model = try #require(all[1].changes.first).changedPersistentIdentifier
    let storeIdentifier = all[0].storeIdentifier
    let none: String? = nil
    let predicates: [Predicate<DefaultHistoryTransaction>] = [
      #Predicate { $0.token > token }, #Predicate { $0.token >= token },
      #Predicate { $0.token == token }, #Predicate { $0.token != token },
      #Predicate { $0.token <= token }, #Predicate { token < $0.token },
      #Predicate { $0.token > token && $0.author == "a" },
      #Predicate { $0.token > token && $0.token < last },
      #Predicate { $0.author == "b" || $0.author == "a" },
      #Predicate { $0.author == none }, #Predicate { $0.author != "a" },
      #Predicate { $0.timestamp > time }, #Predicate { $0.timestamp <= time },
      #Predicate { $0.transactionIdentifier == 4 }, #Predicate { $0.id >= 2 },
      #Predicate { $0.storeIdentifier == storeIdentifier },
      #Predicate { $0.storeIdentifier == "other" },
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == model } },
      #Predicate { !($0.token > token) && $0.transactionIdentifier > 1 },
      #Predicate { _ in true },
    ]
    for predicate in predicates {
      let found = try context.history(predicate).map(\.id)
      #expect(found == (try all.filter { try predicate.evaluate($0) }.map(\.id)))
    }
  }

  @Test("leaves ranges, authors and their conjunctions to the database")
  func translation() throws {
    let token = DefaultHistoryToken(store: "s", transaction: 5)
    let exact: Predicate<DefaultHistoryTransaction> = #Predicate {
      $0.token > token && $0.author == "import"
    }
    let conditions = try HistoryConditions(exact, store: "s")
    #expect(conditions.isExact)
    #expect(conditions.clause == " WHERE t.number > ? AND ifnull(osd_equal(t.author, ?), 0)")
    #expect(conditions.startToken == 5)
    let mixed: Predicate<DefaultHistoryTransaction> = #Predicate {
      $0.token > token && ($0.author == "a" || $0.author == "b")
    }
    #expect(try !HistoryConditions(mixed, store: "s").isExact)
    #expect(try HistoryConditions(mixed, store: "s").clause == " WHERE t.number > ?")
  }

  @Test("sorts and limits")
  func order() throws {
    let context = try context()
    var descriptor = Transactions(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    )
    #expect(try context.fetchHistory(descriptor).map(\.id) == [6, 5, 4, 3, 2, 1])
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.id) == [6, 5])
    descriptor.sortBy = []
    descriptor.predicate = #Predicate { $0.author == "b" }
    #expect(try context.fetchHistory(descriptor).map(\.id) == [2, 5])
    descriptor.fetchLimit = 1
    #expect(try context.fetchHistory(descriptor).map(\.id) == [2])
  }

  @Test("with a token of another store is refused, and deletes nothing")
  func tokenOfAnotherStore() async throws {
    let context = try context()
    // One of them comes before, and the other one after the store in the order of identifiers.
    for identifier in ["", "~"] {
      let token = DefaultHistoryToken(store: identifier, transaction: 1)
      let predicates: [Predicate<DefaultHistoryTransaction>] = [
        #Predicate { $0.token > token }, #Predicate { $0.author != "a" && token < $0.token },
        #Predicate { !($0.token <= token) },
      ]
      for predicate in predicates {
        #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(predicate) }
        #expect(throws: SwiftDataError.historyTokenExpired) {
          try context.deleteHistory(Transactions(predicate: predicate))
        }
      }
      await #expect(throws: SwiftDataError.historyTokenExpired) {
        for try await _ in context.container.remoteChanges(after: token) {
          Issue.record("there was a transaction")
          break
        }
      }
    }
    #expect(try context.history().count == 6)
  }

  @Test("with a token of several stores finds what came after it in each")
  func tokenOfSeveralStores() throws {
    let tallies = Schema([Tally.self])
    let marks = Schema([CountMark.self])
    let container = try ModelContainer(
      for: Schema([Tally.self, CountMark.self]),
      configurations: ModelConfiguration("tallies", schema: tallies, isStoredInMemoryOnly: true),
      ModelConfiguration("marks", schema: marks, isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<3 {
      context.insert(Tally("\(number)"))
      try context.save()
      context.insert(CountMark("\(number)"))
      try context.save()
    }
    let seen = try #require(try container.currentHistoryToken())
    #expect(try context.history(#Predicate { $0.token > seen }).isEmpty)
    #expect(try context.history(#Predicate { $0.token <= seen }).count == 6)
    context.insert(Tally("new"))
    try context.save()
    context.author = "b"
    context.insert(CountMark("new"))
    try context.save()
    #expect(try context.history(#Predicate { $0.token > seen }).count == 2)
    #expect(try context.history(#Predicate { $0.token > seen && $0.author != "b" }).count == 1)
    #expect(try context.history(#Predicate { seen < $0.token || $0.author == "c" }).count == 2)
  }

  @Test("of a kind that no store keeps is refused")
  func foreign() throws {
    let context = try context()
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<ForeignTransaction>())
    }
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.deleteHistory(HistoryDescriptor<ForeignTransaction>())
    }
  }
}

private struct ForeignTransaction: HistoryTransaction {
  struct Place: Comparable, Hashable, Identifiable, Sendable {
    let id: Int
    static func < (lhs: Place, rhs: Place) -> Bool { lhs.id < rhs.id }
  }
  let id: Int
  let timestamp: Date
  var changes: [HistoryChange] { [] }
  var token: Place { Place(id: id) }
  var transactionIdentifier: Int { id }
  let storeIdentifier: String
  var author: String? { nil }
}
