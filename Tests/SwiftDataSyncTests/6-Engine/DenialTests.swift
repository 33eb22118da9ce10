import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Shelf {
  @Attribute(.unique) var name: String
  var note = ""
  @Relationship(deleteRule: .deny, inverse: \Jar.shelf) var jars: [Jar] = []
  @Relationship(deleteRule: .deny, inverse: \Label.shelves) var labels: [Label] = []

  init(_ name: String) { self.name = name }
}

@Model final class Jar {
  @Attribute(.unique) var number: Int
  var shelf: Shelf?
  /// A jar can't be deleted before its lid.
  @Relationship(deleteRule: .deny, inverse: nil) var lid: Lid?

  init(_ number: Int, on shelf: Shelf?) {
    self.number = number
    self.shelf = shelf
  }
}

@Model final class Label {
  @Attribute(.unique) var text: String
  var shelves: [Shelf] = []

  init(_ text: String) { self.text = text }
}

@Model final class Lid {
  @Attribute(.unique) var number: Int

  init(_ number: Int) { self.number = number }
}

/// Not synced, but it denies the deletion of a shelf as well.
@Model final class Sticker {
  var number = 0
  @Relationship(inverse: nil) var shelf: Shelf

  init(_ shelf: Shelf) { self.shelf = shelf }
}

@Suite struct DenialTests {
  private let types: [any PersistentModel.Type] = [
    Shelf.self, Jar.self, Label.self, Lid.self, Sticker.self,
  ]
  private let models = [
    SyncedModel(Shelf.self, key: \.name), SyncedModel(Jar.self, key: \.number),
    SyncedModel(Label.self, key: \.text), SyncedModel(Lid.self, key: \.number),
  ]

