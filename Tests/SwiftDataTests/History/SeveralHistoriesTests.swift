import SwiftData
import Testing

@Suite("The history of a container with two stores", .timeLimit(.minutes(20)))
struct SeveralHistoriesTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Schema([Tally.self, CountMark.self]),
      configurations: [
        ModelConfiguration("tallies", schema: Schema([Tally.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("marks", schema: Schema([CountMark.self]), isStoredInMemoryOnly: true),
      ])
    context = ModelContext(container)
  }

  private func save(_ models: any PersistentModel...) throws {
    for model in models { context.insert(model) }
    try context.save()
  }

  /// Saves to one store, to the other, or to both.
  private func fill(author: String? = nil) throws {
    context.author = author
    defer { context.author = nil }
    let name = author ?? ""
    try save(Tally("\(name)1"))
    try save(Tally("\(name)2"), CountMark("\(name)1"))
    try save(CountMark("\(name)2"))
    try save(CountMark("\(name)3"))
    try save(Tally("\(name)3"))
  }

  @Test("goes on from the token of any transaction with the later ones, each once")
  func tokens() throws {
    try fill()
    let all = try context.history()
    try #require(all.count == 6)
    for (position, transaction) in all.enumerated() {
      let token = transaction.token
      #expect(try context.history(#Predicate { $0.token > token }) == Array(all[(position + 1)...]))
    }
    let tokens = all.map(\.token)
    #expect(tokens == tokens.sorted())
    #expect(tokens.last == (try container.currentHistoryToken()))

    let seen = try #require(tokens.last)
    try save(Tally("new"))
    try save(CountMark("new"))
    #expect(try context.history(#Predicate { $0.token > seen }).count == 2)
    let mark = CountMark("newest")
    try save(mark)
    let again = try #require(try context.history(#Predicate { $0.token > seen }).last?.token)
    let end = try context.history(#Predicate { $0.token > again })
    #expect(end.isEmpty)
  }

  @Test("is read in pages, also of one author")
  func pages() throws {
    try fill()
    try fill(author: "b")
    try fill(author: "c")
    for author in [nil, "b"] {
      var found: [DefaultHistoryTransaction] = []
      var page = Transactions()
      page.fetchLimit = 1
      if let author { page.predicate = #Predicate { $0.author == author } }
      while let next = try context.fetchHistory(page).first, found.count < 20 {
        found.append(next)
        let token = next.token
        if let author {
          page.predicate = #Predicate { $0.token > token && $0.author == author }
        } else {
          page.predicate = #Predicate { $0.token > token }
        }
      }
      let all = try context.history().filter { author == nil || $0.author == author }
      #expect(found == all)
      #expect(found.count == (author == nil ? 18 : 6))
    }
  }

  @Test("up to the token of a transaction can be deleted")
  func deletion() throws {
    try fill()
    let all = try context.history()
    try #require(all.count == 6)
    let seen = all[3].token
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.token <= seen }))
    #expect(try context.history() == Array(all[4...]))
    #expect(try context.history(#Predicate { $0.token > seen }) == Array(all[4...]))
    let first = try #require(try context.history().first?.token)
    #expect(try context.history(#Predicate { $0.token > first }) == Array(all[5...]))
  }

  @Test("goes on from the token of a remote change with those of both stores")
  func remoteChanges() async throws {
    try fill()
    let start = try #require(try container.currentHistoryToken())
    try save(CountMark("one"))
    try save(Tally("one"))
    var iterator = container.remoteChanges(after: start).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    try #require(first.token.tokenValue?.count == 2)
    var rest = container.remoteChanges(after: first.token).makeAsyncIterator()
    let second = try #require(try await rest.next())
    #expect(second == (try await iterator.next()))
    #expect(first.storeIdentifier != second.storeIdentifier)
    #expect(second.token == (try container.currentHistoryToken()))
  }

  @Test("is acknowledged in both stores by one token")
  func consumer() async throws {
    try fill()
    try container.registerHistoryConsumer("index")
    try save(CountMark("one"))
    try save(Tally("one"))
    var iterator = try container.remoteChanges(for: "index").makeAsyncIterator()
    _ = try await iterator.next()
    let second = try #require(try await iterator.next())
    try container.acknowledgeHistory(through: second.token, by: "index")
    let consumer = try container.historyConsumers().first
    #expect(consumer?.token == (try container.currentHistoryToken()))
    #expect(throws: SwiftDataError.unknownHistoryConsumer) {
      try container.acknowledgeHistory(through: second.token, by: "nobody")
    }
  }
}
