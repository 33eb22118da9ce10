import Dispatch
import PostgresTesting
import SwiftData
import SwiftDataCore
import Synchronization
import Testing

@testable import SwiftDataPostgres

@Suite("Announcements of commits", .server, .timeLimit(.minutes(20)))
struct CommitAnnouncementsTests {
  private let server: PostgresServer
  private let name = uniqueName("store")

  init() throws { server = try PostgresServer.shared }

  private func configuration(_ url: String? = nil) -> PostgresConfiguration {
    PostgresConfiguration(name, schema: serverSchema, url: url ?? server.url)
  }

  /// Saves without a container: those of a process listen when another test follows remote changes.
  private func save(_ name: String, _ store: PostgresStore) throws {
    try store.writeRows(author: "test") { transaction in
      let tag = try #require(store.plans.first { $0.name == "Tag" })
      let rows = SideTableRows(tag.columns.map(\.name), [tag.columns.map { _ in .text(name) }])
      _ = try transaction.insertNew([0], of: tag, cells: rows.cells, arena: rows.arena)
    }
  }

  @Test("are made only while somebody listens")
  func listeners() async throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let saver = try PostgresStore(configuration(proxy.url))
    for number in 0..<5 { try save("\(number)", saver) }
    #expect(proxy.noticeCount == 0)
    do {
      let reports = CommitReports(try PostgresStore(configuration()))
      var iterator = reports.commits.makeAsyncIterator()
      for count in 1...3 {
        try save("heard \(count)", saver)
        #expect(await iterator.next()?.commit.entities == ["Tag"])
        #expect(proxy.noticeCount == count)
      }
    }
    // The server ends the listener's session soon after its connection is closed.
    var count = proxy.noticeCount - 1
    for number in 0..<1_000 where proxy.noticeCount > count {
      count = proxy.noticeCount
      try save("later \(number)", saver)
    }
    try save("last", saver)
    #expect(proxy.noticeCount == count)
  }

  @Test("aren't made for the saves that follow each other on several connections")
  func severalConnections() throws {
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let saver = try PostgresStore(configuration(proxy.url))
    let failures = Mutex<[any Error]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { number in
      for count in 0..<50 {
        do { try save("\(number) \(count)", saver) } catch {
          failures.withLock { $0.append(error) }
        }
      }
    }
    #expect(failures.withLock { $0.map { "\($0)" } } == [])
    #expect(proxy.noticeCount == 0)
  }

  @Test("aren't awaited by a listener while a transaction that may not make any is open")
  func openTransaction() async throws {
    let saver = try PostgresStore(configuration())
    let store = try PostgresStore(configuration())
    let locks = try #require(store.announcements?.locks)
    let transaction = try server.connect()
    try transaction.begin()
    try transaction.run("SELECT pg_advisory_xact_lock_shared($1)", [.integer(locks.commits)])
    let reports = CommitReports(store)
    var iterator = reports.commits.makeAsyncIterator()
    // Commits of others are found nevertheless, because the listener looks for them.
    for number in 0..<3 {
      try save("\(number)", saver)
      #expect(await iterator.next()?.commit.entities == ["Tag"])
    }
    try transaction.commit()
    var count: Int64 = 0
    for _ in 0..<10_000 where count == 0 { count = try listeners(locks.listeners) }
    #expect(count == 1)
    try save("last", saver)
    #expect(await iterator.next()?.commit.entities == ["Tag"])
  }

  /// The number of sessions that listen. Those that wait for a transaction don't yet.
  private func listeners(_ lock: Int64) throws -> Int64 {
    let found = try server.connect().run(
      "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted"
        + " AND (classid::bigint << 32 | objid::bigint) = $1"
        + " AND pid NOT IN (SELECT pid FROM pg_locks WHERE NOT granted)", [.integer(lock)])
    return found.integer(0, 0) ?? 0
  }
}
