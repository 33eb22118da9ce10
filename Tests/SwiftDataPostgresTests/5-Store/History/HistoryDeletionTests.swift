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

  @Test("the history is deleted in portions that may take any time", arguments: [true, false])
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
    if isPruned {
      let other = try saved(1, HistoryRetention(maximumAge: 3600, maximumSize: nil))
      #expect(try other.history().map(\.id) == [count + 1])
    } else {
      try context.deleteHistory(Transactions())
    }
    let deletions = try rows("SELECT count(DISTINCT id), max(timeout) FROM deletion")
    #expect(deletions.integer(0, 0) == (isPruned ? 3 : 1))
    #expect(deletions.text(0, 1) == "0")
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
