import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataPostgres
import Synchronization
import Testing

@Suite("Batches on a server", .server, .timeLimit(.minutes(20)))
struct UpsertBatchTests {
  private let container: ModelContainer

  init() throws { container = try Railway.container("batch") }

  private func stations() throws -> [Station] {
    try ModelContext(container).fetch(
      FetchDescriptor<Station>(sortBy: [SortDescriptor(\.code, comparator: .lexical)]))
  }

  @Test("insert, update and leave alone", arguments: [10, 1_000])
  func outcomes(count: Int) throws {
    let first = try container.batchInsert((0..<count).lazy.map { Station("\($0)", $0) })
    #expect(first.inserted == count && first.updated == 0)
    let identifiers = Set(try stations().map(\.persistentModelID))
    let second = try container.batchInsert(
      (0..<count + 5).lazy.map { Station("\($0)", $0, name: $0 % 10 == 0 ? "new" : "") })
    #expect(second.inserted == 5 && second.updated == count / 10)
    #expect(second.unchanged == count - count / 10)
    #expect(Set(try stations().map(\.persistentModelID)).isSuperset(of: identifiers))
    #expect(try stations().count { $0.name == "new" } == count / 10 + 1)
  }

  @Test("tell the outcomes of many models in their order, although another thread writes them")
  func outcomesInOrder() throws {
    try container.batchInsert((0..<12_000).lazy.map { Badge($0, "\($0)") })
    var expected: [String] = []
    var outcomes: [WriteOutcome] = []
    let batch = try container.beginBatch(of: Badge.self)
    func add(_ badge: Badge, _ outcome: String) throws {
      expected.append(outcome)
      outcomes += try batch.add(badge)
    }
    for number in 0..<14_000 {
      let isNew = number >= 12_000
      switch number {
      // It would be two stored rows.
      case 7_777: try add(Badge(number, "1"), "refused")
      case _ where number.isMultiple(of: 10):
        try add(Badge(number, "\(number)", "red"), isNew ? "inserted" : "updated")
      default: try add(Badge(number, "\(number)"), isNew ? "inserted" : "unchanged")
      }
      // The one before again.
      if number.isMultiple(of: 3_000) {
        try add(Badge(number, "\(number)", "red"), "unchanged")
        try add(Badge(number, "\(number)", "blue"), "updated")
      }
      if number == 9_999 { try batch.setMetadata(Data([1]), forKey: "key") }
    }
    outcomes += try batch.writeBuffered()
    _ = try batch.commit()
    let names = outcomes.map { outcome in
      switch outcome {
      case .inserted: "inserted"
      case .updated: "updated"
      case .unchanged: "unchanged"
      case .refused: "refused"
      }
    }
    #expect(names == expected)
    #expect(batch.summary.inserted == 2_000 && batch.summary.updated == 1_205)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Badge>()) == 14_000)
    #expect(
      try context.fetchCount(FetchDescriptor<Badge>(predicate: #Predicate { $0.color == "blue" }))
        == 5)
    #expect(try container.storeMetadata(forKey: "key") == Data([1]))
  }

  /// The number of badges that ``change(_:_:)`` has changed.
  private func changedCount(_ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetchCount(
      FetchDescriptor<Badge>(predicate: #Predicate { $0.color == "new" }))
  }

  /// Changes so many badges in a batch that some are being written when it returns, where another processor is free.
  private func change(_ batch: any ModelBatch<Badge>) throws {
    for number in 0..<7_500 { _ = try batch.add(Badge(number, "\(number)", "new")) }
  }

  @Test("can be given up while another thread writes", arguments: [true, false])
  func rollbackDuringWrites(isExplicit: Bool) throws {
    try container.batchInsert((0..<8_000).lazy.map { Badge($0, "\($0)") })
    do {
      let batch = try container.beginBatch(of: Badge.self)
      try change(batch)
      if isExplicit { batch.rollback() }
    }
    #expect(try changedCount(container) == 0)
    #expect(try container.batchInsert([Badge(0, "0", "new")]).updated == 1)
  }

  @Test("end when the connection is lost while another thread writes")
  func lostConnection() throws {
    let program = String(uniqueName("batch").prefix(30))
    let container = try ModelContainer(
      for: Railway.schema,
      configurations: [
        PostgresConfiguration(
          uniqueName("batch"), url: try PostgresServer.shared.url + "&application_name=\(program)")
      ])
    try container.batchInsert((0..<8_000).lazy.map { Badge($0, "\($0)") })
    let batch = try container.beginBatch(of: Badge.self)
    try change(batch)
    try PostgresServer.shared.connect().run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
      [.text(program)])
    let error = #expect(throws: StoreError.self) { try batch.commit() }
    #expect(error?.code == .connectionLost)
    #expect(try changedCount(container) == 0)
  }

  @Test("name the property that leads to a model which others have deleted meanwhile")
  func deletedDestination() throws {
    let context = ModelContext(container)
    let line = Line("line")
    context.insert(line)
    try context.save()
    let batch = try container.beginBatch(of: Station.self)
    let station = Station("a", 1)
    station.line = line
    _ = try batch.upsert(station)
    let other = ModelContext(container)
    for line in try other.fetch(FetchDescriptor<Line>()) { other.delete(line) }
    try other.save()
    let error = #expect(throws: StoreError.self) { try batch.commit() }
    #expect(error?.code == .danglingReference && error?.sqlState == "23503")
    #expect(error?.explanation.hasPrefix("a Station leads by line to a Line that another ") == true)
    #expect(try stations().isEmpty)
  }

  @Test("that write values under keys only report a lost commit", arguments: [true, false])
  func lostMetadata(isStored: Bool) throws {
    let server = try PostgresServer.shared
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let name = uniqueName("batch")
    func container(_ url: String) throws -> ModelContainer {
      try ModelContainer(
        for: Railway.schema, configurations: [PostgresConfiguration(name, url: url)])
    }
    let through = try container(proxy.url)
    try through.batchInsert([Station("a", 1)])
    let batch = try BatchUpsert<Station>(through)
    #expect(try batch.upsert(Station("a", 1)) == .unchanged)
    try batch.setMetadata(Data([1]), forKey: "key")
    proxy.set([isStored ? .answerLost : .lost])
    if isStored {
      #expect(try batch.commit().unchanged == 1)
    } else {
      let error = #expect(throws: StoreError.self) { try batch.commit() }
      #expect(error?.code == .connectionLost)
    }
    let direct = try container(server.url)
    #expect(try direct.storeMetadata(forKey: "key") == (isStored ? Data([1]) : nil))
    #expect(try ModelContext(direct).history().count == 1)
    // The store goes on.
    let next = try BatchUpsert<Station>(through)
    try next.setMetadata(Data([2]), forKey: "key")
    try next.commit()
    #expect(try direct.storeMetadata(forKey: "key") == Data([2]))
  }

  @Test("a key that comes twice gets the last values")
  func repeatedKeys() throws {
    let batch = try BatchUpsert<Station>(container)
    #expect(try batch.upsert(Station("a", 1)) == .inserted)
    #expect(try batch.upsert(Station("a", 1)) == .unchanged)
    #expect(try batch.upsert(Station("a", 2)) == .updated)
    try batch.commit()
    let summary = try container.batchInsert((0..<6).map { Station("a", $0 / 2) })
    #expect(summary.updated == 3 && summary.unchanged == 3)
    #expect(try stations().map(\.level) == [0.5])
  }

  @Test("keep properties that the source doesn't decide")
  func keptProperties() throws {
    let station = Station("a", 1)
    station.mark = "mine"
    let first = try BatchUpsert<Station>(container, keeping: [\.mark])
    try first.upsert(station)
    try first.commit()
    let second = try BatchUpsert<Station>(container, keeping: [\.mark])
    #expect(try second.upsert(Station("a", 1)) == .unchanged)
    #expect(try second.upsert(Station("a", 2)) == .updated)
    try second.commit()
    #expect(try stations().map(\.mark) == ["mine"])
  }

  @Test("have no effect before the commit, nor without it")
  func rollback() throws {
    do {
      let batch = try BatchUpsert<Station>(container)
      try batch.upsert(Station("a"))
      try batch.setMetadata(Data([1]), forKey: "key")
      #expect(try stations().isEmpty)
    }
    let batch = try BatchUpsert<Station>(container)
    try batch.upsert(Station("b"))
    batch.rollback()
    #expect(try stations().isEmpty)
    #expect(try container.storeMetadata(forKey: "key") == nil)
    let last = try BatchUpsert<Station>(container)
    try last.setMetadata(Data([2]), forKey: "key")
    try last.commit()
    #expect(try container.storeMetadata(forKey: "key") == Data([2]))
  }

  @Test("refuse a model, and continue without it")
  func refusals() throws {
    let batch = try BatchUpsert<Badge>(container)
    try batch.upsert(Badge(1, "one"))
    try batch.upsert(Badge(2, "two"))
    do {
      // Both rows would be this model.
      try batch.upsert(Badge(1, "two"))
      Issue.record("a model became two rows")
    } catch let error as StoreError {
      #expect(error.code == .notUnique)
    }
    #expect(try batch.upsert(Badge(3, nil)) == .inserted)
    #expect(try batch.upsert(Badge(2, "zwei", "red")) == .updated)
    #expect(try batch.upsert(Badge(4, "one", "blue")) == .updated)
    try batch.commit()
    let badges = try ModelContext(container).fetch(
      FetchDescriptor<Badge>(sortBy: [SortDescriptor(\.number)]))
    #expect(badges.map(\.number) == [2, 3, 4])
    #expect(badges.map(\.name) == ["zwei", nil, "one"])
  }

  @Test("update a stored row by the first of two models that have its keys", arguments: [1, 64])
  func sharedRow(count: Int) throws {
    func badges() throws -> [Badge] {
      try ModelContext(container).fetch(
        FetchDescriptor<Badge>(sortBy: [SortDescriptor(\.number)]))
    }
    try container.batchInsert((0..<count).map { Badge($0, "\($0)") })
    let identifiers = try badges().map(\.persistentModelID)
    let summary = try container.batchInsert(
      (0..<count).flatMap { [Badge($0, "new \($0)"), Badge(100 + $0, "\($0)")] })
    #expect(summary.updated == count && summary.inserted == count && summary.unchanged == 0)
    let stored = try badges()
    let first = stored.prefix(count)
    #expect(first.map(\.number) == Array(0..<count))
    #expect(first.map(\.persistentModelID) == identifiers)
    #expect(first.allSatisfy { $0.name == "new \($0.number)" })
    let second = stored.dropFirst(count)
    #expect(second.map(\.number) == Array(100..<100 + count))
    #expect(second.allSatisfy { $0.name == "\($0.number - 100)" })
  }

  @Test("write classes without unique values, and subclasses")
  func otherClasses() throws {
    #expect(try container.batchInsert((0..<100).map { Owner("\($0)") }).inserted == 100)
    #expect(try container.batchInsert((0..<100).map { Tram($0) }).inserted == 100)
    let again = try container.batchInsert((50..<150).map { Tram($0) })
    #expect(again.inserted == 50 && again.unchanged == 50)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Vehicle>()) == 150)
  }

  @Test("update what matches and differs")
  func updates() throws {
    try container.batchInsert((0..<20).map { Station("\($0)", $0) })
    let changed = try container.batchUpdate(
      Station.self, where: #Predicate { $0.isOpen }
    ) { changes in
      changes.set(\.mark, to: "open")
      changes.set(\.level, to: #Expression { $0.level + 1 })
    }
    #expect(changed == 10)
    let again = try container.batchUpdate(Station.self, where: #Predicate { $0.isOpen }) {
      $0.set(\.mark, to: "open")
    }
    #expect(again == 0)
    let open = try stations().filter(\.isOpen)
    #expect(open.allSatisfy { $0.mark == "open" })
    #expect(open.reduce(0) { $0 + $1.level } == 22.5 + 10)
    let named = try container.batchUpdate(
      Station.self, where: #Predicate { $0.code.localizedStandardContains("1") }
    ) { $0.set(\.name, to: "one") }
    #expect(named == 11)
    #expect(try stations().count { $0.name == "one" } == 11)
  }

  @Test("by a predicate may take longer than other statements")
  func longBatches() throws {
    let server = try PostgresServer.shared
    let name = uniqueName("batch")
    var configuration = PostgresConfiguration(name, url: server.url)
    let first = try ModelContainer(for: Railway.schema, configurations: [configuration])
    try first.batchInsert((0..<60).map { Station("\($0)", $0) })
    let connection = try server.connect()
    try connection.use(schema: name)
    try connection.execute(
      """
      CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_sleep(0.03);
        RETURN coalesce(NEW, OLD);
      END $$;
      CREATE TRIGGER delay BEFORE UPDATE OR DELETE ON "Station"
        FOR EACH ROW EXECUTE FUNCTION delay();
      """)
    configuration.statementTimeout = 1
    let container = try ModelContainer(for: Railway.schema, configurations: [configuration])
    #expect(try container.batchUpdate(Station.self) { $0.set(\.mark, to: "new") } == 60)
    // That holds for the batch's transaction only.
    let context = ModelContext(container)
    for station in try context.fetch(FetchDescriptor<Station>()) { station.mark = "newer" }
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .timedOut)
    context.rollback()
    #expect(try container.batchDelete(Station.self) == 60)
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Station>()) == 0)
  }

