import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

/// Serialized, because there is one copy, which the tests stop.
@Suite("Reads from a copy of a server", .server, .serialized, .timeLimit(.minutes(20)))
struct ReadCopyTests {
  private let server: PostgresServer
  private let name = uniqueName("copies")

  init() throws { server = try PostgresServer.shared }

  private func store(readURL: String) throws -> PostgresStore {
    var configuration = PostgresConfiguration(name, url: server.url)
    configuration.schema = serverSchema
    configuration.readURL = readURL
    return try PostgresStore(configuration)
  }

  private func container(readURL: String?) throws -> ModelContainer {
    var configuration = PostgresConfiguration(name, url: server.url)
    configuration.readURL = readURL
    return try ModelContainer(for: serverSchema, configurations: [configuration])
  }

  private func connectToCopy() throws -> PostgresConnection {
    var options = try server.options(server.copyURL)
    options.isReadOnly = true
    return try PostgresConnection(options)
  }

  /// Stops the copy from following the server.
  private func withPausedCopy<Result>(_ body: () throws -> Result) throws -> Result {
    let connection = try connectToCopy()
    try connection.run("SELECT pg_wal_replay_pause()")
    // It is asked for and happens soon afterwards.
    while try connection.run("SELECT pg_get_wal_replay_pause_state()").text(0, 0) != "paused" {}
    defer {
      do { try connection.run("SELECT pg_wal_replay_resume()") } catch { Issue.record(error) }
    }
    return try body()
  }

