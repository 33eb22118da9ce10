import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("The history of a store on a server", .server)
struct PostgresHistoryTests {
  private let configuration: PostgresConfiguration

  init() throws {
    configuration = PostgresConfiguration(uniqueName("store"), url: try PostgresServer.shared.url)
  }

  private func container(
    _ retention: HistoryRetention = .standard, allowsSave: Bool = true
  ) throws -> ModelContainer {
    var configuration = configuration
    configuration.historyRetention = retention
    configuration.allowsSave = allowsSave
    return try ModelContainer(for: serverSchema, configurations: [configuration])
  }

  private func rows(_ sql: String) throws -> PostgresResult {
    let connection = try PostgresServer.shared.connect()
    try connection.use(schema: configuration.databaseSchema)
    return try connection.run(sql)
  }

  @Test("has a transaction for every save, with each model's change")
  func saves() throws {
    let context = ModelContext(try container())
    let sample = Sample("a", count: 1)
    context.insert(sample)
    try context.save()
    context.author = "editor"
    sample.note = "b"
    sample.count = 2
    try context.save()
    context.delete(sample)
    try context.save()
    let history = try context.history()
    #expect(
      history.map(\.summary) == [
        ["insert Sample"], ["update Sample count,note"], ["delete Sample"],
      ]
    )
    #expect(history.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(history.map(\.author) == [nil, "editor", "editor"])
    #expect(history[0].storeIdentifier == history[0].token.storeIdentifier)
    #expect(history[0].processIdentifier == "\(ProcessInfo.processInfo.processIdentifier)")
    let changes = history.flatMap(\.changes).map(\.changedPersistentIdentifier)
    #expect(Set(changes) == [sample.persistentModelID])
  }

  @Test("has nothing of changes that were rolled back, refused or without effect")
  func traces() throws {
    let context = ModelContext(try container())
    context.insert(Sample("a"))
    context.rollback()
    try context.save()
    #expect(try context.history().isEmpty)
    let first = Sample("a")
    context.insert(first)
    try context.save()
    let equal = Sample("a")
    equal.uuid = first.uuid
    context.insert(equal)
    try context.save()
    #expect(try context.history().count == 1)
    let other = Sample("b")
    context.insert(other)
    try context.save()
    other.key = "a"
    #expect(throws: StoreError.self) { try context.save() }
    context.rollback()
    other.note = "5"
    try context.save()
    #expect(try context.history().map(\.transactionIdentifier) == [1, 2, 3])
    #expect(try context.history().last?.summary == ["update Sample note"])
  }

  @Test("names the properties that an upsert or an overwriting save changed")
  func upserts() throws {
    let container = try container()
    let context = ModelContext(container)
    let first = Sample("a")
    context.insert(first)
    try context.save()
    let again = Sample("a")
    again.uuid = first.uuid
    again.note = "there"
    again.rank = 3
    context.insert(again)
    try context.save()
    #expect(try context.history().last?.summary == ["update Sample rank,note"])
    let other = ModelContext(container)
    other.mergePolicy = .overwrite
    let sample = try #require(try other.fetch(FetchDescriptor<Sample>()).first)
    sample.rank = 4
    try other.save()
    #expect(try context.history().last?.summary == ["update Sample rank"])
  }

  @Test(
    "has both ends of pairs, and what delete rules do, also to rows that the context doesn't know")
  func relationships() throws {
    let container = try container()
    let context = ModelContext(container)
    let (one, two, red) = (SampleGroup("one"), SampleGroup("two"), Tag("red"))
    context.insert(one)
    context.insert(two)
    context.insert(red)
    two.parent = one
    try context.save()
    one.tags = [red]
    try context.save()
    let both: Set = ["update SampleGroup tags", "update Tag groups"]
    #expect(Set(try context.history().last?.summary ?? []) == both)
    // Another container inserts rows that lead to the group.
    let other = ModelContext(try self.container())
    let name = "one"
    let known = try #require(
      try other.fetch(FetchDescriptor<SampleGroup>(predicate: #Predicate { $0.name == name }))
        .first)
    let sample = Sample("theirs")
    let child = SampleGroup("child")
    other.insert(sample)
    other.insert(child)
    sample.group = known
    child.parent = known
    try other.save()
    context.delete(one)
    try context.save()
    #expect(
      Set(try context.history().last?.summary ?? []) == [
        "delete SampleGroup", "delete Sample", "update SampleGroup parent", "update Tag groups",
      ])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Sample>()) == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<SampleGroup>()) == 2)
  }

  @Test("has everything that was there when a container is erased")
  func erase() throws {
    let context = ModelContext(try container())
    let group = SampleGroup("g")
    context.insert(group)
    let sample = Sample("s")
    context.insert(sample)
    sample.group = group
    group.tags = [Tag("t")]
    try context.save()
    try context.container.erase()
    #expect(
      Set(try context.history().last?.summary ?? []) == [
        "delete SampleGroup", "delete Sample", "delete Tag",
      ])
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Tag>()) == 0)
  }

  @Test("preserves values of deleted models, and no others")
  func tombstones() throws {
    let context = ModelContext(try container())
    let bill = Bill(7, customer: "Ünï", price: 12.5)
    bill.paid = true
    context.insert(bill)
    context.insert(Bill(8, customer: nil, price: 1))
    try context.save()
    for bill in try context.fetch(FetchDescriptor<Bill>()) { context.delete(bill) }
    try context.save()
    let tombstones = try #require(try context.history().last).changes.compactMap { change in
      if case .delete(let deletion as DefaultHistoryDelete<Bill>) = change {
        deletion.tombstone
      } else {
        nil
      }
    }
    #expect(tombstones.count == 2)
    let tombstone = try #require(tombstones.first { $0[\.number] as? Int == 7 })
    #expect(tombstone[\.customer] as? String == "Ünï")
    #expect(tombstone[\.price] as? Decimal == 12.5)
    #expect(tombstone[\.place] as? Place == Place(latitude: 7, longitude: -7))
    #expect(tombstone[\.paid] == nil)
    #expect(Array(tombstone).count == 4)
    #expect(Array(try #require(tombstones.first { $0[\.number] as? Int == 8 })).count == 3)
  }

  @Test("is shared by containers, and lasts longer than they do")
  func containers() throws {
    let first = ModelContext(try container())
    let second = ModelContext(try container())
    first.insert(Tag("a"))
    try first.save()
    let seen = try #require(try first.history().last?.token)
    second.author = "second"
    second.insert(Tag("b"))
    try second.save()
    let new = try first.history(#Predicate { $0.token > seen })
    #expect(new.map(\.summary) == [["insert Tag"]])
    let kept = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: JSONEncoder().encode(seen))
    let third = ModelContext(try container(allowsSave: false))
    #expect(try third.history(#Predicate { $0.token > kept }).map(\.author) == ["second"])
    #expect(throws: StoreError.self) { try third.deleteHistory(Transactions()) }
  }

  @Test("gives numbers without gaps, in the order of commits, to savers that work at once")
  func numbers() async throws {
    let (containers, count) = ([try container(), try container()], 20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<6 {
        group.addTask {
          let context = ModelContext(containers[thread % 2])
          for number in 0..<count {
            context.author = "\(thread)"
            context.insert(Tag("\(thread) \(number)"))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let history = try ModelContext(containers[0]).history()
    #expect(history.map(\.id) == Array(1...Int64(6 * count)))
    for thread in 0..<6 { #expect(history.filter { $0.author == "\(thread)" }.count == count) }
    let sizes = try rows(
      "SELECT (total - lag(total, 1, 0::bigint) OVER (ORDER BY number) - 64"
        + " - (SELECT sum(length(changes)) FROM \"_history_change\" AS c WHERE c.number = t.number)"
        + ")::bigint FROM \"_history_transaction\" AS t")
    #expect((0..<sizes.rowCount).allSatisfy { sizes.integer($0, 0) == 0 })
  }

  // MARK: - Queries

  @Test("finds by token, number, author and time the same as evaluating the predicate")
  func predicates() throws {
    let context = ModelContext(try container())
    for (number, author) in ["a", "e\u{301}", nil, "a", "é", nil].enumerated() {
      context.author = author
      context.insert(Tag("\(number)"))
      try context.save()
    }
    let all = try context.history()
    let (token, last, time) = (all[2].token, all[4].token, all[3].timestamp)
    let model = try #require(all[1].changes.first).changedPersistentIdentifier
    let storeIdentifier = all[0].storeIdentifier
    let none: String? = nil
    let predicates: [Predicate<DefaultHistoryTransaction>] = [
      #Predicate { $0.token > token }, #Predicate { $0.token >= token },
      #Predicate { $0.token == token }, #Predicate { $0.token != token },
      #Predicate { $0.token <= token }, #Predicate { token < $0.token },
      #Predicate { $0.token > token && $0.author == "a" },
      #Predicate { $0.token > token && $0.token < last },
      #Predicate { $0.author == "é" }, #Predicate { $0.author == "\0" },
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
    var descriptor = Transactions(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.id) == [6, 5])
    descriptor.sortBy = []
    #expect(try context.fetchHistory(descriptor).map(\.id) == [1, 2])
  }

  @Test("is read beyond a page")
  func pages() throws {
    let context = ModelContext(try container(.unlimited))
    for number in 0..<300 {
      context.insert(Tag("\(number)"))
      try context.save()
    }
    #expect(try context.history().map(\.id) == Array(1...300))
    #expect(try context.history(#Predicate { $0.id > 40 && $0.changes.count == 1 }).count == 260)
  }

  // MARK: - Deletions

  private func authored(_ saves: Int, _ retention: HistoryRetention = .standard) throws
    -> ModelContext
  {
    let context = ModelContext(try container(retention))
    for number in 0..<saves {
      context.author = number.isMultiple(of: 2) ? "even" : "odd"
      context.insert(Tag("\(number)"))
      try context.save()
    }
    return context
  }

  @Test("expires tokens that would miss a deleted transaction, and only those")
  func deletions() throws {
    let context = try authored(8)
    let tokens = try context.history().map(\.token)
    let (start, odd) = (tokens[1], "odd")
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "even" }))
    #expect(try context.history().map(\.id) == [2, 4, 6, 8])
    #expect(
      try context.history(#Predicate { $0.token > start && $0.author == odd }).map(\.id) == [
        4, 6, 8,
      ])
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start })
    }
    let mark = tokens[3]
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.token <= mark }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start && $0.author == odd })
    }
    try context.deleteHistory(Transactions())
    #expect(try context.history().isEmpty)
    let last = tokens[7]
    #expect(try context.history(#Predicate { $0.token > last }).isEmpty)
    context.insert(Tag("new"))
    try context.save()
    #expect(try context.history(#Predicate { $0.token > last }).map(\.id) == [9])
    let future = DefaultHistoryToken(store: last.storeIdentifier, transaction: 99)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > future })
    }
  }

  @Test(
    "expires tokens also when two delete transactions at the same time",
    arguments: [true, false])
  func concurrentDeletions(isBySize: Bool) throws {
    let proxy = try PostgresProxy(to: try PostgresServer.shared)
    defer { proxy.stop() }
    let context = try authored(8)
    let (start, even) = (try context.history()[1].token, "even")
    let other = try container(
      isBySize ? HistoryRetention(maximumAge: nil, maximumSize: 0) : .standard)
    let through = ModelContext(
      try ModelContainer(
        for: serverSchema,
        configurations: [PostgresConfiguration(configuration.name, url: proxy.url)]))
    let count = CallCounter()
    proxy.before("INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 0, $2)") {
      count.increment()
      let theirs = ModelContext(other)
      do {
        if isBySize {
          theirs.insert(Tag("new"))
          try theirs.save()
        } else {
          try theirs.deleteHistory(Transactions(predicate: #Predicate { $0.author == "even" }))
        }
      } catch { Issue.record(error) }
    }
    try through.deleteHistory(Transactions(predicate: #Predicate { $0.author == "odd" }))
    #expect(count.count == 1)
    #expect(try context.history().map(\.id) == (isBySize ? [9] : []))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > start && $0.author == even })
    }
  }

  @Test("keeps the bytes within the bound, to the byte", arguments: [0, 64, 500, 1000])
  func size(bound: Int64) throws {
    let context = try authored(40, HistoryRetention(maximumAge: nil, maximumSize: bound))
    let rows = try rows(
      "SELECT 64 + (SELECT sum(length(changes)) FROM \"_history_change\" AS c"
        + " WHERE c.number = t.number) FROM \"_history_transaction\" AS t")
    let sizes = (0..<rows.rowCount).compactMap { rows.integer($0, 0) }
    #expect(sizes.reduce(0, +) <= bound || sizes.count == 1)
    // Nothing was deleted that would have fitted.
    #expect(sizes.reduce(0, +) + (sizes.max() ?? 0) > bound || sizes.count == 40)
    #expect(try context.history().last?.id == 40)
  }

  @Test("deletes transactions that reach their age")
  func age() throws {
    let context = try authored(5, HistoryRetention(maximumAge: 3600, maximumSize: nil))
    _ = try rows(
      "UPDATE \"_history_transaction\" SET timestamp = timestamp - 7200 WHERE number <= 3")
    // Another process, which doesn't know the times yet.
    let other = try authored(
      1, HistoryRetention(maximumAge: 3600, maximumSize: nil))
    #expect(try other.history().map(\.id) == [4, 5, 6])
    withExtendedLifetime(context) {}
  }

  // MARK: - Consumers

  @Test("is kept for consumers, which go on where they stopped")
  func consumers() async throws {
    let container = try container(HistoryRetention(maximumAge: nil, maximumSize: 0))
    let context = ModelContext(container)
    func save(_ count: Int) throws {
      for _ in 0..<count {
        context.insert(Tag("t"))
        try context.save()
      }
    }
    try save(1)
    try container.registerHistoryConsumer("index")
    try save(20)
    #expect(try context.history().map(\.id).suffix(20) == Array(2...21))
    var seen: [Int64] = []
    for try await transaction in try container.remoteChanges(for: "index") {
      seen.append(transaction.id)
      try container.acknowledgeHistory(through: transaction.token, by: "index")
      if seen.count == 10 { break }
    }
    #expect(seen == Array(2...11))
    try save(1)
    #expect(try context.history().map(\.id) == Array(12...22))
    let again = try self.container().registerHistoryConsumer("index")
    #expect(again.token.tokenValue?.values.first == 11)
    try context.deleteHistory(Transactions())
    #expect(try container.historyConsumers().first?.isExpired == true)
    try container.removeHistoryConsumer("index")
    #expect(try container.historyConsumers().isEmpty)
    let token = try #require(try container.currentHistoryToken())
    #expect(throws: SwiftDataError.unknownHistoryConsumer) {
      try container.acknowledgeHistory(through: token, by: "index")
    }
  }

  @Test("a consumer with a damaged entry doesn't prevent saves, and can be removed")
  func damagedConsumer() throws {
    let container = try container(HistoryRetention(maximumAge: nil, maximumSize: 0))
    try container.registerHistoryConsumer("index")
    _ = try rows(
      "UPDATE \"_metadata\" SET value = '\\x7b' WHERE key = 'history.consumer.index'")
    let context = ModelContext(container)
    for _ in 0..<2 {
      context.insert(Tag("t"))
      try context.save()
    }
    #expect(throws: StoreError.self) { try container.historyConsumers() }
    try container.removeHistoryConsumer("index")
    #expect(try container.registerHistoryConsumer("index").token.tokenValue?.values.first == 2)
  }
}
