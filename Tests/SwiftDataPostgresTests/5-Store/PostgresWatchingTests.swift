import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Synchronization
import Testing

@testable import SwiftDataPostgres

@Suite("Watching a store on a server", .server, .timeLimit(.minutes(20)))
struct PostgresWatchingTests {
  private let server: PostgresServer
  private let name = uniqueName("store")

  init() throws { server = try PostgresServer.shared }

  private func configuration(_ url: String? = nil) -> PostgresConfiguration {
    PostgresConfiguration(name, schema: serverSchema, url: url ?? server.url)
  }

  private func container(_ url: String? = nil) throws -> ModelContainer {
    try ModelContainer(for: serverSchema, configurations: [configuration(url)])
  }

  private func save(_ names: String..., in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.author = "elsewhere"
    for name in names {
      context.insert(Tag(name))
      try context.save()
    }
  }

  @Test("begins with the first listener, and ends with the store")
  func lifetime() throws {
    do {
      let store = try PostgresStore(configuration())
      #expect(store.watcher.withLock { $0 == nil })
      let reports = CommitReports(store)
      #expect(store.watcher.withLock { $0 != nil })
      withExtendedLifetime(reports) {}
    }
    let connection = try server.connect()
    // The connection of the watcher was closed when the store was released; the server ends its side soon after.
    var count: Int64 = 1
    for _ in 0..<200_000 where count > 0 {
      count =
        try connection.run(
          "SELECT count(*) FROM pg_stat_activity WHERE query LIKE $1",
          [.text("%" + name + "%")]
        ).integer(0, 0) ?? 0
    }
    #expect(count == 0)
  }

  @Test(
    "a read sees the commits of another container of this process at once",
    arguments: [false, true])
  func readsOfTheSameProcess(isWatched: Bool) throws {
    let store = try PostgresStore(configuration())
    let reports = isWatched ? CommitReports(store) : nil
    let reader = ModelContext(
      ModelContainer(schema: serverSchema, migrationPlan: nil, stores: [store], ownsStores: false))
    let own = Tag("own")
    reader.insert(own)
    try reader.save()
    let other = ModelContext(try container())
    let theirs = try #require(try other.fetch(FetchDescriptor<Tag>()).first)
    for number in 0..<50 {
      theirs.name = "\(number)"
      try other.save()
      _ = try reader.fetch(FetchDescriptor<SampleGroup>())
      #expect(own.name == "\(number)")
    }
    other.delete(theirs)
    try other.save()
    _ = try reader.fetch(FetchDescriptor<SampleGroup>())
    #expect(own.isDeleted)
    withExtendedLifetime(reports) {}
  }

  @Test(
    "reports the commits of other containers and programs, each once, within 100 ms",
    arguments: [false, true])
  func commits(isPooled: Bool) async throws {
    if isPooled, !PostgresServer.hasPooler { return }
    let reports = CommitReports(
      try PostgresStore(configuration(isPooled ? server.pooledURL : nil)))
    let other = try container()
    var iterator = reports.commits.makeAsyncIterator()
    var delays: [Double] = []
    for number in 0..<20 {
      try save("\(number)", in: other)
      let start = ContinuousClock.now
      let report = try #require(await iterator.next())
      #expect(report.commit.author == "elsewhere" && report.commit.entities == ["Tag"])
      delays.append(start.duration(to: report.time) / .milliseconds(1))
    }
    let program = try server.connect()
    for _ in 0..<10 {
      try program.run("UPDATE \"\(name)\".\"Tag\" SET name = name || '!'")
      let start = ContinuousClock.now
      let report = try #require(await iterator.next())
      #expect(report.commit.entities == nil)
      delays.append(start.duration(to: report.time) / .milliseconds(1))
    }
    delays.sort()
    print("pooled: \(isPooled), median \(delays[15]) ms, maximum \(delays[29]) ms")
    // Other tests run at the same time, so the larger delays say little. Without announcements, even a quarter of them
    // would be above 250 ms.
    #expect(delays[7] < 100)
    // The store's own commits aren't reported twice.
    let own = ModelContext(
      ModelContainer(
        schema: serverSchema, migrationPlan: nil, stores: [reports.store], ownsStores: false))
    own.author = "own"
    own.insert(Tag("own"))
    try own.save()
    try save("last", in: other)
    #expect(await iterator.next()?.commit.author == "own")
    #expect(await iterator.next()?.commit.author == "elsewhere")
  }

