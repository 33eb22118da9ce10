import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Harbour {
  @Attribute(.unique) var name: String
  var note = ""
  @Relationship(deleteRule: .cascade, inverse: \Ship.harbour) var ships: [Ship] = []
  @Relationship(deleteRule: .cascade, inverse: \Buoy.harbour) var buoys: [Buoy] = []
  @Relationship(deleteRule: .deny, inverse: \Anchor.harbour) var anchors: [Anchor] = []

  init(_ name: String) { self.name = name }
}

@Model final class Ship {
  @Attribute(.unique) var number: Int
  var text = ""
  var harbour: Harbour
  @Relationship(deleteRule: .cascade, inverse: \Cabin.ship) var cabins: [Cabin] = []
  @Relationship(deleteRule: .nullify, inverse: \Pennant.ship) var pennants: [Pennant] = []

  init(_ number: Int, in harbour: Harbour) {
    self.number = number
    self.harbour = harbour
  }
}

@Model final class Buoy {
  @Attribute(.unique) var number: Int
  var text = ""
  var harbour: Harbour?
  @Relationship(deleteRule: .nullify, inverse: \Lantern.buoy) var lanterns: [Lantern] = []

  init(_ number: Int, in harbour: Harbour) {
    self.number = number
    self.harbour = harbour
  }
}

/// Refers to buoys, and stays when they are deleted.
@Model final class Lantern {
  @Attribute(.unique) var number: Int
  var text = ""
  var buoy: Buoy?
  @Relationship(inverse: nil) var visible: [Buoy] = []

  init(_ number: Int, on buoy: Buoy) {
    self.number = number
    self.buoy = buoy
    visible = [buoy]
  }
}

@Model final class Anchor {
  @Attribute(.unique) var number: Int
  var harbour: Harbour?

  init(_ number: Int, in harbour: Harbour) {
    self.number = number
    self.harbour = harbour
  }
}

@Model final class Cabin {
  @Attribute(.unique) var number: Int
  var ship: Ship

  init(_ number: Int, of ship: Ship) {
    self.number = number
    self.ship = ship
  }
}

@Model final class Pennant {
  @Attribute(.unique) var number: Int
  var ship: Ship?

  init(_ number: Int, of ship: Ship) {
    self.number = number
    self.ship = ship
  }
}

/// A server and two clients with harbours, which are deleted together with their ships and buoys.
struct Harbours {
  static let types: [any PersistentModel.Type] = [
    Harbour.self, Ship.self, Buoy.self, Anchor.self, Cabin.self, Pennant.self,
    Lantern.self,
  ]

  let there: ModelContainer
  let server: SyncServer
  let ann: Peer
  let bob: Peer

  /// - Parameters:
  ///   - limit: The number of objects per page of Ann.
  ///   - batch: The maximum number of changes that she sends together; nil for the usual one.
  init(_ policy: SyncPolicy = .serverWins, limit: Int = 1_000, batch: Int? = nil) throws {
    let models = [
      SyncedModel(Harbour.self, key: \.name, policy: policy),
      SyncedModel(Ship.self, key: \.number, policy: policy),
      SyncedModel(Buoy.self, key: \.number, policy: policy),
      SyncedModel(Anchor.self, key: \.number, policy: policy),
      SyncedModel(Cabin.self, key: \.number, policy: policy),
      SyncedModel(Pennant.self, key: \.number, policy: policy),
      SyncedModel(Lantern.self, key: \.number, policy: policy),
    ]
    there = try Peer.container(Self.types)
    server = try SyncServer(there, models: models, rules: .everyoneSeesEverything)
    ann = try Peer(server, Self.types, models, limit: limit, batch: batch)
    bob = try Peer(server, Self.types, models)
  }

  /// Exchanges everything, until both clients have the other's changes.
  func sync() async throws {
    for _ in 0..<2 {
      try await bob.engine.sync()
      try await ann.engine.sync()
    }
    try await bob.engine.sync()
  }

  /// Returns a description of all harbours, ships and buoys of a store.
  static func state(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let harbours = try context.fetch(FetchDescriptor<Harbour>()).map(\.name)
    let ships = try context.fetch(FetchDescriptor<Ship>()).map { ship in
      "ship \(ship.number) in \(ship.harbour.name) \(ship.text)"
    }
    let buoys = try context.fetch(FetchDescriptor<Buoy>()).map { buoy in
      "buoy \(buoy.number) in \(buoy.harbour?.name ?? "-") \(buoy.text)"
    }
    return harbours.sorted() + ships.sorted() + buoys.sorted()
  }
}

extension ModelContext {
  func harbour(_ name: String) throws -> Harbour {
    try #require(
      try fetch(FetchDescriptor<Harbour>(predicate: #Predicate { $0.name == name })).first)
  }

  func ship() throws -> Ship { try #require(try fetch(FetchDescriptor<Ship>()).first) }
  func buoy() throws -> Buoy { try #require(try fetch(FetchDescriptor<Buoy>()).first) }
}
