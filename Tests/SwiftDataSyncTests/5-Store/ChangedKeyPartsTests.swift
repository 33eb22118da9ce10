import SwiftData
import SwiftDataSync
import Testing

/// Saves that change keys of more objects than are sent together, where an object can't be stored beside the one with
/// its former key.
@Suite struct ChangedKeyPartsTests {
  private let there: ModelContainer
  private let ann: Peer
  private let bob: Peer

  init() throws {
    let room = try LockerRoom(batch: 2)
    (there, ann, bob) = (room.there, room.ann, room.bob)
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
