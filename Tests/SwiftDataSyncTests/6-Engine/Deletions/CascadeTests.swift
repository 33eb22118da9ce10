import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// Deletions by the server whose cascade reaches objects that the server keeps.
@Suite struct CascadeTests {
  /// Returns harbours of which the first has a ship and a buoy, on both clients.
  private func world(_ policy: SyncPolicy) async throws -> Harbours {
    let world = try Harbours(policy)
    try world.ann.edit { context in
      let harbour = Harbour("h")
      context.insert(harbour)
      context.insert(Ship(1, in: harbour))
      context.insert(Buoy(1, in: harbour))
      context.insert(Harbour("other"))
    }
    try await world.ann.engine.sync()
    try await world.sync()
    return world
  }

  private func expectSame(_ world: Harbours, _ expected: [String]) async throws {
    #expect(try Harbours.state(world.there) == expected)
    #expect(try Harbours.state(world.ann.container) == expected)
    #expect(try Harbours.state(world.bob.container) == expected)
    #expect(try await world.ann.engine.unsynced().isEmpty)
    #expect(try await world.bob.engine.unsynced().isEmpty)
  }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func anEditOfWhatThePageMovesAwayIsSent(policy: SyncPolicy) async throws {
    let world = try await world(policy)
    try world.bob.edit { context in
      let new = Harbour("new")
      context.insert(new)
      try context.ship().harbour = new
      try context.buoy().harbour = new
      context.delete(try context.harbour("h"))
    }
    try await world.bob.engine.sync()
    // Ann saves during her pull.
    world.ann.line.beforePull(1) { [ann = world.ann] in
      try ann.edit { context in
        try context.ship().text = "ann"
        try context.buoy().text = "ann"
      }
    }
    try await world.ann.engine.sync()
    try await world.sync()
    try await expectSame(world, ["new", "other", "ship 1 in new ann", "buoy 1 in new ann"])
    #expect(try await world.ann.engine.conflicts().isEmpty)
  }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func whatTheServerKeepsComesBack(policy: SyncPolicy) async throws {
    let world = try await world(policy)
    try world.bob.edit { context in
      context.delete(try context.ship())
      context.delete(try context.harbour("h"))
    }
    try await world.bob.engine.sync()
    // The server takes Ann's buoy without the harbour, which it doesn't have any more.
    try world.ann.edit { context in
      context.insert(Buoy(2, in: try context.harbour("h")))
    }
    try await world.ann.engine.sync()
    try await world.sync()
    try await expectSame(world, ["other", "buoy 2 in - "])
    // An edit elsewhere doesn't meet a deletion by Ann, who deleted nothing.
    try world.bob.edit { try $0.buoy().text = "bob" }
    try await world.bob.engine.sync()
    try await world.sync()
    try await expectSame(world, ["other", "buoy 2 in - bob"])
    #expect(try await world.ann.engine.conflicts().isEmpty)
  }

  /// - Parameter batch: The maximum number of changes that are sent together.
  @Test(arguments: [500, 1])
  func whatComesBackIsReferredToAsBefore(batch: Int) async throws {
    let world = try Harbours(limit: 1, batch: batch)
    try world.ann.edit { $0.insert(Harbour("h")) }
    try await world.sync()
    let context = ModelContext(world.there)
    context.delete(try context.harbour("h"))
    try context.save()
    // The server notes the deletion before it takes the buoy.
    _ = try await world.server.pull(after: nil, user: "bob")
    try world.ann.edit { context in
      let buoy = Buoy(1, in: try context.harbour("h"))
      context.insert(buoy)
      context.insert(Lantern(1, on: buoy))
    }
    try await world.ann.engine.sync()
    try await world.sync()
    try await expectSame(world, ["buoy 1 in - "])
    try expectLantern(world, "lantern 1 on 1, sees [1] ")
    // An edit sends the references, too.
    try world.ann.edit { context in
      try #require(try context.fetch(FetchDescriptor<Lantern>()).first).text = "ann"
    }
    try await world.ann.engine.sync()
    try await world.sync()
    try expectLantern(world, "lantern 1 on 1, sees [1] ann")
    #expect(try await world.ann.engine.unsynced().isEmpty)
    #expect(try await world.ann.engine.conflicts().isEmpty)
  }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func whatArrivesWithTheDeletionIsKept(policy: SyncPolicy) async throws {
    let world = try await world(policy)
    try world.bob.edit { context in
      context.delete(try context.harbour("other"))
      context.insert(Cabin(1, of: try context.ship()))
    }
    try world.ann.edit { try $0.ship().harbour = try $0.harbour("other") }
    try await world.bob.engine.sync()
    // The deletion takes the ship along here, and with it the cabin of the same page.
    try await world.ann.engine.sync()
    try await world.sync()
    for container in [world.there, world.ann.container, world.bob.container] {
      let cabins = try ModelContext(container).fetch(FetchDescriptor<Cabin>())
      #expect(cabins.map(\.ship.number) == [1])
    }
    let sent = world.ann.line.pushes.joined().filter { $0.object.entity == "Cabin" }
    #expect(sent.isEmpty)
  }

  private func expectLantern(_ world: Harbours, _ expected: String) throws {
    for container in [world.there, world.ann.container, world.bob.container] {
      let lanterns = try ModelContext(container).fetch(FetchDescriptor<Lantern>())
      let texts = lanterns.map { lantern in
        let buoy = lantern.buoy.map { "\($0.number)" } ?? "-"
        return "lantern \(lantern.number) on \(buoy), "
          + "sees \(lantern.visible.map(\.number)) \(lantern.text)"
      }
      #expect(texts == [expected])
    }
  }

  @Test func aMoveIntoADeletedObjectLosesOnlyTheMove() async throws {
    let world = try await world(.serverWins)
    try world.bob.edit { $0.delete(try $0.harbour("other")) }
    try await world.bob.engine.sync()
    try world.ann.edit { context in
      let other = try context.harbour("other")
      try context.ship().harbour = other
      try context.buoy().harbour = other
    }
    try await world.ann.engine.sync()
    try await world.sync()
    try await expectSame(world, ["h", "ship 1 in h ", "buoy 1 in - "])
  }
}
