import Foundation
import StoreTesting
import SwiftData
import Testing
import TestSupport

@testable import SwiftDataSync

/// Numbers of the bookkeeping that another program wrote, or that a damaged file has: each number of each table at its
/// extremes, alone and within the documents. Nothing traps; errors are this library's.
@Suite(.enabled(if: StoreKind.tested == .sqlite, "is about files"), .timeLimit(.minutes(20)))
struct StoredNumberTests {
  private static let extremes = ["9223372036854775807", "-9223372036854775808", "-1"]
  /// Those of documents, which have numbers of any size.
  private static let inDocuments = extremes.dropLast() + ["1e400"]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("numbers", in: TemporaryFolder.fastParent) }

  private static let rules = SyncServerRules(
    scope: { object, _ in object == SyncObjectID("Park", "9") ? "bob" : nil },
    validate: { _, change in
      change.values?["name"] == .text("refused")
        ? SyncRejection(code: "name", message: "No.") : nil
    })

  private func server(_ file: URL) throws -> SyncServer {
    try SyncServer(Fixture.container(file), models: Fixture.models(), rules: Self.rules)
  }

  /// The changes that make every number of every table of a file extreme, one at a time.
  private func changes(_ file: URL, _ tables: [SideTable]) throws -> [String] {
    let database = try SQLiteFile(file)
    var changes: [String] = []
    for table in tables {
      for column in table.columns {
        let place = "\"\(table.name)\" SET \"\(column.name)\""
        switch column.kind {
        case .integer, .real:
          changes += Self.extremes.map { "UPDATE OR IGNORE \(place) = \($0)" }
          if column.kind == .real { changes.append("UPDATE OR IGNORE \(place) = 9e999") }
        case .blob:
          let documents = try database.values(
            "SELECT DISTINCT hex(\"\(column.name)\") FROM \"\(table.name)\"")
          for document in documents.compactMap(\.self) {
            changes += Self.variants(of: Self.text(document)).map { variant in
              "UPDATE \(place) = CAST('\(variant.replacing("'", with: "''"))' AS BLOB)"
                + " WHERE \"\(column.name)\" = X'\(document)'"
            }
          }
        default: break
        }
      }
    }
    return changes
  }

  private static func text(_ hex: String) -> String {
    let digits = hex.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) ?? 0 }
    let starts = stride(from: 0, to: digits.count - 1, by: 2)
    return String(decoding: starts.map { digits[$0] << 4 | digits[$0 + 1] }, as: UTF8.self)
  }

  /// The document with each of its numbers replaced, one at a time.
  private static func variants(of document: String) -> [String] {
    document.matches(of: /[:\[,](-?[0-9][0-9.e+-]*)(?=[,\]}])/).flatMap { match in
      inDocuments.map { extreme in
        var variant = document
        variant.replaceSubrange(match.1.startIndex..<match.1.endIndex, with: extreme)
        return variant
      }
    }
  }

  /// Applies each change to a copy of a file.
  private func forEach(
    _ changes: [String], of base: URL, _ body: (URL) async throws -> Void
  ) async throws {
    for change in changes {
      let file = folder.newFile("store")
      try FileManager.default.copyItem(at: base, to: file)
      try SQLiteFile(file).run(change)
      do { try await body(file) } catch {
        let isOurs = error is SyncError || error is SyncFailure || error is StoreError
        #expect(isOurs || error is SwiftDataError, "\(change): \(error)")
      }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + suffix)
      }
    }
  }

  /// Moves the log into the file.
  private func settle(_ file: URL) throws {
    try SQLiteFile(file).run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// A server with versions, departures, tombstones, answers and skipped ranges.
  private func preparedServer() async throws -> URL {
    let file = folder.newFile("store")
    for name in ["a", "b"] {
      // Each start skips versions.
      let server = try server(file)
      let client = try Client(server)
      try await client.engine.sync()
      try client.edit { context in
        for park in try context.fetch(FetchDescriptor<Park>()) where park.number == 2 {
          context.delete(park)
        }
        for number in 1...3 { context.insert(Park(number: number, name: name)) }
      }
      try await client.engine.sync()
      try client.edit { context in
        for park in try context.fetch(FetchDescriptor<Park>()) where park.number == 3 {
          context.delete(park)
        }
      }
      try await client.engine.sync()
    }
    try settle(file)
    return file
  }

  @Test func noNumberOfAServersBookkeepingTraps() async throws {
    let base = try await preparedServer()
    let changes = try changes(base, SyncServerTables.all)
    #expect(changes.count > 40)
    try await forEach(changes, of: base) { file in
      let server = try server(file)
      var page = try await server.pull(after: nil, user: "ann", limit: 1)
      for _ in 0..<10 where page.hasMore {
        page = try await server.pull(after: page.cursor, user: "ann", limit: 1)
      }
      let client = try Client(server)
      try await client.engine.sync()
      try client.edit { $0.insert(Park(number: 4, name: "new")) }
      try client.edit(park: 1) { $0.name = "changed" }
      try await client.engine.sync()
    }
  }

  /// A client with base values, a change in flight, one that was rejected, a reference that waits, and a conflict.
  private func preparedClient(_ server: SyncServer) async throws -> URL {
    let file = folder.newFile("store")
    let client = try Client(server, at: file)
    let other = try Client(server)
    try client.edit { context in
      for number in 1...3 { context.insert(Park(number: number, name: "a")) }
      context.insert(Park(number: 5, name: "refused"))
    }
    try await client.engine.sync()
    try await other.engine.sync()
    let bob = try Client(server, user: "bob")
    try bob.edit { $0.insert(Booking(park: Park(number: 9, name: "hidden"), guests: 1)) }
    try await bob.engine.sync()
    for (each, name) in [(other, "theirs"), (client, "mine")] {
      try each.edit(park: 1) { $0.name = name }
      try await each.engine.sync()
    }
    client.line.fail(SyncFailure(.offline, "lost"), answerLost: true)
    try client.edit(park: 2) { $0.name = "in flight" }
    _ = try? await client.engine.sync()
    try settle(file)
    return file
  }

  @Test func noNumberOfAClientsBookkeepingTraps() async throws {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: Self.rules)
    let base = try await preparedClient(server)
    for table in SyncTables.all {
      #expect(try SQLiteFile(base).integer("SELECT count(*) FROM \"\(table.name)\"") > 0)
    }
    let changes = try changes(base, SyncTables.all)
    #expect(changes.count > 40)
    try await forEach(changes, of: base) { file in
      let client = try Client(server, at: file)
      _ = try await client.engine.unsynced()
      _ = try await client.engine.conflicts()
      try client.edit(park: 3) { $0.name = "edited" }
      try await client.engine.sync()
      try await client.engine.retryQuarantined()
      try await client.engine.sync()
      try await client.engine.dismissConflicts(about: SyncObjectID("Park", "1"))
      _ = try await client.engine.pendingCount()
    }
  }

  private func uploads(_ file: URL) throws -> TableUploads {
    try TableUploads(
      ModelServerStorage(Fixture.container(file), Fixture.models()).access.store)
  }

  /// Without digits, which ``changes(_:_:)`` would take for numbers of a document.
  private static let uploaded = [UInt8](repeating: UInt8(ascii: "a"), count: 40_000)

  /// A file with an upload that has two of three portions.
  private func preparedUploads(_ attachment: SyncAttachment) throws -> URL {
    let file = folder.newFile("store")
    let uploads = try uploads(file)
    for start in [0, 18_000] {
      let count = try uploads.append(
        Array(Self.uploaded[start..<start + 18_000]), to: attachment, at: start, user: "ann",
        limits: SyncAttachmentLimits())
      #expect(count == start + 18_000)
    }
    try settle(file)
    return file
  }

  /// Servers of stores without files have uploads in tables, which are the same in any store.
  @Test func noNumberOfAnUploadTraps() async throws {
    let attachment = SyncAttachment(of: Self.uploaded)
    let base = try preparedUploads(attachment)
    let changes = try changes(base, [TableUploads.uploads, TableUploads.portions])
    #expect(changes.count == 13)
    try await forEach(changes, of: base) { file in
      let uploads = try uploads(file)
      let range = 0...attachment.byteCount
      #expect(range.contains(try uploads.offsets(of: [attachment], user: "ann")[attachment] ?? -1))
      _ = try uploads.bytes(of: attachment, user: "ann")
      // The upload is completed, from its beginning if need be.
      var offset = try uploads.offsets(of: [attachment], user: "ann")[attachment] ?? 0
      for _ in 0..<10 where offset < attachment.byteCount {
        let portion = Self.uploaded[offset...].prefix(18_000)
        offset = try #require(
          try uploads.append(
            Array(portion), to: attachment, at: offset, user: "ann",
            limits: SyncAttachmentLimits()))
        #expect(range.contains(offset))
      }
      #expect(try uploads.bytes(of: attachment, user: "ann") == Self.uploaded)
    }
  }

  @Test func editsAfterATransactionThatTheStoreDoesNotHaveAreSent() async throws {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: Self.rules)
    let file = try await preparedClient(server)
    let database = try SQLiteFile(file)
    let document = try #require(
      try database.values("SELECT CAST(value AS TEXT) FROM _sync_progress").first ?? nil)
    let later = document.replacing(/"acknowledged":[0-9]+/, with: "\"acknowledged\":1000000")
    #expect(later != document)
    try database.run("UPDATE _sync_progress SET value = CAST('\(later)' AS BLOB)")
    let client = try Client(server, at: file)
    try client.edit(park: 3) { $0.name = "edited" }
    try await client.engine.sync()
    let other = try Client(server)
    try await other.engine.sync()
    #expect(try other.parks().map(\.name) == ["theirs", "in flight", "edited"])
  }

  @Test func editsOfAServersStoreAfterATransactionThatItDoesNotHaveReachClients() async throws {
    let file = try await preparedServer()
    try SQLiteFile(file).run("UPDATE _syncserver_progress SET absorbed = 1000000")
    let context = ModelContext(try Fixture.container(file))
    for park in try context.fetch(FetchDescriptor<Park>()) { park.name = "edited" }
    try context.save()
    let client = try Client(server(file))
    try await client.engine.sync()
    #expect(try client.parks().map(\.name) == ["edited", "edited"])
  }

  @Test func aLastVersionThatCannotBeIsTold() async throws {
    let file = try await preparedServer()
    try SQLiteFile(file).run("UPDATE _syncserver_progress SET version = 9223372036854775807")
    let error = #expect(throws: SyncError.self) { try server(file) }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("9223372036854775807") == true)
    #expect(SyncServer.firstVersion(after: .max) > 0)
  }
}
