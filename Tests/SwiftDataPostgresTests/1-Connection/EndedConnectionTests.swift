import Foundation
import PostgresTesting
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("Each use of a connection that has ended meanwhile is an error that says so", .server)
struct EndedConnectionTests {
  /// How a connection ends.
  enum Ending: String, CaseIterable {
    /// By the server, which sends the reason.
    case terminated
    /// Without a message.
    case cut
    /// By a server that closes its end: after a warning, as when another of its processes has crashed, or within it.
    case crashed, truncated
  }

  /// The last use of a connection before its end.
  enum Earlier: String, CaseIterable {
    case none, statement, pipeline, rows, partOfRows, copy, failure, transaction, rowsInTransaction
  }

  /// The first use after it.
  enum Use: String, CaseIterable {
    case statement, newStatement, pipeline, rows, script, copy, commit, shape, notifications
    case transaction, deferred
  }

  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared }

  private static let numbers = PostgresCommand("SELECT generate_series(1, 3)")

  private func copy(_ connection: PostgresConnection, count: Int = 1) throws {
    try connection.copy(into: "numbers", columns: ["number"], types: [.integer]) { writer in
      for number in 0..<count {
        try writer.append(
          rowID: Int64(number), EmptyCollection<_Cell>(),
          arena: UnsafeRawBufferPointer(start: nil, count: 0))
      }
    }
  }

  private struct Stop: Error {}

  private func prepare(_ connection: PostgresConnection, _ earlier: Earlier) throws {
    try connection.execute("CREATE TEMPORARY TABLE numbers (number bigint)")
    // Statements that are known are sent without a question.
    try connection.run("SELECT $1::bigint", [.integer(1)])
    switch earlier {
    case .none: break
    case .statement: try connection.run("SELECT 1")
    case .pipeline: try connection.run([PostgresCommand("SELECT 1"), PostgresCommand("SELECT 2")])
    case .rows: try connection.forEachRow(of: Self.numbers) { _ in }
    case .partOfRows:
      #expect(throws: Stop.self) {
        try connection.forEachRow(of: Self.numbers) { _ in throw Stop() }
      }
    case .copy: try copy(connection)
    case .failure: #expect(throws: StoreError.self) { try connection.run("SELECT 1 / 0") }
    case .transaction:
      try connection.begin()
      try connection.run("SELECT 1")
    case .rowsInTransaction:
      try connection.begin()
      try connection.forEachRow(of: Self.numbers) { _ in }
    }
  }

  private func end(_ connection: PostgresConnection, _ ending: Ending) throws {
    switch ending {
    case .terminated:
      let number = Int64(connection.processNumber)
      let done = try server.connect().run(
        "SELECT pg_terminate_backend($1::integer, 10000)", [.integer(number)])
      #expect(done.values(0) == [.integer(1)])
    case .cut: #expect(shutdown(connection.socket, Int32(SHUT_RDWR)) == 0)
    case .crashed: try replaceServer(of: connection, sending: Self.warning)
    case .truncated: try replaceServer(of: connection, sending: Self.warning.dropLast(9))
    }
  }

  /// The message of a server that starts again after a crash
  /// (https://www.postgresql.org/docs/15/protocol-message-formats.html, NoticeResponse).
  private static let warning: [UInt8] = {
    let fields = Array("SWARNING\0C57P02\0Mterminating connection\0\0".utf8)
    return [UInt8(ascii: "N")] + [0, 0, 0, UInt8(fields.count + 4)] + fields
  }()

  /// Puts a server in place of a connection's one that sends some bytes and has ended.
  private func replaceServer(
    of connection: PostgresConnection, sending bytes: some Collection<UInt8>
  ) throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    #expect(write(ends[1], Array(bytes), bytes.count) == bytes.count)
    close(ends[1])
    #expect(dup2(ends[0], connection.socket) == connection.socket)
    close(ends[0])
  }

  private func use(_ connection: PostgresConnection, _ use: Use) throws {
    let known = PostgresCommand("SELECT $1::bigint", [.integer(2)])
    switch use {
    case .statement: try connection.run(known)
    case .newStatement: try connection.run("SELECT $1::bigint + 1", [.integer(2)])
    case .pipeline: try connection.run([known, known])
    case .rows: try connection.forEachRow(of: Self.numbers) { _ in }
    case .script: try connection.execute("SELECT 1; SELECT 2")
    case .copy: try copy(connection, count: 100_000)
    case .commit: _ = try connection.commit(after: [known], then: known)
    case .shape: _ = try connection.shape(of: "SELECT 1")
    case .notifications:
      // The message of the end, then the end itself.
      for _ in 0..<2 { _ = try connection.takeNotifications() }
    case .transaction: try connection.transaction(.reading) { try connection.run(known) }
    case .deferred:
      try connection.beginLater(.writing, with: [known])
      try connection.run(known)
    }
  }

  @Test("after each other use", arguments: Ending.allCases, Earlier.allCases)
  func use(_ ending: Ending, _ earlier: Earlier) throws {
    for use in Use.allCases {
      let place = Comment(rawValue: "\(ending), after \(earlier): \(use)")
      let connection = try server.connect()
      try prepare(connection, earlier)
      try end(connection, ending)
      do {
        try self.use(connection, use)
        Issue.record(Comment(rawValue: "no error: \(place)"))
      } catch let uncertain as UncertainCommit {
        #expect(use == .commit, place)
        check(uncertain.cause, place)
      } catch let error as StoreError { check(error, place) } catch { Issue.record(error, place) }
      #expect(!connection.isUsable, place)
    }
  }

  private func check(_ error: StoreError, _ place: Comment) {
    #expect(error.code == .connectionLost, place)
    #expect(error.isRepeatable, place)
    #expect(!error.explanation.isEmpty, place)
  }
}
