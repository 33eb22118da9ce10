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

  @Test("doesn't let a thread wait for itself", .timeLimit(.minutes(1)))
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
