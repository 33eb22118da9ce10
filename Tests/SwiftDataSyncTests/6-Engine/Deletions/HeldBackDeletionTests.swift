import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// Deletions by the server that an object here denies, and that would delete refused edits with them.
@Suite struct HeldBackDeletionTests {
  private func pushes(ofShipsBy peer: Peer) -> Int {
    peer.line.pushes.joined().count { $0.object.entity == "Ship" }
  }

  @Test func aRefusedEditIsSentOnceWhileTheDeletionWaits() async throws {
    let world = try Harbours()
    try world.ann.edit { $0.insert(Harbour("h")) }
    try await world.sync()
    try world.bob.edit { $0.delete(try $0.harbour("h")) }
    try await world.bob.engine.sync()
    try world.ann.edit { context in
      let harbour = try context.harbour("h")
      context.insert(Ship(1, in: harbour))
      context.insert(Anchor(1, in: harbour))
    }
    try await world.ann.engine.sync()
    // The ship needs the harbour, which the server doesn't have.
    #expect(pushes(ofShipsBy: world.ann) == 1)
    #expect(try Harbours.state(world.ann.container) == ["h", "ship 1 in h "])
    let ship = SyncObjectID("Ship", "1")
    guard case .quarantined(let quarantine) = try await world.ann.engine.status(of: ship) else {
      Issue.record("the refused ship isn't reported")
      return
    }
    guard case .rejected = quarantine.reason else {
      Issue.record("the ship has another reason: \(quarantine.reason)")
      return
    }
    try await world.ann.engine.sync()
    #expect(pushes(ofShipsBy: world.ann) == 1)
    // Another edit is another attempt.
    try world.ann.edit { try $0.ship().text = "edited" }
    try await world.ann.engine.sync()
    #expect(pushes(ofShipsBy: world.ann) == 2)
  }

  @Test func anEditThatConflictsIsNotRepeatedEither() async throws {
    let world = try Harbours()
    try world.ann.edit { context in
      let harbour = Harbour("h")
      context.insert(harbour)
      context.insert(Ship(1, in: harbour))
    }
    try await world.ann.engine.sync()
    try await world.sync()
    try world.bob.edit { context in
      let other = Harbour("other")
      context.insert(other)
      try context.ship().harbour = other
      context.delete(try context.harbour("h"))
    }
    try await world.bob.engine.sync()
    try world.ann.edit { context in
      try context.ship().text = "ann"
      context.insert(Anchor(1, in: try context.harbour("h")))
    }
    let before = pushes(ofShipsBy: world.ann)
    try await world.ann.engine.sync()
    try await world.ann.engine.sync()
    #expect(pushes(ofShipsBy: world.ann) <= before + 3)
    #expect(try world.ann.all(Ship.self).map(\.text) == ["ann"])
  }
}
