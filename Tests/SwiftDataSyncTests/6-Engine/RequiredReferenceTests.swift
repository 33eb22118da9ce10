import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// A card needs its fellow.
@Suite struct RequiredReferenceTests {
  private let types: [any PersistentModel.Type] = [Fellow.self, Club.self, Card.self]
  private let models = [
    SyncedModel(Fellow.self, key: \.number), SyncedModel(Club.self, key: \.name),
    SyncedModel(Card.self, key: \.number),
  ]

  @Test func objectsThatNeedAMissingParentAreRejected() async throws {
    let server = try SyncServer(
      try Peer.container(types), models: models, rules: .everyoneSeesEverything)
    let (ann, bob) = (try Peer(server, types, models), try Peer(server, types, models))
    try ann.edit { $0.insert(Fellow(1, "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { try $0.delete(model: Fellow.self) }
    try await ann.engine.sync()
    try bob.edit { context in
      let fellow = try #require(try context.fetch(FetchDescriptor<Fellow>()).first)
      context.insert(Card(1, "red", fellow))
      context.insert(Card(2, "blue", Fellow(2, "b")))
    }
    try await bob.engine.sync()
    // Nothing is reported as stored that isn't, and nothing is lost here.
    let card = SyncObjectID("Card", "1")
    guard case .quarantined(let quarantine) = try await bob.engine.status(of: card) else {
      Issue.record("the card isn't set aside")
      return
    }
    #expect(
      quarantine.reason
        == .rejected(
          SyncRejection(
            code: "unknownReference",
            message: "The Card needs a Fellow that the server doesn't have")))
    #expect(try await bob.engine.status(of: SyncObjectID("Card", "2")).isSynced)
    #expect(try bob.all(Card.self).count == 2)
    guard
      case .quarantined(let kept) = try await bob.engine.status(of: SyncObjectID("Fellow", "1"))
    else {
      Issue.record("the fellow isn't kept")
      return
    }
    #expect(kept.reason == .denied(by: card))
    try bob.edit { try $0.delete(model: Card.self, where: #Predicate { $0.number == 1 }) }
    try await bob.engine.sync()
    #expect(try bob.all(Fellow.self).map(\.number) == [2])
    #expect(try await bob.engine.unsynced().isEmpty)
  }
}
