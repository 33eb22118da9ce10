import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Fellow {
  #Unique<Fellow>([\.email], [\.club, \.seat])
  @Attribute(.unique) var number: Int
  var email: String
  var seat: Int?
  var club: Club?

  init(_ number: Int, _ email: String, club: Club? = nil, seat: Int? = nil) {
    self.number = number
    self.email = email
    self.club = club
    self.seat = seat
  }
}

@Model final class Club {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Fellow.club) var members: [Fellow] = []

  init(_ name: String) { self.name = name }
}

/// A card needs its fellow.
@Model final class Card {
  @Attribute(.unique) var number: Int
  @Attribute(.unique) var color: String
  @Relationship(inverse: nil) var member: Fellow

  init(_ number: Int, _ color: String, _ member: Fellow) {
    self.number = number
    self.color = color
    self.member = member
  }
}

@Suite struct DuplicateTests {
  private let types: [any PersistentModel.Type] = [Fellow.self, Club.self, Card.self]
  private let models = [
    SyncedModel(Fellow.self, key: \.number), SyncedModel(Club.self, key: \.name),
    SyncedModel(Card.self, key: \.number),
  ]

  private func server() throws -> SyncServer {
    try SyncServer(try Peer.container(types), models: models, rules: .everyoneSeesEverything)
  }

  private func peer(_ server: SyncServer, limit: Int = 1_000) throws -> Peer {
    try Peer(server, types, models, limit: limit)
  }

  private func emails(_ peer: Peer) throws -> [Int: String] {
    Dictionary(uniqueKeysWithValues: try peer.all(Fellow.self).map { ($0.number, $0.email) })
  }