  private func names(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  /// Waits until the copy has the server's commits, also those that it hasn't written yet, as it doesn't wait for its
  /// disk.
  private func awaitCopy() throws {
    let connection = try server.connect()
    // A commit that waits writes what is before it, too.
    try connection.execute("SET synchronous_commit = on")
    try connection.run("SELECT pg_logical_emit_message(true, 'test', 'all')")
    let end = try #require(connection.run("SELECT pg_current_wal_lsn()::text").text(0, 0))
    let copy = try connectToCopy()
    while try !copy.run("SELECT pg_last_wal_replay_lsn() >= '\(end)'::pg_lsn").isTrue(0, 0) {}
  }

  @Test("have what was saved here and what was noticed of others, behind or not")
  func ownSaves() throws {
    let context = ModelContext(try container(readURL: server.copyURL))
    context.insert(Tag("a"))
    try context.save()
    #expect(try names(context) == ["a"])
    try withPausedCopy {
      context.insert(Tag("b"))
      try context.save()
      #expect(try names(ModelContext(context.container)) == ["a", "b"])
      let other = ModelContext(try container(readURL: nil))
      other.insert(Tag("c"))
      try other.save()
      _ = try context.container.currentHistoryToken()
      // The other process' save is noticed with the history.
      #expect(try names(ModelContext(context.container)).starts(with: ["a", "b"]))
    }
  }

  @Test("come from the copy as soon as it has these commits")
  func source() throws {
    let store = try store(readURL: server.copyURL)
    try awaitCopy()
    let isCopy = try store.withReader { connection, _ in
      try connection.run("SELECT pg_is_in_recovery()").isTrue(0, 0)
    }
    #expect(isCopy)
    try withPausedCopy {
      try store.writeRows(author: "test") { transaction in
        let tag = try #require(store.plans.first { $0.name == "Tag" })
        let rows = SideTableRows(tag.columns.map(\.name), [tag.columns.map { _ in .text("x") }])
        _ = try transaction.insertNew([0], of: tag, cells: rows.cells, arena: rows.arena)
      }
      let isServer = try store.withReader { connection, _ in
        try !connection.run("SELECT pg_is_in_recovery()").isTrue(0, 0)
      }
      #expect(isServer)
    }
  }

  @Test("come from the server when the copy can't be reached, or has another store")
  func absence() throws {
    let context = ModelContext(
      try container(readURL: "postgresql://postgres@127.0.0.1:1/postgres"))
    context.insert(Tag("a"))
    try context.save()
    #expect(try names(ModelContext(context.container)) == ["a"])
    do {
      _ = try container(readURL: "nothing")
      Issue.record("an address that isn't one was taken")
    } catch let error as StoreError { #expect(error.code == .cannotOpen) }
  }

  /// A query of integers during which a copy of the server ends the connection.
  private func endingQuery(_ count: Int, endingAt place: Int) -> PostgresCommand {
    PostgresCommand(
      "SELECT n::bigint, n::text,"
        + " CASE WHEN n = \(place) AND pg_is_in_recovery()"
        + " THEN pg_terminate_backend(pg_backend_pid()) END"
        + " FROM generate_series(1, \(count)) AS n")
  }

  @Test("come from the server when the copy ends while it answers, unless many rows were passed on")
  func endedRead() throws {
    let store = try store(readURL: server.copyURL)
    try awaitCopy()
    var count = 0
    let isCopy = try store.withReader { connection, _ in
      count += 1
      let isCopy = try connection.run("SELECT pg_is_in_recovery()").isTrue(0, 0)
      if isCopy { try connection.run("SELECT pg_terminate_backend(pg_backend_pid())") }
      return isCopy
    }
    #expect(!isCopy && count == 2)
    // The copy isn't tried again soon, so other stores are used.
    let other = try self.store(readURL: server.copyURL)
    try awaitCopy()
    var rows: [Int64] = []
    try other.forEachRow(of: endingQuery(3, endingAt: 3), kinds: [nil, nil, nil]) { _, cells in
      rows.append(cells[0].bits)
    }
    #expect(rows == [1, 2, 3])
    let third = try self.store(readURL: server.copyURL)
    try awaitCopy()
    count = 0
    let begun = ContinuousClock.now
    let error = #expect(throws: StoreError.self) {
      try third.forEachRow(
        of: endingQuery(3_000, endingAt: 2_500), kinds: [nil, nil, nil]
      ) { _, _ in count += 1 }
    }
    #expect(error?.code == .connectionLost)
    #expect(error?.explanation.contains("a copy of the server ended a read") == true)
    #expect(count >= 1_000 && count < 3_000)
    // Made again, the read goes to the server.
    count = 0
    do {
      try third.forEachRow(
        of: endingQuery(3_000, endingAt: 2_500), kinds: [nil, nil, nil]
      ) { _, _ in count += 1 }
      #expect(count == 3_000)
    } catch {
      // The copy is tried again after a second, which may have passed on a busy machine.
      if begun.duration(to: .now) < .seconds(1) { Issue.record(error) }
    }
  }

  @Test("of many rows have the values that the copy gives", arguments: [1, 999, 1_000, 2_500])
  func manyRows(count: Int) throws {
    let store = try store(readURL: server.copyURL)
    try awaitCopy()
    let command = PostgresCommand(
      "SELECT n::bigint, CASE WHEN n % 3 = 0 THEN '' ELSE n::text END,"
        + " CASE WHEN n % 2 = 0 THEN n::text END, pg_is_in_recovery()::integer::bigint"
        + " FROM generate_series(1, \(count)) AS n")
    var place: Int64 = 0
    try store.forEachRow(of: command, kinds: [nil, nil, nil, nil]) { _, cells in
      place += 1
      let values = cells.map { ColumnValue($0) }
      let expected: [ColumnValue] = [
        .integer(place), .text(place.isMultiple(of: 3) ? "" : "\(place)"),
        place.isMultiple(of: 2) ? .text("\(place)") : .null, .integer(1),
      ]
      #expect(values == expected)
    }
    #expect(place == Int64(count))
  }

  @Test("leave a copy alone that has no connection to give")
  func fullCopy() throws {
    let store = try store(readURL: server.copyURL)
    let role = uniqueName("limited")
    try server.connect().run("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 0")
    let copy = try connectToCopy()
    while try copy.run("SELECT 1 FROM pg_roles WHERE rolname = '\(role)'").rowCount == 0 {}
    let url = try server.copyURL.replacingOccurrences(of: "//postgres@", with: "//\(role)@")
    var options = try server.options(url)
    options.isReadOnly = true
    let copies = ReadCopies(options, maximumCount: 1, idleTimeout: 60)
    let progress = CommitProgress(transaction: 0, foreign: store.checks.foreign)
    #expect(copies.take(containing: progress, { _ in }, { _ in nil }) == nil)
    #expect(copies.isResting)
  }
}
