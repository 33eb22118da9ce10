import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Synchronization
import Testing

@testable import SwiftDataPostgres

@Suite("A save on a server happens once", .server, .timeLimit(.minutes(20)))
struct RepeatedSaveTests {
  private let server: PostgresServer
  private let name = uniqueName("store")

  init() throws { server = try PostgresServer.shared }

  private func container(_ url: String? = nil) throws -> ModelContainer {
    try ModelContainer(
      for: serverSchema,
      configurations: [PostgresConfiguration(name, url: url ?? server.url)])
  }

  /// The fate of COMMITs, and whether the models have unique values.
  struct Loss: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let fates: [PostgresProxy.Fate]
    var isUnique = false
    /// Whether rows are inserted only: a transaction that is still open keeps others locked.
    var insertsOnly = false
  }

  static let losses = [
    Loss(testDescription: "the answer", fates: [.answerLost]),
    Loss(testDescription: "the answer, with unique values", fates: [.answerLost], isUnique: true),
    Loss(testDescription: "the request", fates: [.lost], isUnique: true),
    Loss(testDescription: "two requests", fates: [.lost, .lost]),
    Loss(testDescription: "a request, then an answer", fates: [.lost, .answerLost]),
    Loss(
      testDescription: "a request that arrives after the next one",
      fates: [.late(until: "pg_notify")], insertsOnly: true),
    Loss(
      testDescription: "a request that arrives during the next one",
      fates: [.late(until: "INSERT INTO \"Sample\"")], isUnique: true, insertsOnly: true),
  ]

  @Test("when the connection loses", arguments: losses)
  func lostCommits(loss: Loss) throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    // Somebody listens, so that commits are followed by announcements.
    let listener = CommitReports(
      try PostgresStore(PostgresConfiguration(name, schema: serverSchema, url: server.url)))
    defer { withExtendedLifetime(listener) {} }
    let context = ModelContext(try container(proxy.url))
    context.insert(Tag("first"))
    context.insert(Sample("changed"))
    context.insert(Sample("deleted"))
    try context.save()
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.key)]))
    proxy.set(loss.fates)
    if !loss.insertsOnly {
      samples[0].note = "new"
      context.delete(samples[1])
    }
    let group = SampleGroup("group")
    context.insert(group)
    group.tags = [Tag("one"), Tag("two")]
    if loss.isUnique {
      let sample = Sample("inserted")
      context.insert(sample)
      sample.group = group
    }
    try context.save()
    #expect(proxy.commitCount > 1)
    let tag = Tag("later")
    context.insert(tag)
    try context.save()

    let other = ModelContext(try container())
    #expect(
      try other.fetch(FetchDescriptor<Tag>()).map(\.name).sorted() == [
        "first", "later", "one", "two",
      ])
    let keys =
      ["changed"] + (loss.insertsOnly ? ["deleted"] : []) + (loss.isUnique ? ["inserted"] : [])
    #expect(try other.fetch(FetchDescriptor<Sample>()).map(\.key).sorted() == keys)
    #expect(try other.history().map(\.id) == [1, 2, 3])
    // The models have the rows that were stored.
    let stored = try #require(other.model(for: group.persistentModelID) as? SampleGroup)
    #expect(stored.name == "group" && Set(stored.tags.map(\.name)) == ["one", "two"])
    #expect(stored.samples.map(\.key) == (loss.isUnique ? ["inserted"] : []))
    let inserted = try other.history().flatMap(\.changes).compactMap { change in
      if case .insert(let insertion) = change { insertion.changedPersistentIdentifier } else { nil }
    }
    #expect(inserted.count == Set(inserted).count)
    #expect(inserted.contains(group.persistentModelID))
    group.name = "renamed"
    try context.save()
    #expect(try other.history().last?.summary == ["update SampleGroup name"])
  }

  @Test("and the policy for conflicts doesn't take the own commit for another's")
  func policies() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let context = ModelContext(try container(proxy.url))
    context.mergePolicy = .error
    let sample = Sample("a")
    context.insert(sample)
    try context.save()
    proxy.set([.answerLost])
    sample.note = "new"
    try context.save()
    #expect(try context.history().map(\.id) == [1, 2])
    #expect(try ModelContext(try container()).fetch(FetchDescriptor<Sample>()).first?.note == "new")
  }

  @Test("also when its transaction was deleted from the history before it is looked for")
  func deletedTransaction() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    var configuration = PostgresConfiguration(name, url: proxy.url)
    configuration.historyRetention = HistoryRetention(maximumAge: nil, maximumSize: 0)
    let context = ModelContext(
      try ModelContainer(for: serverSchema, configurations: [configuration]))
    context.insert(Tag("first"))
    try context.save()
    let other = try container()
    proxy.set([.answerLost]) {
      let theirs = ModelContext(other)
      theirs.insert(Tag("theirs"))
      do {
        try theirs.save()
        try theirs.deleteHistory(Transactions())
      } catch { Issue.record(error) }
    }
    context.insert(Tag("second"))
    try context.save()
    let names = try ModelContext(other).fetch(FetchDescriptor<Tag>()).map(\.name)
    #expect(names.sorted() == ["first", "second", "theirs"])
    #expect(try ModelContext(other).history().isEmpty)
  }

  @Test("also one over several stores, and a deletion of everything")
  func otherTransactions() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let container = try ModelContainer(
      for: serverSchema,
      configurations: [
        PostgresConfiguration(
          name, schema: Schema([Sample.self, SampleGroup.self, Tag.self]), url: proxy.url),
        ModelConfiguration("bills", schema: Schema([Bill.self]), isStoredInMemoryOnly: true),
      ])
    let context = ModelContext(container)
    func insert(_ number: Int) {
      context.insert(Tag("\(number)"))
      context.insert(Bill(number, customer: nil, price: 1))
    }
    insert(1)
    try context.save()
    proxy.set([.answerLost])
    insert(2)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Bill>()) == 2)
    // Where the other store commits before this one, the save isn't run again.
    proxy.set([.lost])
    insert(3)
    var expected = ["1", "2"]
    do {
      try context.save()
      expected.append("3")
    } catch {
      context.rollback()
    }
    let stored = try ModelContext(container).fetch(FetchDescriptor<Tag>()).map(\.name).sorted()
    #expect(stored == expected)
    proxy.set([.answerLost])
    try container.erase()
    let count = expected.count
    let history = try ModelContext(container).fetchHistory(
      Transactions(predicate: #Predicate { $0.changes.count == count }))
    #expect(history.contains { $0.summary == expected.map { _ in "delete Tag" } })
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tag>()) == 0)
  }

  @Test("with errors that go away, and not for ever with those that don't")
  func disturbed() throws {
    let context = ModelContext(try container())
    context.insert(Tag("a"))
    try context.save()
    let connection = try server.connect()
    try connection.use(schema: name)
    // A trigger that fails with a number of errors like those of transactions that meet.
    try connection.execute(
      """
      CREATE SEQUENCE tries;
      CREATE TABLE failures (count bigint, state text);
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('tries') <= (SELECT count FROM failures) THEN
          RAISE EXCEPTION USING ERRCODE = (SELECT state FROM failures);
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail BEFORE INSERT ON "Tag" FOR EACH ROW EXECUTE FUNCTION fail();
      """)
    var number = 0
    for state in ["40001", "40P01", "55P03"] {
      try connection.execute(
        "TRUNCATE failures; INSERT INTO failures VALUES (4, '\(state)');"
          + " ALTER SEQUENCE tries RESTART")
      number += 1
      context.insert(Tag(state))
      try context.save()
    }
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1 + number)
    #expect(try context.history().count == 1 + number)
    try connection.execute("UPDATE failures SET count = 1000")
    context.insert(Tag("never"))
    do {
      try context.save()
      Issue.record("the save succeeded")
    } catch let error as StoreError {
      #expect(error.code == .busy && error.sqlState == "55P03")
    }
    try connection.execute("UPDATE failures SET count = 0")
    try context.save()
    #expect(try context.history().count == 2 + number)
  }

  private final class Tally: Sendable {
    let progress = Atomic(0)
    let ended = Atomic(0)
    let acknowledged = Mutex<Set<String>>([])
    let failures = Mutex<[String]>([])
  }

  /// Runs `body` on a thread, and signals its end.
  private static func start(_ body: @escaping @Sendable () throws -> Void) -> DispatchSemaphore {
    let end = DispatchSemaphore(value: 0)
    Thread {
      do { try body() } catch { Issue.record(error) }
      end.signal()
    }.start()
    return end
  }

  private static func save(_ name: String, _ number: Int, _ context: ModelContext, _ tally: Tally) {
    context.insert(Tag(name))
    if number.isMultiple(of: 3) { context.insert(Sample(name)) }
    do {
      try context.save()
      tally.acknowledged.withLock { _ = $0.insert(name) }
    } catch {
      tally.failures.withLock { $0.append("\(error)") }
      context.rollback()
    }
    tally.progress.wrappingAdd(1, ordering: .releasing)
  }

  /// Ends a connection at a random moment after each third save.
  private static func end(
    _ program: String, _ server: PostgresServer, _ tally: Tally, until count: Int
  ) throws {
    let connection = try server.connect()
    var last = 0
    while tally.progress.load(ordering: .acquiring) < count {
      let present = tally.progress.load(ordering: .acquiring)
      try connection.run("SELECT pg_sleep(random() * 0.004)")
      // More often, and some saves would be disturbed whenever they are tried.
      guard present > last + 2 else { continue }
      last = present
      let result = try connection.run(
        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
          + " WHERE application_name = $1 ORDER BY random() LIMIT 1) AS a", [.text(program)])
      tally.ended.wrappingAdd(result.rowCount, ordering: .relaxed)
    }
  }

  @Test("while the server ends connections at any moment")
  func terminations() throws {
    let program = uniqueName("program").prefix(30)
    let url = server.url + "&application_name=\(program)"
    let containers = [try container(url), try container(url)]
    let (threads, count) = (4, 250)
    let tally = Tally()
    let ending = Self.start { try Self.end(String(program), server, tally, until: threads * count) }
    // Threads, because saves would keep those of tasks.
    let saving = (0..<threads).map { thread in
      let container = containers[thread % 2]
      return Self.start {
        let context = ModelContext(container)
        for number in 0..<count { Self.save("\(thread) \(number)", number, context, tally) }
      }
    }
    for thread in saving + [ending] { thread.wait() }
    let other = ModelContext(try container())
    let names = try other.fetch(FetchDescriptor<Tag>()).map(\.name)
    let stored = tally.acknowledged.withLock { $0 }
    print(
      "\(tally.ended.load(ordering: .relaxed)) connections ended, \(stored.count) saves acknowledged,"
        + " \(tally.failures.withLock { $0.count }) failed")
    #expect(names.count == Set(names).count)
    #expect(stored.isSubset(of: names))
    let keys = try other.fetch(FetchDescriptor<Sample>()).map(\.key)
    for name in names where (Int(name.split(separator: " ")[1]) ?? 0).isMultiple(of: 3) {
      #expect(keys.contains(name))
    }
    let history = try other.history()
    #expect(history.count == names.count)
    #expect(history.map(\.id) == Array(1...Int64(max(1, names.count))))
  }
}
