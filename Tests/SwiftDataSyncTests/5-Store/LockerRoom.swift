import SwiftData
import SwiftDataSync

@Model final class Swimmer {
  @Attribute(.unique) var number: Int
  var lane = 0
  @Relationship(inverse: \Locker.swimmer) var locker: Locker?
  @Relationship(maximumModelCount: 1, inverse: \Towel.swimmer) var towels: [Towel] = []

  init(_ number: Int) { self.number = number }
}

@Model final class Locker {
  @Attribute(.unique) var number: Int
  var swimmer: Swimmer

  init(_ number: Int, _ swimmer: Swimmer) {
    self.number = number
    self.swimmer = swimmer
  }
}

@Model final class Towel {
  @Attribute(.unique) var number: Int
  var swimmer: Swimmer?

  init(_ number: Int, _ swimmer: Swimmer) {
    self.number = number
    self.swimmer = swimmer
  }
}

/// A server and its clients with a required one-to-one relationship, and a list with a limit.
struct LockerRoom {
  let there: ModelContainer
  let ann: Peer
  let bob: Peer
  /// One that gets each object in a page of its own, if the server's versions allow it.
  let eve: Peer

  /// - Parameter batch: The maximum number of changes that Ann sends together; nil for the usual one.
  init(batch: Int? = nil) throws {
    let types: [any PersistentModel.Type] = [Swimmer.self, Locker.self, Towel.self]
    let models = [
      SyncedModel(Swimmer.self, key: \.number), SyncedModel(Locker.self, key: \.number),
      SyncedModel(Towel.self, key: \.number),
    ]
    there = try Peer.container(types)
    let server = try SyncServer(there, models: models, rules: .everyoneSeesEverything)
    ann = try Peer(server, types, models, batch: batch)
    bob = try Peer(server, types, models)
    eve = try Peer(server, types, models, limit: 1)
  }
}