  @Test("of several programs write the same rows in different orders")
  func concurrency() async throws {
    let container = container
    try container.batchInsert((0..<300).map { Station("\($0)", $0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<3 {
            let numbers = Array(0..<500)
            let order = task.isMultiple(of: 2) ? numbers : numbers.reversed()
            try container.batchInsert(
              order.map { Station("\($0)", $0, name: "\(task) \(round)") })
          }
        }
      }
      try await group.waitForAll()
    }
    let all = try stations()
    #expect(all.count == 500 && Set(all.map(\.name)).count == 1)
    #expect(all.first?.name.hasSuffix(" 2") == true)
  }

  @Test("that exclude each other come one after the other, and other writers don't wait")
  func exclusion() throws {
    let first = try container.beginBatch(of: Station.self)
    try first.excludeOthers()
    _ = try first.upsert(Station("a", 1))
    let second = Mutex<Result<Int, any Error>?>(nil)
    let group = DispatchGroup()
    group.enter()
    // A thread of its own: it waits for the server.
    Thread { [container] in
      let result = Result {
        let batch = try container.beginBatch(of: Station.self)
        try batch.excludeOthers()
        let seen = try ModelContext(container).fetchCount(FetchDescriptor<Station>())
        _ = try batch.commit()
        return seen
      }
      second.withLock { $0 = result }
      group.leave()
    }.start()
    let connection = try PostgresServer.shared.connect()
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
    while try connection.run(waiting).integer(0, 0) == 0, second.withLock({ $0 == nil }) {}
    try container.batchInsert([Station("b", 2)])
    _ = try first.commit()
    group.wait()
    #expect(try second.withLock { try $0?.get() } == 2)
  }
}
