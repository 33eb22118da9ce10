import SwiftData
import SwiftDataSync
import Testing

/// Required references to objects that only one object at a time can refer to.
@Suite struct ExclusiveReferenceTests {
  private let there: ModelContainer
  private let ann: Peer
  private let bob: Peer
  private let eve: Peer

  init() throws {
    let room = try LockerRoom()
    (there, ann, bob, eve) = (room.there, room.ann, room.bob, room.eve)
  }

  private func sync() async throws {
    for _ in 0..<2 {
      for engine in [ann.engine, bob.engine] { try await engine.sync() }
    }
  }

  private func insertLocker(_ number: Int, _ context: ModelContext) throws {
    let swimmer = try context.fetch(
      FetchDescriptor<Swimmer>(predicate: #Predicate { $0.number == 1 }))
    context.insert(Locker(number, try #require(swimmer.first)))
  }

  /// Returns the lockers with their swimmers.
  private func lockers(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(
      FetchDescriptor<Locker>(sortBy: [SortDescriptor(\.number)])
    ).map { "\($0.number) of \($0.swimmer.number)" }
  }

  @Test func ofTwoDevicesTheLaterOneIsRefusedAndGoesOn() async throws {
    try ann.edit { $0.insert(Swimmer(1)) }
    try await sync()
    try ann.edit { try insertLocker(8, $0) }
    try bob.edit { try insertLocker(9, $0) }
    try bob.edit { $0.insert(Swimmer(2)) }
    try await sync()
    #expect(try lockers(there) == ["8 of 1"])
    #expect(try lockers(ann.container) == ["8 of 1"])
    #expect(try lockers(bob.container) == ["9 of 1"])
    #expect(try ann.all(Swimmer.self).count == 2)
    guard
      case .quarantined(let quarantine) = try await bob.engine.status(
        of: SyncObjectID("Locker", "9"))
    else {
      Issue.record("not quarantined")
      return
    }
    guard case .rejected(let rejection) = quarantine.reason else {
      Issue.record("\(quarantine.reason)")
      return
    }
    #expect(rejection.code == "duplicate")
    // The other one's arrives when this one goes elsewhere.
    try bob.edit { context in
      let swimmers = try context.fetch(FetchDescriptor<Swimmer>(sortBy: [SortDescriptor(\.number)]))
      try context.fetch(FetchDescriptor<Locker>()).first?.swimmer = swimmers[1]
    }
    try await sync()
    for container in [there, ann.container, bob.container] {
      #expect(try lockers(container) == ["8 of 1", "9 of 2"])
    }
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func objectsExchangeTheirDestinations() async throws {
    try ann.edit { context in
      for number in 1...2 { context.insert(Locker(number, Swimmer(number))) }
    }
    try await sync()
    try bob.edit { context in
      let lockers = try context.fetch(FetchDescriptor<Locker>(sortBy: [SortDescriptor(\.number)]))
      let swimmers = lockers.map(\.swimmer)
      lockers[0].swimmer = swimmers[1]
      lockers[1].swimmer = swimmers[0]
    }
    try await sync()
    for container in [there, ann.container, bob.container] {
      #expect(try lockers(container) == ["1 of 2", "2 of 1"])
    }
  }

  @Test func aDestinationIsGivenOnWhileTheNewOneHasNotCome() async throws {
    try ann.edit { $0.insert(Locker(8, Swimmer(1))) }
    try await ann.engine.sync()
    try await eve.engine.sync()
    try ann.edit { context in
      let locker = try #require(try context.fetch(FetchDescriptor<Locker>()).first)
      let (former, new) = (locker.swimmer, Swimmer(2))
      context.insert(new)
      locker.swimmer = new
      context.insert(Locker(9, former))
    }
    try await ann.engine.sync()
    // The new one comes in a later page than what refers to it.
    try ann.edit { context in
      for swimmer in try context.fetch(FetchDescriptor<Swimmer>()) where swimmer.number == 2 {
        swimmer.lane = 5
      }
    }
    try await ann.engine.sync()
    for _ in 0..<2 { try await eve.engine.sync() }
    for container in [there, eve.container] {
      #expect(try lockers(container) == ["8 of 2", "9 of 1"])
    }
    #expect(try await eve.engine.unsynced().isEmpty)
  }
}
