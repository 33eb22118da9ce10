import SwiftData
import SwiftDataSync
import Testing

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

/// Saves that change keys of more objects than are sent together, where an object can't be stored beside the one with
/// its former key.
@Suite struct ChangedKeyPartsTests {
  private let there: ModelContainer
  private let ann: Peer
  private let bob: Peer

  init() throws {
    let types: [any PersistentModel.Type] = [Swimmer.self, Locker.self, Towel.self]
    let models = [
      SyncedModel(Swimmer.self, key: \.number), SyncedModel(Locker.self, key: \.number),
      SyncedModel(Towel.self, key: \.number),
    ]
    there = try Peer.container(types)
    let server = try SyncServer(there, models: models, rules: .everyoneSeesEverything)
    ann = try Peer(server, types, models, batch: 2)
    bob = try Peer(server, types, models)
    try ann.edit { context in
      for number in 1...3 {
        let swimmer = Swimmer(number)
        context.insert(Locker(number, swimmer))
        context.insert(Towel(number, swimmer))
      }
    }
  }

  private func state(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(
      FetchDescriptor<Swimmer>(sortBy: [SortDescriptor(\.number)])
    ).map { "\($0.number) locker \($0.locker?.number ?? 0) towels \($0.towels.map(\.number))" }
  }

  private func expect(_ expected: [String], afterEdit edit: (ModelContext) throws -> Void)
    async throws
  {
    for engine in [ann.engine, bob.engine] { try await engine.sync() }
    try ann.edit(edit)
    for engine in [ann.engine, bob.engine] { try await engine.sync() }
    for container in [there, ann.container, bob.container] {
      #expect(try state(container) == expected)
    }
    #expect(try await ann.engine.unsynced().isEmpty)
  }

  @Test func keysWithRequiredOneToOneRelationships() async throws {
    try await expect((1...3).map { "\($0) locker \(10 + $0) towels [\($0)]" }) { context in
      for locker in try context.fetch(FetchDescriptor<Locker>()) { locker.number += 10 }
    }
  }

  @Test func keysOfMembersOfLimitedLists() async throws {
    try await expect((1...3).map { "\($0) locker \($0) towels [\(10 + $0)]" }) { context in
      for towel in try context.fetch(FetchDescriptor<Towel>()) { towel.number += 10 }
    }
  }
}
