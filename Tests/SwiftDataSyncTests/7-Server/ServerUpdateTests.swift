import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

/// Servers that synchronize more or fewer classes and properties of one store, one after the other.
@Suite("An update of the server that synchronizes more") struct ServerUpdateTests {
  private let container: ModelContainer
  private let booking: SyncObjectID
  private let first = [SyncedModel(Park.self, key: \.number, excluding: [\.note])]
  private let second = [
    SyncedModel(Park.self, key: \.number), SyncedModel(Booking.self, key: \.id),
  ]

  init() throws {
    container = try Fixture.container()
    let context = ModelContext(container)
    let park = Park(number: 1, name: "a")
    park.note = "x"
    context.insert(park)
    let booking = Booking(park: park, guests: 7)
    context.insert(booking)
    try context.save()
    self.booking = SyncObjectID("Booking", booking.id.uuidString)
  }

  private func server(_ models: [SyncedModel]) throws -> SyncServer {
    try SyncServer(container, models: models, rules: .everyoneSeesEverything)
  }

  private func push(
    _ server: SyncServer, _ object: SyncObjectID, _ content: SyncChange.Content,
    _ version: Int64?
  ) async throws -> SyncOutcome? {
    let change = SyncChange(
      id: UUID().uuidString, object: object, content: content, baseVersion: version)
    return try await server.push([change], client: "c", user: "ann")[change.id]
  }

  /// Makes the bookkeeping that of a version of the framework that didn't name the properties.
  private func forgetProperties() throws {
    try ModelServerStorage(container, first).access.store.writeSideTables {
      try $0.delete(from: SyncServerTables.properties, where: nil)
    }
  }

  @Test("sends the objects of a class that were there before", arguments: [false, true])
  func classes(isFormer: Bool) async throws {
    let page = try await server(first).pull(after: nil, user: "ann")
    #expect(page.changes.map(\.object.entity) == ["Park"])
    if isFormer { try forgetProperties() }
    let server = try server(second)
    // Clients that don't know of it neither overwrite nor delete it.
    let values: SyncValues = [
      "id": .text(booking.key), "parkNumber": .integer(1), "guests": .integer(8),
      "updated": .real(0),
    ]
    for content in [SyncChange.Content.put(values), .delete] {
      guard case .conflict(let remote) = try await push(server, booking, content, nil) else {
        Issue.record("\(content) was stored")
        continue
      }
      #expect(remote.values?["guests"] == .integer(7))
      #expect(remote.version > 0)
    }
    let next = try await server.pull(after: page.cursor, user: "ann")
    #expect(next.changes.contains { $0.object == booking && $0.values?["guests"] == .integer(7) })
    // Nothing is sent a second time.
    #expect(try await server.pull(after: next.cursor, user: "ann").changes.isEmpty)
    let again = try self.server(second)
    #expect(try await again.pull(after: next.cursor, user: "ann").changes.isEmpty)
  }

  @Test("sends the values of a property, which no change from before overwrites")
  func properties() async throws {
    let page = try await server(first).pull(after: nil, user: "ann")
    let park = try #require(page.changes.first)
    #expect(park.values?["note"] == nil)
    let server = try server(second)
    let values: SyncValues = [
      "number": .integer(1), "name": .text("b"), "mood": .text("calm"), "note": .text(""),
    ]
    let outcome = try await push(server, park.object, .put(values), park.version)
    guard case .conflict(let remote) = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(remote.values?["note"] == .text("x"))
    let next = try await server.pull(after: page.cursor, user: "ann")
    #expect(next.changes.first { $0.object == park.object }?.values?["note"] == .text("x"))
  }

  @Test("sends nothing anew after an update that synchronizes less, nor after a restart")
  func less() async throws {
    let page = try await server(second).pull(after: nil, user: "ann")
    #expect(page.changes.count == 2)
    for models in [second, first] {
      #expect(try await server(models).pull(after: page.cursor, user: "ann").changes.isEmpty)
    }
  }

  /// Each would pass over the edits of classes that only the other one synchronizes.
  @Test("ends the work of a server with other models on the store")
  func others() async throws {
    let (old, new) = (try server(first), try server(second))
    _ = try await old.pull(after: nil, user: "ann")
    _ = try await new.pull(after: nil, user: "ann")
    for _ in 0..<2 {
      await #expect {
        _ = try await old.pull(after: nil, user: "ann")
      } throws: { ($0 as? SyncError)?.code == .unsupported }
    }
    #expect(try await new.pull(after: nil, user: "ann").changes.count == 2)
  }

  @Test(
    "isn't undone by a server that began before it and is asked later", arguments: [false, true])
  func idle(isNamed: Bool) async throws {
    if isNamed { _ = try await server(first).pull(after: nil, user: "ann") }
    let (idle, new) = (try server(first), try server(second))
    _ = try await new.pull(after: nil, user: "ann")
    for _ in 0..<2 {
      await #expect {
        _ = try await idle.pull(after: nil, user: "ann")
      } throws: { ($0 as? SyncError)?.code == .unsupported }
      #expect(try await new.pull(after: nil, user: "ann").changes.count == 2)
    }
    // A restart of the former one undoes it, another one of the new one lets those from before go on, too.
    let former = try server(first)
    #expect(try await former.pull(after: nil, user: "ann").changes.map(\.object.entity) == ["Park"])
    await #expect(throws: SyncError.self) { try await new.pull(after: nil, user: "ann") }
    let restarted = try server(second)
    for server in [restarted, new] {
      #expect(try await server.pull(after: nil, user: "ann").changes.count == 2)
    }
  }

  @Test(
    "notes what programs save while it lists objects and the former server answers",
    arguments: [false, true])
  func meanwhile(isFormer: Bool) throws {
    func ledger(_ storage: some SyncServerStorage, _ schema: SyncSchema) throws -> SyncServerLedger
    {
      try SyncServerLedger(storage, schema, .everyoneSeesEverything)
    }
    let small = try ModelServerStorage(container, first)
    let old = try ledger(small, small.schema)
    _ = try old.pull(after: nil, user: "ann", limit: 100)
    if isFormer { try forgetProperties() }
    let storage = InterruptedServerStorage(try ModelServerStorage(container, second))
    let new = try ledger(storage, storage.schema)
    storage.afterList = {
      let context = ModelContext(container)
      let park = try #require(try context.fetch(FetchDescriptor<Park>()).first)
      context.insert(Booking(park: park, guests: 9))
      try context.save()
      _ = try old.pull(after: nil, user: "ann", limit: 100)
    }
    let page = try new.pull(after: nil, user: "ann", limit: 100)
    #expect(storage.afterList == nil)
    let guests = page.changes.compactMap { $0.values?["guests"] }
    #expect(Set(guests) == [.integer(7), .integer(9)])
    #expect(throws: SyncError.self) { try old.pull(after: nil, user: "ann", limit: 100) }
  }
}
