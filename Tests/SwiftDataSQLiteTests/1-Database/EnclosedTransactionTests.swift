import Foundation
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("Work inside an open transaction")
struct EnclosedTransactionTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(.memory(name: UUID().uuidString), role: .writer, isReadOnly: false)
    try connection.execute("CREATE TABLE t (a)")
    try connection.execute("BEGIN IMMEDIATE")
  }

  private func rowCount() throws -> Int64? { try connection.integer("SELECT count(*) FROM t") }

  @Test("a nested transaction is a savepoint: rolling it back leaves the rest")
  func savepoints() throws {
    struct Refusal: Error {}
    try connection.enclosing {
      try connection.transaction { try connection.execute("INSERT INTO t VALUES (1)") }
      // Not `#expect(throws:)`: Swift 6.3.1 runs the closure above in place of the expectation's.
      do {
        try connection.transaction {
          try connection.execute("INSERT INTO t VALUES (2)")
          throw Refusal()
        }
        Issue.record("the error is lost")
      } catch is Refusal {}
    }
    #expect(try rowCount() == 1)
    try connection.execute("ROLLBACK")
    #expect(try rowCount() == 0)
  }

  /// SQLite ends a transaction by itself after some failures of the system; code that swallows the error must not make
  /// the steps that follow be committed one by one.
  @Test("work that returns although SQLite has ended the transaction is refused")
  func endedTransaction() throws {
    try connection.execute("INSERT INTO t VALUES (1)")
    let error = try #require(throws: StoreError.self) {
      try connection.enclosing {
        // As SQLite does for some errors.
        try connection.execute("ROLLBACK")
      }
    }
    #expect(error.code == .inputOutput)
    #expect("\(error)".contains("undid its changes"))
    #expect(try rowCount() == 0)
  }

  @Test("a transaction that begins after SQLite has ended the enclosing one is refused")
  func transactionAfterTheEnd() throws {
    let error = try #require(throws: StoreError.self) {
      try connection.enclosing {
        try connection.execute("ROLLBACK")
        try connection.transaction { try connection.execute("INSERT INTO t VALUES (1)") }
      }
    }
    #expect(error.code == .inputOutput)
    #expect(try rowCount() == 0)
  }
}