  private func change(_ peer: Peer, _ number: Int, _ email: String) throws {
    try peer.edit { context in
      for member in try context.fetch(
        FetchDescriptor<Fellow>(predicate: #Predicate { $0.number == number }))
      { member.email = email }
    }
  }

  private func quarantine(_ peer: Peer, _ key: String) async throws -> SyncQuarantine.Reason? {
    let status = try await peer.engine.status(of: SyncObjectID("Fellow", key))
    if case .quarantined(let quarantine) = status { return quarantine.reason }
    return nil
  }

  @Test func twoObjectsWithOneUniqueValueAreNeverMerged() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { $0.insert(Fellow(1, "a@example.org")) }
    try bob.edit { $0.insert(Fellow(2, "a@example.org")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    // Bob's is refused, and ann's waits for it; both are kept.
    guard case .rejected(let rejection) = try await quarantine(bob, "2") else {
      Issue.record("the second one was taken")
      return
    }
    #expect(rejection.code == "duplicate")
    #expect(rejection.message == "There is another Fellow with the same email")
    #expect(
      try await quarantine(bob, "1")
        == .duplicate(of: SyncObjectID("Fellow", "2"), properties: ["email"]))
    #expect(try emails(bob) == [2: "a@example.org"])
    #expect(try await bob.engine.unsynced().count == 2)
    let pushes = bob.line.pushes.count
    try await bob.engine.sync()
    #expect(bob.line.pushes.count == pushes)
    // When the local fellow changes its email, the server's fellow is inserted.
    try change(bob, 2, "b@example.org")
    try await bob.engine.sync()
    #expect(try emails(bob) == [1: "a@example.org", 2: "b@example.org"])
    #expect(try await bob.engine.unsynced().isEmpty)
    try await ann.engine.sync()
    #expect(try emails(ann) == emails(bob))
  }

  @Test func aWaitingObjectIsStoredWhenTheOtherIsDeleted() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try bob.edit { $0.insert(Fellow(2, "a@example.org")) }
    try ann.edit { $0.insert(Fellow(1, "a@example.org")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try bob.edit { try $0.delete(model: Fellow.self) }
    try await bob.engine.sync()
    #expect(try emails(bob) == [1: "a@example.org"])
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func anEditHereAndAnEditThereThatCollideBothStay() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      context.insert(Fellow(1, "a@example.org"))
      context.insert(Fellow(2, "b@example.org"))
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try change(ann, 1, "c@example.org")
    try change(bob, 2, "c@example.org")
    try await ann.engine.sync()
    try await bob.engine.sync()
    #expect(try emails(bob) == [1: "a@example.org", 2: "c@example.org"])
    #expect(
      try await quarantine(bob, "1")
        == .duplicate(of: SyncObjectID("Fellow", "2"), properties: ["email"]))
    try change(bob, 2, "d@example.org")
    try await bob.engine.sync()
    try await ann.engine.sync()
    for peer in [ann, bob] {
      #expect(try emails(peer) == [1: "c@example.org", 2: "d@example.org"])
      #expect(try await peer.engine.unsynced().isEmpty)
    }
  }

  @Test func valuesThatAreExchangedComeInOneTransaction() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      for (number, email) in [(1, "a"), (2, "b"), (3, "c")] {
        context.insert(Fellow(number, email))
      }
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    // Values rotate among the objects, by way of temporary values.
    for (number, email) in [(1, "x"), (2, "y"), (3, "z")] { try change(ann, number, email) }
    for (number, email) in [(1, "b"), (2, "c"), (3, "a")] { try change(ann, number, email) }
    try await ann.engine.sync()
    #expect(try await ann.engine.unsynced().isEmpty)
    try await bob.engine.sync()
    #expect(try emails(bob) == [1: "b", 2: "c", 3: "a"])
    #expect(try await bob.engine.unsynced().isEmpty)
    #expect(bob.line.pushes.isEmpty)
  }

  @Test func aValueThatADeletionFreesIsFree() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { $0.insert(Fellow(1, "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    // The store takes this for the same row, whose key changes.
    try ann.edit { $0.insert(Fellow(2, "a")) }
    try await ann.engine.sync()
    #expect(try await ann.engine.unsynced().isEmpty)
    try await bob.engine.sync()
    #expect(try emails(bob) == [2: "a"])
    #expect(try emails(ann) == [2: "a"])
  }

  @Test func relationshipsCanBePartOfWhatIsUnique() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { $0.insert(Fellow(1, "a", club: Club("c"), seat: 7)) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try bob.edit { context in
      let club = try context.fetch(FetchDescriptor<Club>()).first
      for member in try context.fetch(FetchDescriptor<Fellow>()) { member.seat = nil }
      context.insert(Fellow(2, "b", club: club, seat: nil))
    }
    try await bob.engine.sync()
    try ann.edit { context in
      let club = try context.fetch(FetchDescriptor<Club>()).first
      context.insert(Fellow(3, "c", club: club, seat: 8))
    }
    try await ann.engine.sync()
    try bob.edit { context in
      for member in try context.fetch(FetchDescriptor<Fellow>()) where member.number == 2 {
        member.seat = 8
      }
    }
    try await bob.engine.sync()
    #expect(
      try await quarantine(bob, "3")
        == .duplicate(of: SyncObjectID("Fellow", "2"), properties: ["club", "seat"]))
    try bob.edit { context in
      for member in try context.fetch(FetchDescriptor<Fellow>()) where member.number == 2 {
        member.seat = 9
      }
    }
    try await bob.engine.sync()
    #expect(try bob.all(Fellow.self).compactMap(\.seat).sorted() == [8, 9])
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func objectsDeletedOnTheServerNoLongerWait() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try bob.edit { $0.insert(Fellow(2, "a")) }
    try ann.edit { $0.insert(Fellow(1, "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { try $0.delete(model: Fellow.self) }
    try await ann.engine.sync()
    // Even without a tombstone.
    try await server.forgetTombstones(before: .distantFuture)
    try await bob.engine.sync()
    #expect(try await quarantine(bob, "1") == nil)
    try await bob.engine.retryQuarantined()
    try await bob.engine.sync()
    #expect(try await bob.engine.unsynced().isEmpty)
    #expect(try emails(bob) == [2: "a"])
  }

  @Test func anObjectThatWaitedForItsParentIsNotMergedEither() async throws {
    let server = try server()
    let ann = try peer(server)
    try ann.edit { $0.insert(Card(1, "red", Fellow(1, "a"))) }
    try await ann.engine.sync()
    try change(ann, 1, "b")
    try await ann.engine.sync()
    // The card is on the first page, its fellow on the second.
    let page = try await server.pull(after: nil, user: "ann", limit: 1)
    #expect(page.changes.map(\.object.entity) == ["Card"])
    let bob = try peer(server, limit: 1)
    bob.line.beforePull(2) {
      try bob.edit { $0.insert(Card(2, "red", Fellow(2, "c"))) }
    }
    try await bob.engine.sync()
    #expect(try bob.all(Card.self).map(\.number) == [2])
    let status = try await bob.engine.status(of: SyncObjectID("Card", "1"))
    guard case .quarantined(let quarantine) = status else {
      Issue.record("the card isn't kept back: \(status)")
      return
    }
    #expect(
      quarantine.reason == .duplicate(of: SyncObjectID("Card", "2"), properties: ["color"]))
    try bob.edit { try $0.delete(model: Card.self) }
    try await bob.engine.sync()
    #expect(try bob.all(Card.self).map(\.number) == [1])
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func theServersKeyIsNotAnother() async throws {
    let server = try SyncServer(
      try Peer.container(types), models: models,
      rules: SyncServerRules(
        scope: { _, _ in nil },
        assignKey: { _, object, _ in
          object.entity == "Fellow" ? "7" : nil
        }))
    let ann = try peer(server)
    try ann.edit { $0.insert(Fellow(-1, "a")) }
    try ann.edit { $0.insert(Fellow(-2, "b")) }
    try await ann.engine.sync()
    #expect(try emails(ann) == [7: "a", -2: "b"])
    guard case .rejected(let rejection) = try await quarantine(ann, "-2") else {
      Issue.record("two members have the key 7")
      return
    }
    #expect(rejection.code == "duplicate")
  }
}
