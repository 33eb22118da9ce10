import PostgresTesting
import Dispatch
import Foundation
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("Errors of a server are a store's errors", .server)
struct PostgresErrorTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared }

  private func failure(_ body: () throws -> Void) throws -> StoreError {
    do { try body() } catch let error as StoreError { return error }
    Issue.record("there was no error")
    return StoreError(.other, path: "", explanation: "")
  }

  /// Creates a role and returns its address with a password.
  private func role(
    _ options: String, password: String = "pw"
  ) throws -> (name: String, url: String) {
    let name = uniqueName("role")
    try server.connect().execute("CREATE ROLE \(name) LOGIN PASSWORD '\(password)' \(options)")
    return (name, server.url(user: name, password: password))
  }

  @Test("no server")
  func noServer() throws {
    let url = "postgresql://127.0.0.1:1/postgres"
    let error = try failure { _ = try PostgresConnection(server.options(url)) }
    #expect(error.code == .noServer)
    #expect(error.description.contains("postgresql://127.0.0.1:1/postgres"))
    #expect(error.general == .loadIssueModelContainer)
    let folder = try failure {
      _ = try PostgresConnection(server.options("postgresql:///postgres?host=/nonexistent"))
    }
    #expect(folder.code == .noServer)
  }

  @Test("a wrong password, which isn't shown")
  func wrongPassword() throws {
    let (name, _) = try role("")
    let url = server.url(user: name, password: "not-the-password")
    let error = try failure { _ = try PostgresConnection(server.options(url)) }
    #expect(error.code == .accessDenied && error.sqlState == "28P01")
    #expect(!error.debugDescription.contains("not-the-password"))
  }

  @Test("the password comes from a closure")
  func password() throws {
    let (name, _) = try role("", password: "from a closure")
    var options = try server.options(server.url(user: name, password: "x"))
    options.password = { "from a closure" }
    #expect(try PostgresConnection(options).run("SELECT 1").rowCount == 1)
  }

  @Test("a database that doesn't exist")
  func noDatabase() throws {
    let url = server.url.replacingOccurrences(of: "@/postgres?", with: "@/nothing?")
    let error = try failure { _ = try PostgresConnection(server.options(url)) }
    #expect(error.code == .cannotOpen && error.sqlState == "3D000")
  }

  @Test("too many connections")
  func tooManyConnections() throws {
    let (_, url) = try role("CONNECTION LIMIT 1")
    let first = try PostgresConnection(server.options(url))
    let error = try failure { _ = try PostgresConnection(server.options(url)) }
    #expect(error.code == .tooManyConnections)
    withExtendedLifetime(first) {}
  }

  @Test("a session that may only read")
  func readOnly() throws {
    let (name, url) = try role("")
    try server.connect().execute("ALTER ROLE \(name) SET default_transaction_read_only = on")
    let refused = try failure { _ = try PostgresConnection(server.options(url)) }
    #expect(refused.code == .readOnly)
    let connection = try server.connect()
    let error = try failure {
      try connection.transaction(.reading) { () -> Void in
        try connection.run("CREATE TABLE never_made (n bigint)")
      }
    }
    #expect(error.code == .readOnly && error.sqlState == "25006")
  }

  @Test("statements that take too long, and those that are cancelled")
  func timeouts() throws {
    var options = try server.options()
    options.statementTimeout = 0.05
    let hurried = try PostgresConnection(options)
    let late = try failure { try hurried.run("SELECT pg_sleep(60)") }
    #expect(late.code == .timedOut)
    // An administrator's cancellation has the same SQLSTATE.
    #expect(late.explanation.contains("statementTimeout or because somebody cancelled it"))
    // Only the cancellation ends the statement, however long it is on its way.
    options.statementTimeout = 0
    let connection = try PostgresConnection(options)
    let started = DispatchSemaphore(value: 0)
    let cancellation = connection.cancellation
    Thread.detachNewThread {
      started.wait()
      cancellation.cancel()
    }
    let error = try failure {
      let rows = PostgresCommand("SELECT generate_series(1, 1000000000)")
      try connection.forEachRow(of: rows) { cells in
        if cells[0].bits == 1 { started.signal() }
      }
    }
    #expect(error.code == .interrupted)
    #expect(try connection.run("SELECT 1").rowCount == 1)
  }

  @Test("a connection that the server ends")
  func lostConnection() throws {
    let connection = try server.connect()
    #expect(connection.isUsable)
    let other = try server.connect()
    let ended = try other.run(
      "SELECT pg_terminate_backend($1::integer, 10000)",
      [.integer(Int64(connection.processNumber))])
    #expect(ended.values(0) == [.integer(1)])
    #expect(!connection.isUsable)
    let error = try failure { try connection.run("SELECT 1") }
    #expect(error.code == .connectionLost && error.isRepeatable)
  }

  @Test("messages about data have no data")
  func data() throws {
    let connection = try server.connect()
    let error = try failure { try connection.run("SELECT 'secret'::bigint") }
    #expect(error.sqlState == "22P02" && error.code == .unsupportedValue)
    #expect(!error.description.contains("secret"))
    try connection.execute("CREATE TEMPORARY TABLE d (t text UNIQUE)")
    let double = try failure {
      for _ in 0..<2 { try connection.run("INSERT INTO d VALUES ($1)", [.text("secret")]) }
    }
    #expect(double.code == .notUnique && !double.debugDescription.contains("secret"))
  }

  @Test("notices aren't written anywhere")
  func notices() throws {
    let connection = try server.connect()
    try connection.execute("DO $$ BEGIN RAISE NOTICE 'never shown'; END $$")
    try connection.execute("DROP TABLE IF EXISTS never_made_either")
    #expect(!connection.isLost)
  }

  @Test(
    "SQLSTATEs have codes and advice",
    arguments: [
      ("40001", StoreError.Code.busy), ("40P01", .busy), ("55P03", .busy), ("53100", .diskFull),
      ("57P01", .connectionLost), ("57P03", .noServer), ("53300", .tooManyConnections),
      ("23502", .missingValue), ("23514", .missingValue), ("23503", .danglingReference),
      ("08006", .connectionLost), ("58030", .inputOutput), ("XX001", .damaged),
      ("42P01", .schemaMismatch), ("42501", .accessDenied), ("P0001", .refusedByTrigger),
    ])
  func states(state: String, code: StoreError.Code) {
    let error = StoreError.postgres(
      PostgresFailure(sqlState: state, message: "fact"), address: "postgresql://db/quakes")
    #expect(error.code == code && error.sqlState == state)
    #expect(error.description.contains("(fact)") && error.description.contains("//db/quakes"))
    let isRepeatable = ["08006", "40001", "40P01", "55P03", "57P01"].contains(state)
    #expect(error.isRepeatable == isRepeatable)
  }
}
