import Foundation
import StoreTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

/// SQLite ends a transaction by itself after some failures of the system, such as a full disk
/// (https://sqlite.org/lang_transaction.html). Later writes mustn't be committed statement by statement.
@Suite(
  "A transaction that SQLite ends by itself",
  .enabled(if: StoreKind.tested == .sqlite, "uses SQLite's connections"))
struct SelfEndedTransactionTests {
  private func connection() throws -> Connection {
    let connection = try Connection(
      .memory(name: UUID().uuidString), role: .writer, isReadOnly: false)
    try connection.execute("CREATE TABLE t (a)")
    return connection
  }

  @Test("takes no further statements, and commits nothing")
  func refusal() throws {
    let connection = try connection()
    let error = try #require(throws: StoreError.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (1)")
        // As SQLite does for some errors.
        try connection.execute("ROLLBACK")
        try connection.execute("INSERT INTO t VALUES (2)")
      }
    }
    #expect(error.code == .inputOutput)
    #expect("\(error)".contains("undid its changes"))
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test("cannot be committed, and the next one can")
  func next() throws {
    let connection = try connection()
    let error = try #require(throws: StoreError.self) {
      try connection.transaction { try connection.execute("ROLLBACK") }
    }
    #expect(error.code == .inputOutput)
    try connection.transaction { try connection.execute("INSERT INTO t VALUES (3)") }
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    try connection.execute("INSERT INTO t VALUES (4)")
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test("stores no row of a batch whose second thread runs out of space")
  func fullDisk() throws {
    let file = try TemporaryStore()
    let container = try file.container(KeyedTag.self)
    let entry = try container.core.entry(for: KeyedTag.self)
    let sqlite = try #require(entry.store as? DefaultStore)
    let error = try #require(throws: StoreError.self) {
      try sqlite.withWriter { connection in
        let pages = try #require(try connection.integer("PRAGMA page_count"))
        try connection.execute("PRAGMA max_page_count = \(pages + 40)")
        defer { try? connection.execute("PRAGMA max_page_count = 1000000000") }
        try connection.transaction {
          let table = TableWriter(
            connection: connection, statements: try sqlite.statements(of: entry.plan),
            needsRowIDs: false)
          table.startPipeline()
          defer { table.endPipeline() }
          for number in 0..<100_000 {
            _ = try table.encode(KeyedTag("\(number)"))
            _ = try table.put()
          }
        }
      }
    }
    #expect(error.code == .diskFull)
    #expect(try file.value("SELECT count(*) FROM KeyedTag") == "0")
  }
}