  private func peers() async throws -> (SyncServer, Peer, Peer) {
    let server = try SyncServer(
      try Peer.container(types), models: models, rules: .everyoneSeesEverything)
    let (ann, bob) = (try Peer(server, types, models), try Peer(server, types, models))
    try ann.edit { $0.insert(Shelf("s")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    return (server, ann, bob)
  }

  private let shelf = SyncObjectID("Shelf", "s")

  private func reason(_ peer: Peer, _ object: SyncObjectID) async throws -> SyncQuarantine.Reason? {
    if case .quarantined(let quarantine) = try await peer.engine.status(of: object) {
      return quarantine.reason
    }
    return nil
  }

  /// Deletes ann's shelf, and lets bob create an object that denies the deletion and that isn't
  /// sent.
  private func deny(
    _ ann: Peer, _ bob: Peer, _ body: (ModelContext, Shelf) throws -> Void
  ) async throws {
    try ann.edit { try $0.delete(model: Shelf.self) }
    try await ann.engine.sync()
    bob.line.fail(SyncFailure(.refused, "not now"), pullToo: false)
    try bob.edit { context in
      try body(context, try #require(try context.fetch(FetchDescriptor<Shelf>()).first))
    }
    try await bob.engine.sync()
    bob.line.fail(nil)
  }

  @Test func aDeletionWaitsUntilNothingDeniesIt() async throws {
    let (_, ann, bob) = try await peers()
    try await deny(ann, bob) { context, shelf in context.insert(Jar(1, on: shelf)) }
    #expect(try bob.all(Shelf.self).count == 1)
    #expect(try await reason(bob, shelf) == .denied(by: SyncObjectID("Jar", "1")))
    #expect(try await bob.engine.unsynced().map(\.object).contains(shelf))
    // The jar leaves the shelf, and the shelf is deleted at the next attempt to send anything.
    try bob.edit { context in
      for jar in try context.fetch(FetchDescriptor<Jar>()) { jar.shelf = nil }
    }
    try await bob.engine.sync()
    #expect(try bob.all(Shelf.self).isEmpty)
    #expect(try bob.all(Jar.self).count == 1)
    #expect(try await bob.engine.unsynced().isEmpty)
    try await ann.engine.sync()
    #expect(try ann.all(Jar.self).count == 1)
    #expect(try ann.all(Shelf.self).isEmpty)
  }

  @Test func aDeletionIsAppliedWithThatOfItsObstacle() async throws {
    let (_, ann, bob) = try await peers()
    try ann.edit { context in
      let shelf = try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
      let jar = Jar(1, on: shelf)
      context.insert(jar)
      jar.lid = Lid(2)
      shelf.labels = [Label("l")]
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { context in
      for jar in try context.fetch(FetchDescriptor<Jar>()) { context.delete(jar) }
      for lid in try context.fetch(FetchDescriptor<Lid>()) { context.delete(lid) }
      for label in try context.fetch(FetchDescriptor<Label>()) { context.delete(label) }
      for shelf in try context.fetch(FetchDescriptor<Shelf>()) { context.delete(shelf) }
    }
    try await ann.engine.sync()
    #expect(try await ann.engine.unsynced().isEmpty)
    try await bob.engine.sync()
    #expect(try bob.all(Shelf.self).isEmpty)
    #expect(try bob.all(Jar.self).isEmpty)
    #expect(try bob.all(Lid.self).isEmpty)
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func pairsAndClassesThatTakeNoPartDenyToo() async throws {
    let (_, ann, bob) = try await peers()
    try await deny(ann, bob) { context, shelf in
      shelf.labels = [Label("l")]
      context.insert(Sticker(shelf))
    }
    #expect(try bob.all(Shelf.self).count == 1)
    guard case .denied(let other) = try await reason(bob, shelf) else {
      Issue.record("the shelf isn't kept")
      return
    }
    #expect(["Label", "Sticker"].contains(other.entity))
    try bob.edit { try $0.delete(model: Sticker.self) }
    try await bob.engine.sync()
    #expect(try await reason(bob, shelf) == .denied(by: SyncObjectID("Label", "l")))
    try bob.edit { context in
      for label in try context.fetch(FetchDescriptor<Label>()) { label.shelves = [] }
    }
    try await bob.engine.sync()
    #expect(try bob.all(Shelf.self).isEmpty)
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func destinationsOfTheDeletedDenyToo() async throws {
    let (_, ann, bob) = try await peers()
    try ann.edit { $0.insert(Jar(1, on: nil)) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { try $0.delete(model: Jar.self) }
    try await ann.engine.sync()
    bob.line.fail(SyncFailure(.refused, "not now"), pullToo: false)
    try bob.edit { context in
      for jar in try context.fetch(FetchDescriptor<Jar>()) { jar.lid = Lid(2) }
    }
    try await bob.engine.sync()
    bob.line.fail(nil)
    try await bob.engine.retryQuarantined()
    try await bob.engine.sync()
    // The server's deletion wins by the policy, but can't be carried out.
    let jar = SyncObjectID("Jar", "1")
    #expect(try await reason(bob, jar) == .denied(by: SyncObjectID("Lid", "2")))
    try bob.edit { try $0.delete(model: Lid.self) }
    try await bob.engine.sync()
    #expect(try bob.all(Jar.self).isEmpty)
    try await bob.engine.sync()
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func aDeletionThatTheServersRuleDeniesIsRejected() async throws {
    let (_, ann, bob) = try await peers()
    try ann.edit { context in
      context.insert(Jar(1, on: try context.fetch(FetchDescriptor<Shelf>()).first))
    }
    try await ann.engine.sync()
    try bob.edit { context in
      try context.delete(model: Shelf.self)
      context.insert(Label("goes on"))
    }
    try await bob.engine.sync()
    #expect(
      try await reason(bob, shelf)
        == .rejected(
          SyncRejection(code: "denied", message: "The Shelf is still needed by a Jar")))
    #expect(
      try await bob.engine.status(of: SyncObjectID("Label", "goes on")).isSynced)
    try await ann.engine.sync()
    #expect(try ann.all(Shelf.self).count == 1)
    // When the server has no jar on the shelf any more, the shelf is deleted.
    try ann.edit { try $0.delete(model: Jar.self) }
    try await ann.engine.sync()
    try await bob.engine.retryQuarantined()
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try ann.all(Shelf.self).isEmpty)
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func anEditDuringAWaitingDeletionIsDecidedByThePolicy() async throws {
    let (_, ann, bob) = try await peers()
    try await deny(ann, bob) { context, shelf in context.insert(Jar(1, on: shelf)) }
    try bob.edit { context in
      for shelf in try context.fetch(FetchDescriptor<Shelf>()) { shelf.note = "bob's" }
    }
    try await bob.engine.sync()
    #expect(try await reason(bob, shelf) == .denied(by: SyncObjectID("Jar", "1")))
    #expect(try bob.all(Shelf.self).first?.note == "bob's")
    try bob.edit { try $0.delete(model: Jar.self) }
    try await bob.engine.sync()
    #expect(try bob.all(Shelf.self).isEmpty)
    let conflict = try #require(
      try await bob.engine.conflicts().first { $0.conflict.object == shelf })
    #expect(conflict.conflict.local?["note"] == .text("bob's"))
    #expect(try await bob.engine.conflicts().count { $0.conflict.object == shelf } == 1)
  }
}
