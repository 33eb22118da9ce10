import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore
import Testing

@testable import SwiftDataSQLite

@Suite("Connections of a store") struct StoreConnectionsTests {
  private let connections: StoreConnections
  private let tracker = StoreCommitTracker(
    CommitMonitor(), hasHistory: false, storeIdentifier: "store")

  init() throws {
    let location = StoreLocation.memory(name: "connections-" + UUID().uuidString)
    connections = StoreConnections(
      location, writer: try Connection(location, role: .writer, isReadOnly: false),
      isReadOnly: false, memory: .standard, counter: StatementCounter(store: "store"))
  }

  private func isRefused(_ body: () throws -> Void) throws -> Bool {
    do { try body() } catch SwiftDataError.reentrantOperation { return true }
    return false
  }

  @Test("A row that was written is read") func writingAndReading() throws {
    try connections.write { try $0.execute("CREATE TABLE t (n); INSERT INTO t VALUES (7)") }
    let found = try connections.read(sharesTransaction: false, tracker) {
      try $0.integer("SELECT n FROM t")
    }
    #expect(found == 7)
  }

  @Test("Writing is refused to the thread that writes or reads a store in memory")
  func reentrance() throws {
    var (isWritingRefused, isReadingRefused) = (false, false)
    try connections.write { _ in
      isWritingRefused = try isRefused { try connections.refuseReentrance() }
    }
    try connections.read(sharesTransaction: false, tracker) { _ in
      isReadingRefused = try isRefused { try connections.refuseReentrance() }
    }
    #expect(isWritingRefused && isReadingRefused)
    #expect(try !isRefused { try connections.refuseReentrance() })
  }

  @Test("Within a write only the store itself may read, on the connection that writes")
  func readingWithinAWrite() throws {
    var (isRefused, isSame) = (false, false)
    try connections.write { connection in
      isRefused = try self.isRefused {
        try connections.read(sharesTransaction: false, tracker) { _ in }
      }
      try StoreConnections.$readsBeforeWriting.withValue(true) {
        isSame = try connections.read(sharesTransaction: false, tracker) { $0 === connection }
      }
    }
    #expect(isRefused && isSame)
  }

  @Test("A read within a read in memory doesn't wait for a writer that waits for the outer one")
  func readingWithinARead() throws {
    try connections.write { try $0.execute("CREATE TABLE t (n); INSERT INTO t VALUES (7), (8)") }
    let text = "SELECT n FROM t WHERE n > ? ORDER BY n"
    try connections.read(sharesTransaction: false, tracker) { outer in
      // Without an open statement the writer could commit, and another connection reads afterwards.
      let isOther = try connections.read(sharesTransaction: false, tracker) { $0 !== outer }
      #expect(isOther)
      let statement = try outer.statement(text)
      defer { statement.reset() }
      try statement.bind([.integer(0)])
      #expect(try statement.step() && statement.rowID(at: 0) == 7)
      let writer = try connections.makeBatchConnection()
      try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (9)")
      defer { writer.rollback() }
      func readWithin() throws {
        let (found, isSame) = try connections.read(sharesTransaction: false, tracker) { inner in
          (try inner.inSnapshot { try inner.integer(text, [.integer(7)]) }, inner === outer)
        }
        #expect(found == 8 && isSame)
      }
      for _ in 0..<2 { try readWithin() }
      try outer.inReadTransaction { try readWithin() }
      try outer.inSnapshot { try readWithin() }
      #expect(try statement.step() && statement.rowID(at: 0) == 8)
      #expect(try !statement.step())
    }
    #expect(try !isRefused { try connections.refuseReentrance() })
  }

  @Test("Writing is refused to the thread of an open batch") func batches() throws {
    connections.batches.begin()
    #expect(try isRefused { try connections.refuseReentrance() })
    connections.batches.end()
    #expect(try !isRefused { try connections.refuseReentrance() })
  }

  @Test("After closing nothing is written") func closing() throws {
    connections.close()
    do {
      try connections.write { _ in }
      Issue.record("written")
    } catch let error as StoreError { #expect(error.code == .other) }
  }
}
