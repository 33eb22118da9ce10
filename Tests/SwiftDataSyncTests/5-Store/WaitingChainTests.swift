import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// Objects that wait for objects that wait themselves.
@Suite struct WaitingChainTests {
  @Test(arguments: [1, 1_000]) func allAreThereWithTheLastDestination(limit: Int) async throws {
    let world = try Harbours(limit: limit)
    let context = ModelContext(world.there)
    let harbour = Harbour("h")
    let ship = Ship(1, in: harbour)
    context.insert(harbour)
    context.insert(ship)
    context.insert(Cabin(1, of: ship))
    context.insert(Pennant(1, of: ship))
    try context.save()
    _ = try await world.server.pull(after: nil, user: "ann")
    // The harbour has the newest version: with small pages, it comes last.
    harbour.note = "edited later"
    try context.save()
    try await world.ann.engine.sync()
    #expect(try Harbours.state(world.ann.container) == ["h", "ship 1 in h "])
    #expect(try world.ann.all(Cabin.self).map(\.ship.number) == [1])
    #expect(try world.ann.all(Pennant.self).map(\.ship?.number) == [1])
    #expect(try await world.ann.engine.unsynced().isEmpty)
  }
}