  @Test("goes on when its connection was lost")
  func reconnection() async throws {
    let program = uniqueName("program").prefix(30)
    let reports = CommitReports(
      try PostgresStore(configuration(server.url + "&application_name=\(program)")))
    let other = try container()
    var iterator = reports.commits.makeAsyncIterator()
    for name in ["a", "b"] {
      try save(name, in: other)
      #expect(await iterator.next()?.commit.author == "elsewhere")
      let ended = try server.connect().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
        [.text(String(program))])
      #expect(ended.rowCount > 0)
    }
    try save("c", in: other)
    #expect(await iterator.next()?.commit.author == "elsewhere")
  }

  @Test("contexts follow other containers and programs")
  func contexts() async throws {
    let container = try container()
    let context = ModelContext(container)
    try save("a", in: container)
    let tag = try #require(try context.fetch(FetchDescriptor<Tag>()).first)
    let other = ModelContext(try self.container())
    let theirs = try #require(try other.fetch(FetchDescriptor<Tag>()).first)
    theirs.name = "b"
    try other.save()
    context.processPendingChanges()
    #expect(tag.name == "b")
    try server.connect().run("UPDATE \"\(name)\".\"Tag\" SET name = 'c'")
    context.processPendingChanges()
    #expect(tag.name == "c")
    other.delete(theirs)
    try other.save()
    context.processPendingChanges()
    #expect(tag.isDeleted || tag.modelContext == nil)
    #expect(try context.fetch(FetchDescriptor<Tag>()).isEmpty)
  }

  @Test("the stream of transactions has those of all containers")
  func stream() async throws {
    let container = try container()
    try save("before", in: container)
    let other = try self.container()
    var iterator = container.remoteChanges().makeAsyncIterator()
    try save("a", in: container)
    try save("b", in: other)
    #expect(try await iterator.next()?.id == 2)
    #expect(try await iterator.next()?.id == 3)
  }

  @MainActor
  @Test("live results follow other containers and programs, from the changed rows")
  func liveResults() async throws {
    let container = try container()
    let results = try ResultsObserver<Tag, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: ModelContext(container))
    #expect(results.results.isEmpty)
    let other = ModelContext(try self.container())
    for name in ["b", "c", "a"] {
      _ = try await value({ results.results.count }) {
        other.insert(Tag(name))
        try other.save()
      }
    }
    #expect(results.results.map(\.name) == ["a", "b", "c"])
    let first = try #require(
      try other.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.name)])).first)
    #expect(
      try await value({ results.results.map(\.name) }) {
        first.name = "d"
        try other.save()
      } == ["b", "c", "d"])
    #expect(
      try await value({ results.results.map(\.name) }) {
        try server.connect().run("DELETE FROM \"\(name)\".\"Tag\" WHERE name = 'c'")
      } == ["b", "d"])
  }

  @Test("transactions of other programs are noted once each, and own ones never")
  func notes() throws {
    let container = try container()
    try save("a", "b", in: container)
    try container.erase()
    let program = try server.connect()
    try program.use(schema: name)
    func count() throws -> Int64? {
      try program.run("SELECT count(*) FROM \"_foreign\"").integer(0, 0)
    }
    #expect(try count() == 0)
    let insertion = "INSERT INTO \"Tag\" VALUES (nextval('\"_rows\"'), 'theirs')"
    try program.transaction {
      try program.run(insertion)
      try program.run(insertion)
    }
    #expect(try count() == 1)
    try program.begin()
    try program.run(insertion)
    program.rollBack()
    #expect(try count() == 1)
    try program.run("TRUNCATE \"Tag\" CASCADE")
    #expect(try count() == 2)
  }

  private func note(_ count: Int, age: Int, _ program: PostgresConnection) throws {
    try program.run(
      "INSERT INTO \"_foreign\" (at) SELECT extract(epoch FROM clock_timestamp()) - 978307200"
        + " - \(age) FROM generate_series(1, \(count))")
  }

  @Test("reads remove old notes, but never those by which later states are compared")
  func oldNotes() throws {
    // Without a container: when another test of the process follows remote changes, the stores of all containers are
    // watched, and then the watcher removes notes, up to a second later, and reads don't.
    let store = try PostgresStore(configuration())
    let program = try server.connect()
    try program.use(schema: name)
    try note(StoreState.noteCount + 20, age: 600, program)
    try store.withReader { connection, _ in _ = try connection.run("SELECT 1") }
    let notes = try program.run("SELECT count(*), min(id), max(id) FROM \"_foreign\"")
    #expect(notes.integer(0, 0) == Int64(StoreState.noteCount))
    #expect(notes.integer(0, 1) == 21)
    #expect(notes.integer(0, 2) == Int64(StoreState.noteCount + 20))
  }

  @Test("reads leave new notes")
  func newNotes() throws {
    // Without a container, see above.
    let store = try PostgresStore(configuration())
    let program = try server.connect()
    try program.use(schema: name)
    try note(StoreState.noteCount + 20, age: 0, program)
    try store.withReader { connection, _ in _ = try connection.run("SELECT 1") }
    let notes = try program.run("SELECT count(*) FROM \"_foreign\"")
    #expect(notes.integer(0, 0) == Int64(StoreState.noteCount + 20))
  }

  @Test("a transaction that is committed behind a later one is noticed", arguments: [0, 1_200])
  func lateNote(earlier: Int) throws {
    let store = try PostgresStore(configuration())
    let (late, soon) = (try server.connect(), try server.connect())
    for program in [late, soon] { try program.use(schema: name) }
    try note(earlier, age: 600, soon)
    let insertion = "INSERT INTO \"Tag\" VALUES (nextval('\"_rows\"'), 'theirs')"
    try late.begin()
    try late.run(insertion)
    try soon.run(insertion)
    try store.checkForCommits()
    let known = store.generation
    try store.checkForCommits()
    #expect(store.generation == known)
    try late.commit()
    try store.checkForCommits()
    #expect(store.generation > known)
  }
}
