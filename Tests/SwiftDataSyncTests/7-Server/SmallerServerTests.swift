import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

/// A server that synchronizes fewer classes of a store than the one before it, as after an update that was undone.
@Suite("A server that synchronizes less deletes nothing at clients") struct SmallerServerTests {
  private let container: ModelContainer
  private let client: ModelContainer
  private let booking: SyncObjectID
  private let less = [SyncedModel(Park.self, key: \.number)]
  private let all = [
    SyncedModel(Park.self, key: \.number), SyncedModel(Booking.self, key: \.id),
  ]

  init() async throws {
    (container, client) = (try Fixture.container(), try Fixture.container())
    let context = ModelContext(container)
    let park = Park(number: 1, name: "a")
    context.insert(park)
    context.insert(Park(number: 2, name: "b"))
    let booking = Booking(park: park, guests: 7)
    context.insert(booking)
    try context.save()
    self.booking = SyncObjectID("Booking", booking.id.uuidString)
    try await sync(with: server(all))
    #expect(try guests == [7])
  }

  private func server(_ models: [SyncedModel]) throws -> SyncServer {
    try SyncServer(container, models: models, rules: .everyoneSeesEverything)
  }

  private func sync(with server: SyncServer) async throws {
    let transport = LocalSyncTransport(server, user: "ann")
    let engine = try SyncEngine(
      client, models: all, transport: transport, timing: Fixture.timing)
    try await engine.sync()
  }

  private func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  /// The guests of the client's bookings.
  private var guests: [Int] {
    get throws { try ModelContext(client).fetch(FetchDescriptor<Booking>()).map(\.guests) }
  }

  private var parks: [Int] {
    get throws {
      try ModelContext(client).fetch(FetchDescriptor<Park>()).map(\.number).sorted()
    }
  }

  @Test("that have other objects of its classes, or compare everything", arguments: [false, true])
  func changed(isExpired: Bool) async throws {
    try edit { context in
      for booking in try context.fetch(FetchDescriptor<Booking>()) { booking.guests = 8 }
      for park in try context.fetch(FetchDescriptor<Park>()) where park.number == 2 {
        context.delete(park)
      }
    }
    _ = try await server(all).pull(after: nil, user: "ann")
    let server = try server(less)
    if isExpired { try await server.forgetTombstones(before: .distantFuture) }
    try await sync(with: server)
    #expect(try parks == [1])
    #expect(try guests == [7])
    // After the next update.
    try await sync(with: self.server(all))
    #expect(try guests == [8])
  }

  @Test("whose objects of other classes have several versions, and fill no page")
  func pages() async throws {
    for guests in 8..<11 {
      try edit { context in
        let park = try #require(try context.fetch(FetchDescriptor<Park>()).first)
        context.insert(Booking(park: park, guests: guests))
      }
    }
    try edit { $0.insert(Park(number: 3, name: "c")) }
    _ = try await server(all).pull(after: nil, user: "ann")
    let server = try server(less)
    var (cursor, pages): (String?, [[String]]) = (nil, [])
    while true {
      let page = try await server.pull(after: cursor, user: "ann", limit: 1)
      #expect(page.coverage == .full(entities: ["Park"]))
      pages.append(page.changes.map(\.object.key))
      guard page.hasMore else { break }
      cursor = page.cursor
    }
    #expect(pages.joined().sorted() == ["1", "2", "3"])
    #expect(pages.allSatisfy { !$0.isEmpty })
  }

  @Test("that lack deletions, which they get after the next update")
  func deleted() async throws {
    try edit { context in
      for booking in try context.fetch(FetchDescriptor<Booking>()) { context.delete(booking) }
    }
    _ = try await server(all).pull(after: nil, user: "ann")
    let server = try server(less)
    try await server.forgetTombstones(before: .distantFuture)
    try await sync(with: server)
    #expect(try guests == [7])
    try await sync(with: self.server(all))
    #expect(try guests == [])
  }

  @Test("that lack forgotten deletions, which they notice after the next update")
  func forgotten() async throws {
    try edit { context in
      for booking in try context.fetch(FetchDescriptor<Booking>()) { context.delete(booking) }
    }
    let server = try server(all)
    _ = try await server.pull(after: nil, user: "ann")
    try await server.forgetTombstones(before: .distantFuture)
    try await sync(with: self.server(less))
    #expect(try guests == [7])
    try await sync(with: self.server(all))
    #expect(try guests == [])
    #expect(try parks == [1, 2])
  }

  @Test("that repeat a change which was in conflict")
  func conflict() async throws {
    let change = SyncChange(id: "1", object: booking, content: .delete, baseVersion: 1)
    let first = try await server(all).push([change], client: "c", user: "ann")
    guard case .conflict(let remote) = first["1"] else {
      Issue.record("\(first)")
      return
    }
    #expect(remote.values != nil)
    let repeated = try await server(less).push([change], client: "c", user: "ann")
    guard case .rejected(let rejection) = repeated["1"] else {
      Issue.record("\(repeated)")
      return
    }
    #expect(rejection.code == "unknownEntity")
    let again = try await server(all).push([change], client: "c", user: "ann")
    guard case .conflict = again["1"] else {
      Issue.record("\(again)")
      return
    }
  }
}
