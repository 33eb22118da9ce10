import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("Deletions of very much on a server", .server)
struct HistoryDeletionTests {
  private let configuration: PostgresConfiguration

  init() throws {
    configuration = PostgresConfiguration(uniqueName("store"), url: try PostgresServer.shared.url)
  }

  private func saved(_ saves: Int, _ retention: HistoryRetention) throws -> ModelContext {
    var configuration = configuration
    configuration.historyRetention = retention
    let context = ModelContext(
      try ModelContainer(for: serverSchema, configurations: [configuration]))
    for number in 0..<saves {
      context.insert(Tag("\(number)"))
      try context.save()
    }
    return context
  }

  private func rows(_ sql: String) throws -> PostgresResult {
    let connection = try PostgresServer.shared.connect()
    try connection.use(schema: configuration.databaseSchema)
    return try connection.run(sql)
  }

  @Test(
    "the history is deleted in portions, one with each save, or at once, and may take any time",
    arguments: [true, false])
  func portions(isPruned: Bool) throws {
    let context = try saved(1, .unlimited)
    let count = 2 * HistoryPruning.portion + 1
    _ = try rows(
      """
      INSERT INTO "_history_transaction" (number, key, timestamp, program, host, process, total)
      SELECT n, key, timestamp, program, host, process, total
      FROM generate_series(2, \(count)) AS n, "_history_transaction" WHERE number = 1
      """)
    _ = try rows("UPDATE \"_history_transaction\" SET timestamp = 0")
    _ = try rows("UPDATE \"_store\" SET number = \(count)")
    // Notes the transaction and the limit of each deletion.
    _ = try rows("CREATE TABLE deletion (id text, timeout text)")
    _ = try rows(
      """
      CREATE FUNCTION note_deletion() RETURNS trigger LANGUAGE plpgsql AS '
      BEGIN
        INSERT INTO deletion VALUES (txid_current()::text, current_setting(''statement_timeout''));
        RETURN NULL;
      END'
      """)
    _ = try rows(
      "CREATE TRIGGER note_deletion AFTER DELETE ON \"_history_transaction\""
        + " FOR EACH STATEMENT EXECUTE FUNCTION note_deletion()")
    func deletionCount() throws -> Int64? {
      try rows("SELECT count(DISTINCT id) FROM deletion").integer(0, 0)
    }
    if isPruned {
      let other = try saved(1, HistoryRetention(maximumAge: 3600, maximumSize: nil))
      for portion in 1...3 {
        #expect(try deletionCount() == Int64(portion))
        if portion == 3 { continue }
        other.insert(Tag("later"))
        try other.save()
      }
      #expect(try other.history().map(\.id) == Array(count + 1...count + 3))
    } else {
      try context.deleteHistory(Transactions())
      #expect(try deletionCount() == 1)
    }
    #expect(try rows("SELECT max(timeout) FROM deletion").text(0, 0) == "0")
  }

  @Test("a save doesn't wait for a deletion, and leaves old history to the next one")
  func lockedDeletion() throws {
    let proxy = try PostgresProxy(to: try PostgresServer.shared)
    defer { proxy.stop() }
    let retention = HistoryRetention(maximumAge: nil, maximumSize: 0)
    #expect(try saved(2, retention).history().map(\.id) == [2])
    var through = PostgresConfiguration(configuration.name, url: proxy.url)
    through.historyRetention = retention
    let context = ModelContext(
      try ModelContainer(for: serverSchema, configurations: [through]))
    // The statement for which a deletion waits.
    let count = CallCounter()
    proxy.before("INSERT INTO \"_metadata\"") { count.increment() }
    let connection = try PostgresServer.shared.connect()
    try connection.use(schema: configuration.databaseSchema)
    try connection.transaction {
      try connection.run(
        "UPDATE \"_metadata\" SET value = value WHERE key = 'history.deletion'")
      context.insert(Tag("passing"))
      try context.save()
    }
    #expect(count.count == 0)
    #expect(try context.history().map(\.id) == [2, 3])
    context.insert(Tag("deleting"))
    try context.save()
    #expect(count.count == 1)
    #expect(try context.history().map(\.id) == [4])
  }

  @Test("a save doesn't look at the history's bounds while another one of the store deletes")
  func concurrentSaves() throws {
    let proxy = try PostgresProxy(to: try PostgresServer.shared)
    defer { proxy.stop() }
    let retention = HistoryRetention(maximumAge: nil, maximumSize: 0)
    _ = try saved(2, retention)
    var through = PostgresConfiguration(configuration.name, url: proxy.url)
    through.historyRetention = retention
    let container = try ModelContainer(for: serverSchema, configurations: [through])
    let (deletions, looks) = (CallCounter(), CallCounter())
    proxy.before("DELETE FROM \"_history_change\"") {
      deletions.increment()
      proxy.before("SELECT t.timestamp") { looks.increment() }
      let other = ModelContext(container)
      other.insert(Tag("meanwhile"))
      do { try other.save() } catch { Issue.record(error) }
      #expect(looks.count == 0)
    }
    let context = ModelContext(container)
    context.insert(Tag("first"))
    try context.save()
    #expect(deletions.count == 1)
    #expect(try context.history().map(\.id) == [3, 4])
  }

  @Test("a deletion makes the row that others lock before it begins, so that saves see it")
  func preparedDeletion() throws {
    let proxy = try PostgresProxy(to: try PostgresServer.shared)
    defer { proxy.stop() }
    _ = try saved(2, .unlimited)
    var bounded = PostgresConfiguration(configuration.name, url: proxy.url)
    bounded.historyRetention = HistoryRetention(maximumAge: nil, maximumSize: 0)
    let others = try ModelContainer(for: serverSchema, configurations: [bounded])
    let (count, waits) = (CallCounter(), CallCounter())
    proxy.before("DELETE FROM \"_history_change\"") {
      count.increment()
      proxy.before("INSERT INTO \"_metadata\"") { waits.increment() }
      let other = ModelContext(others)
      other.insert(Tag("meanwhile"))
      do { try other.save() } catch { Issue.record(error) }
      #expect(waits.count == 0)
    }
    let context = ModelContext(
      try ModelContainer(
        for: serverSchema,
        configurations: [PostgresConfiguration(configuration.name, url: proxy.url)]))
    try context.deleteHistory(Transactions())
    #expect(count.count == 1)
    #expect(try context.history().map(\.id) == [3])
  }

  @Test("a container is erased without a time limit")
  func unlimitedErasure() throws {
    let context = try saved(1, .standard)
    _ = try rows("CREATE TABLE limits (value text)")
    _ = try rows(
      """
      CREATE FUNCTION note_limit() RETURNS trigger LANGUAGE plpgsql AS '
      BEGIN
        INSERT INTO limits VALUES (current_setting(''statement_timeout''));
        RETURN NULL;
      END'
      """)
    _ = try rows(
      "CREATE TRIGGER note_limit AFTER DELETE ON \"Tag\""
        + " FOR EACH STATEMENT EXECUTE FUNCTION note_limit()")
    try context.container.erase()
    let limits = try rows("SELECT count(*), max(value) FROM limits")
    #expect(limits.integer(0, 0) == 1)
    #expect(limits.text(0, 1) == "0")
  }
}
