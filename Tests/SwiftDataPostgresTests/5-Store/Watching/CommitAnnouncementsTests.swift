import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("Announcements of commits", .server, .timeLimit(.minutes(5)))
struct CommitAnnouncementsTests {
  private let server: PostgresServer
  private let name = uniqueName("store")

  init() throws { server = try PostgresServer.shared }

  private func configuration(_ url: String? = nil) -> PostgresConfiguration {
    PostgresConfiguration(name, schema: serverSchema, url: url ?? server.url)
  }

  private func save(_ name: String, _ context: ModelContext) throws {
    context.insert(Tag(name))
    try context.save()
  }

  @Test("are made only while somebody listens")
  func listeners() async throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let context = ModelContext(
      try ModelContainer(for: serverSchema, configurations: [configuration(proxy.url)]))
    for number in 0..<5 { try save("\(number)", context) }
    #expect(proxy.noticeCount == 0)
    do {
      let reports = CommitReports(try PostgresStore(configuration()))
      var iterator = reports.commits.makeAsyncIterator()
      for count in 1...3 {
        try save("heard \(count)", context)
        #expect(await iterator.next()?.commit.entities == ["Tag"])
        #expect(proxy.noticeCount == count)
      }
    }
    // The server ends the listener's session soon after its connection is closed.
    var count = proxy.noticeCount - 1
    for number in 0..<1_000 where proxy.noticeCount > count {
      count = proxy.noticeCount
      try save("later \(number)", context)
    }
    try save("last", context)
    #expect(proxy.noticeCount == count)
  }

  @Test("aren't awaited by a listener while a transaction that may not make any is open")
  func openTransaction() async throws {
    let container = try ModelContainer(for: serverSchema, configurations: [configuration()])
    let store = try PostgresStore(configuration())
    let lock = try #require(store.announcements?.lock)
    let transaction = try server.connect()
    try transaction.begin()
    try transaction.run("SELECT pg_advisory_xact_lock($1)", [.integer(lock)])
    let reports = CommitReports(store)
    var iterator = reports.commits.makeAsyncIterator()
    // Commits of others are found nevertheless, because the listener looks for them.
    for number in 0..<3 {
      try save("\(number)", ModelContext(container))
      #expect(await iterator.next()?.commit.entities == ["Tag"])
    }
    #expect(try listeners(lock) == 0)
    try transaction.commit()
    var count: Int64 = 0
    for _ in 0..<10_000 where count == 0 { count = try listeners(lock) }
    #expect(count == 1)
    try save("last", ModelContext(container))
    #expect(await iterator.next()?.commit.entities == ["Tag"])
  }

  /// The number of sessions that listen.
  private func listeners(_ lock: Int64) throws -> Int64 {
    let found = try server.connect().run(
      "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted"
        + " AND (classid::bigint << 32 | objid::bigint) = $1", [.integer(lock)])
    return found.integer(0, 0) ?? 0
  }
}
