import Foundation
import PostgresTesting
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("A pool of connections", .server)
struct PostgresConnectionPoolTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared }

  @Test("gives a connection again that was given back")
  func reuse() throws {
    let pool = PostgresConnectionPool(try server.options(), maximumCount: 2)
    let first = try pool.withConnection { $0.processNumber }
    let second = try pool.withConnection { $0.processNumber }
    #expect(first == second && pool.idleCount == 1)
    let both = try pool.withConnection { one in
      try pool.withConnection { [one.processNumber, $0.processNumber] }
    }
    #expect(Set(both).count == 2 && pool.idleCount == 2)
    pool.close()
    #expect(pool.idleCount == 0)
  }

  @Test("closes connections that nobody uses", .timeLimit(.minutes(20)), arguments: [1, 3])
  func unused(count: Int) async throws {
    let pool = PostgresConnectionPool(
      try server.options(), maximumCount: count + 1, idleTimeout: 0.01)
    let kept = try pool.take()
    let numbers = try (0..<count).map { _ in try pool.take() }.map { connection in
      defer { pool.giveBack(connection) }
      return connection.processNumber
    }
    while pool.idleCount > 0 { await Task.yield() }
    let asking = try server.connect()
    // The server learns of the end a little later.
    for number in numbers {
      let known = "SELECT 1 FROM pg_stat_activity WHERE pid = \(number)"
      while try asking.run(known).rowCount > 0 {}
    }
    #expect(try kept.run("SELECT 1").rowCount == 1)
    pool.giveBack(kept)
    while pool.idleCount > 0 { await Task.yield() }
    #expect(try pool.withConnection { try $0.run("SELECT 1").rowCount } == 1)
  }

  @Test(
    "keeps connections without a limit of time, and takes times of any size",
    arguments: [0, -1, 1e300, .infinity, .nan])
  func keptConnections(idleTimeout: Double) throws {
    let pool = PostgresConnectionPool(try server.options(), idleTimeout: idleTimeout)
    let first = try pool.withConnection { $0.processNumber }
    #expect(try pool.withConnection { $0.processNumber } == first)
  }

  @Test("lets callers wait for a limited time")
  func limit() throws {
    let pool = PostgresConnectionPool(
      try server.options(), maximumCount: 1, acquisitionTimeout: 0.05)
    let only = try pool.take()
    do {
      try pool.withConnection { _ in Issue.record("there was a second connection") }
    } catch let error as StoreError { #expect(error.code == .tooManyConnections) }
    pool.giveBack(only)
    #expect(try pool.withConnection { try $0.run("SELECT 1").rowCount } == 1)
  }

  @Test("doesn't let a thread wait for itself", .timeLimit(.minutes(20)))
  func nesting() throws {
    let pool = PostgresConnectionPool(
      try server.options(), maximumCount: 2, acquisitionTimeout: 600)
    try pool.withConnection { _ in
      try pool.withConnection { _ in
        do {
          try pool.withConnection { _ in Issue.record("there was a third connection") }
        } catch let error as StoreError { #expect(error.code == .tooManyConnections) }
      }
      #expect(try pool.withConnection { try $0.run("SELECT 1").rowCount } == 1)
    }
  }

  @Test("replaces connections that the server has ended")
  func replacement() throws {
    let pool = PostgresConnectionPool(try server.options())
    let first = try pool.withConnection { $0.processNumber }
    try server.connect().run(
      "SELECT pg_terminate_backend($1::integer, 10000)", [.integer(Int64(first))])
    #expect(try pool.withConnection { try $0.run("SELECT 1").rowCount } == 1)
  }

  @Test("tells when a connection was made, also in place of another one, and when one was lost")
  func sessions() throws {
    let counter = CallCounter()
    let pool = PostgresConnectionPool(
      try server.options(), whenSessionsChange: { counter.increment() })
    let first = try pool.withConnection { connection in
      #expect(counter.count == 1)
      return connection.processNumber
    }
    #expect(try pool.withConnection { $0.processNumber } == first)
    #expect(counter.count == 1)
    try server.connect().run(
      "SELECT pg_terminate_backend($1::integer, 10000)", [.integer(Int64(first))])
    try pool.withConnection { _ in #expect(counter.count == 2) }
    let error = try #require(throws: StoreError.self) {
      try pool.withConnection { connection in
        #expect(shutdown(connection.socket, Int32(SHUT_RDWR)) == 0)
        try connection.run("SELECT 1")
      }
    }
    #expect(error.code == .connectionLost && pool.idleCount == 0)
    #expect(counter.count == 3)
  }

  @Test("ends transactions that a caller leaves open")
  func transactions() throws {
    let pool = PostgresConnectionPool(try server.options(), maximumCount: 1)
    try pool.withConnection { try $0.execute("BEGIN") }
    #expect(try !pool.withConnection { $0.isInTransaction })
  }

  @Test("serves many threads")
  func threads() async throws {
    let pool = PostgresConnectionPool(
      try server.options(), maximumCount: 3, acquisitionTimeout: 60)
    let sums = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for number in 0..<40 {
        group.addTask {
          try pool.withConnection {
            try $0.run("SELECT $1::bigint * 2", [.integer(Int64(number))]).integer(0, 0)
          }
        }
      }
      return try await group.reduce(into: Int64(0)) { $0 += $1 ?? 0 }
    }
    #expect(sums == 1560 && pool.idleCount <= 3)
  }
}
