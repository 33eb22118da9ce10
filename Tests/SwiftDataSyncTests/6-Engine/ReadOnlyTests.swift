import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

@Suite(.enabled(if: StoreKind.tested == .sqlite, "is about files")) struct ReadOnlyTests {
  /// A store with one sent park, an edit of it, and a park that was never sent.
  private func prepared(_ file: URL, _ server: SyncServer) async throws {
    let container = try Fixture.container(file)
    let engine = try SyncEngine(
      container, models: Fixture.models(), transport: LocalSyncTransport(server, user: "ann"),
      timing: Fixture.timing)
    let context = ModelContext(container)
    let park = Park(number: 1, name: "a")
    context.insert(park)
    try context.save()
    try await engine.sync()
    park.name = "b"
    context.insert(Park(number: 2, name: "c"))
    try context.save()
  }

  private func readOnly(_ file: URL) throws -> ModelContainer {
    let schema = Schema([Park.self, Booking.self])
    return try ModelContainer(
      for: schema,
      configurations: [ModelConfiguration(schema: schema, url: file, allowsSave: false)])
  }

  @Test func anEngineOnAReadOnlyStoreTellsWhatWaitsAndSendsNothing() async throws {
    let folder = try TemporaryStore()
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    try await prepared(folder.file, server)
    let before = try Data(contentsOf: folder.file)
    let line = Line(LocalSyncTransport(server, user: "ann"))
    let engine = try SyncEngine(
      readOnly(folder.file), models: Fixture.models(), transport: line, timing: Fixture.timing)
    #expect(try await engine.unsynced().map(\.object.key) == ["1", "2"])
    #expect(try await engine.pendingCount() == 2)
    #expect(try await engine.conflicts().isEmpty)
    do {
      try await engine.sync()
      Issue.record("A store that can't be written was synchronized.")
    } catch let failure as SyncFailure {
      #expect(failure.kind == .localStore)
      #expect(failure.message.contains("allowsSave: false"))
    }
    #expect(line.pushes.isEmpty)
    #expect(try Data(contentsOf: folder.file) == before)
  }

  @Test func aReadOnlyStoreThatNoEngineHasPreparedIsRefused() throws {
    let folder = try TemporaryStore()
    _ = try Fixture.container(folder.file)
    let container = try readOnly(folder.file)
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    do {
      _ = try SyncEngine(
        container, models: Fixture.models(), transport: LocalSyncTransport(server, user: "ann"))
      Issue.record("An engine works without its tables.")
    } catch let error as SyncError {
      #expect(error.code == .readOnly)
    }
    do {
      _ = try SyncServer(container, models: Fixture.models(), rules: .everyoneSeesEverything)
      Issue.record("A server works on a read-only store.")
    } catch let error as SyncError {
      #expect(error.code == .unsupported)
    }
  }
}
