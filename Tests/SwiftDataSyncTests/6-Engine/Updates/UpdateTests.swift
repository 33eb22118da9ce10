import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

/// An app and its update, which synchronizes a property and a class more. Both have the same classes.
private enum Version {
  case first, second

  func models(_ policy: SyncPolicy) -> [SyncedModel] {
    switch self {
    case .first: [SyncedModel(Park.self, key: \.number, policy: policy, excluding: [\.note])]
    case .second:
      [
        SyncedModel(Park.self, key: \.number, policy: policy),
        SyncedModel(Booking.self, key: \.id, policy: policy),
      ]
    }
  }
}

/// A store on which versions of the app work in turn.
private struct Device {
  let container: ModelContainer
  let line: Line
  let policy: SyncPolicy

  init(_ server: SyncServer, _ policy: SyncPolicy = .serverWins) throws {
    container = try Fixture.container()
    line = Line(PagedTransport(server, limit: 1))
    self.policy = policy
  }

  func engine(_ version: Version) throws -> SyncEngine {
    try SyncEngine(
      container, models: version.models(policy), transport: line, timing: Fixture.timing)
  }

  func sync(_ version: Version) async throws { try await engine(version).sync() }

  func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  func edit(park number: Int, _ body: (Park) -> Void) throws {
    try edit { context in
      for park in try context.fetch(FetchDescriptor<Park>()) where park.number == number {
        body(park)
      }
    }
  }

  /// The notes of the parks, by name.
  var notes: [String: String?] {
    get throws {
      let parks = try ModelContext(container).fetch(FetchDescriptor<Park>())
      return Dictionary(uniqueKeysWithValues: parks.map { ($0.name, $0.note) })
    }
  }

  var guests: [Int] {
    get throws {
      try ModelContext(container).fetch(FetchDescriptor<Booking>()).map(\.guests).sorted()
    }
  }

  var sent: [SyncChange] { line.pushes.flatMap(\.self) }

  func storage(_ version: Version) throws -> ModelSyncStorage {
    try ModelSyncStorage(container, version.models(policy))
  }

  /// Makes the bookkeeping that of a version of the framework that didn't name the properties.
  func forgetProperties() throws {
    let storage = try storage(.first)
    var progress = try #require(try storage.progress())
    progress.properties = nil
    try storage.commit(SyncWrites(progress), at: storage.position())
  }
}

@Suite("An update of the app that synchronizes more")
struct UpdateTests {
  private let server: SyncServer
  private let ann: Device

  init() async throws {
    server = try SyncServer(
      Fixture.container(), models: Version.second.models(.serverWins),
      rules: .everyoneSeesEverything)
    ann = try Device(server)
    // Several versions of the server, so that there are several pages.
    for number in 1...3 {
      try ann.edit { context in
        let park = Park(number: number, name: "\(number)")
        park.note = "x\(number)"
        context.insert(park)
      }
      try await ann.sync(.second)
    }
    try ann.edit { $0.insert(Booking(park: Park(number: 4, name: "4"), guests: 7)) }
    try await ann.sync(.second)
  }

  @Test("fetches the property's values of objects that it has", arguments: [false, true])
  func fetched(isFormer: Bool) async throws {
    let bob = try Device(server)
    try await bob.sync(.first)
    #expect(try bob.notes == ["1": nil, "2": nil, "3": nil, "4": nil])
    if isFormer { try bob.forgetProperties() }
    try await bob.sync(.second)
    #expect(try bob.notes == ["1": "x1", "2": "x2", "3": "x3", "4": nil])
    #expect(bob.sent.isEmpty)
    let engine = try bob.engine(.second)
    #expect(try await engine.unsynced().isEmpty)
    #expect(try await engine.conflicts().isEmpty)
  }

  @Test("sends edits that waited without defaults", arguments: [false, true], [false, true])
  func edits(isRemoteEdited: Bool, isBeforeUpdate: Bool) async throws {
    let bob = try Device(server, .clientWins)
    try await bob.sync(.first)
    if isRemoteEdited {
      try ann.edit(park: 3) { $0.mood = .busy }
      try await ann.sync(.second)
    }
    // Put in flight by the first version, or found by the second.
    if isBeforeUpdate {
      try bob.edit(park: 3) { $0.name = "edited" }
      bob.line.fail(SyncFailure(.offline, ""))
      await #expect(throws: SyncFailure.self) { try await bob.sync(.first) }
      bob.line.fail(nil)
    } else {
      try bob.edit(park: 3) { $0.name = "edited" }
    }
    try await bob.sync(.second)
    #expect(try bob.notes["edited"] == "x3")
    #expect(try await bob.engine(.second).conflicts().isEmpty)
    try await ann.sync(.second)
    #expect(try ann.notes == ["1": "x1", "2": "x2", "edited": "x3", "4": nil])
  }

  @Test("sends nothing before it has fetched") func order() async throws {
    let bob = try Device(server)
    try await bob.sync(.first)
    try bob.edit(park: 3) { $0.name = "edited" }
    bob.line.failPulls(SyncFailure(.offline, ""))
    await #expect(throws: SyncFailure.self) { try await bob.sync(.second) }
    #expect(bob.sent.isEmpty)
    #expect(try await bob.engine(.second).pendingCount() == 1)
    bob.line.failPulls(nil)
    // The first page of several.
    let line = bob.line
    line.beforePull(2) { #expect(line.pushes.isEmpty) }
    try await bob.sync(.second)
    #expect(bob.sent.map(\.object.key) == ["3"])
    #expect(bob.sent.last?.values?["note"] == .text("x3"))
  }

  @Test("treats other values than the default as edits", arguments: [false, true])
  func usersValue(isLocalKept: Bool) async throws {
    let bob = try Device(server, isLocalKept ? .clientWins : .serverWins)
    try await bob.sync(.first)
    try bob.edit(park: 1) { $0.note = "mine" }
    try bob.edit(park: 4) { $0.note = "alone" }
    try await bob.sync(.first)
    #expect(bob.sent.isEmpty)
    try await bob.sync(.second)
    let conflicts = try await bob.engine(.second).conflicts()
    #expect(conflicts.map(\.conflict.object.key) == ["1"])
    #expect(conflicts.map(\.conflict.properties) == [["note"]])
    try await ann.sync(.second)
    let expected: [String: String?] = [
      "1": isLocalKept ? "mine" : "x1", "2": "x2", "3": "x3", "4": "alone",
    ]
    #expect(try ann.notes == expected)
    #expect(try bob.notes == expected)
  }

  @Test("fetches objects of the class, and sends those that were here", arguments: [false, true])
  func newClass(isFormer: Bool) async throws {
    let bob = try Device(server)
    try await bob.sync(.first)
    #expect(try bob.guests == [])
    try bob.edit { context in
      let parks = try context.fetch(FetchDescriptor<Park>())
      context.insert(Booking(park: try #require(parks.first), guests: 1))
    }
    try await bob.sync(.first)
    #expect(bob.sent.isEmpty)
    if isFormer { try bob.forgetProperties() }
    // The process ends before anything is fetched.
    bob.line.fail(SyncFailure(.offline, ""))
    await #expect(throws: SyncFailure.self) { try await bob.sync(.second) }
    bob.line.fail(nil)
    try await bob.sync(.second)
    #expect(try bob.guests == [1, 7])
    #expect(try await bob.engine(.second).unsynced().isEmpty)
    try await ann.sync(.second)
    #expect(try ann.guests == [1, 7])
  }

  @Test("fetches nothing anew when nothing is new", arguments: [false, true])
  func unchanged(isFormer: Bool) async throws {
    let bob = try Device(server)
    try await bob.sync(.first)
    let before = try #require(try bob.storage(.first).progress())
    if isFormer { try bob.forgetProperties() }
    try bob.edit(park: 1) { $0.name = "edited" }
    try await bob.sync(.first)
    let after = try #require(try bob.storage(.first).progress())
    #expect(after.epoch == before.epoch)
    #expect(after.properties == before.properties)
    #expect(bob.sent.count == 1)
  }

  @Test("can be undone and repeated") func undone() async throws {
    let bob = try Device(server)
    try await bob.sync(.second)
    try ann.edit(park: 1) { $0.note = "y" }
    try ann.edit { context in
      for booking in try context.fetch(FetchDescriptor<Booking>()) { context.delete(booking) }
      let parks = try context.fetch(FetchDescriptor<Park>())
      context.insert(Booking(park: try #require(parks.first), guests: 2))
    }
    try await ann.sync(.second)
    try bob.edit(park: 2) { $0.name = "edited" }
    try await bob.sync(.first)
    #expect(bob.sent.map(\.object.entity) == ["Park"])
    #expect(bob.sent.allSatisfy { $0.values != nil && $0.values?["note"] == nil })
    #expect(try bob.guests == [7])
    try await bob.sync(.second)
    #expect(try bob.notes == ["1": "y", "edited": "x2", "3": "x3", "4": nil])
    #expect(try bob.guests == [2])
    #expect(bob.sent.count == 1)
    try await ann.sync(.second)
    #expect(try ann.notes == ["1": "y", "edited": "x2", "3": "x3", "4": nil])
    #expect(try ann.guests == [2])
  }
}

@Suite("An object that an update couldn't fetch")
struct UnfetchedObjectTests {
  private let container: ModelContainer
  private let park = SyncObjectID("Park", "1")

  init() throws { container = try Fixture.container() }

  private func ledger(_ version: Version) throws -> SyncLedger {
    let storage = try ModelSyncStorage(container, version.models(.serverWins))
    return try SyncLedger(storage, storage.access.schema, client: "c")
  }

  private func pull(_ ledger: SyncLedger, version: Int64, _ values: SyncValues) throws {
    let given: SyncValues = ["mood": .text("calm"), "tags": .list([])]
    let change = SyncRemote(
      object: park, version: version, values: given.merging(values) { $1 })
    _ = try ledger.apply(
      SyncPage(changes: [change], cursor: "", hasMore: false, coverage: .full()), now: .now)
  }

  @Test("is sent without the property's default, and a refusal sets it aside")
  func unspoken() throws {
    try pull(try ledger(.first), version: 1, ["name": .text("a"), "note": .text("x")])
    let ledger = try ledger(.second)
    try ledger.prepare(limit: 9, now: .now) { "none" }
    #expect(ledger.progress.isCatchingUp)
    // The name doesn't fit, so the object stays as it is.
    try pull(ledger, version: 2, ["name": .integer(1)])
    #expect(!ledger.progress.isCatchingUp)
    #expect(!ledger.hasPending)
    let context = ModelContext(container)
    for park in try context.fetch(FetchDescriptor<Park>()) { park.name = "edited" }
    try context.save()
    try ledger.prepare(limit: 9, now: .now) { "first" }
    let change = try #require(ledger.inFlight.first?.change)
    #expect(change.values?["name"] == .text("edited"))
    #expect(change.values?["note"] == nil)
    let rejection = SyncOutcome.rejected(SyncRejection(code: "invalid", message: ""))
    _ = try ledger.acknowledge(["first": rejection], now: .now)
    #expect(!ledger.hasPending)
    // With a value of the user, it is another change.
    for park in try context.fetch(FetchDescriptor<Park>()) { park.note = "mine" }
    try context.save()
    try ledger.prepare(limit: 9, now: .now) { "second" }
    #expect(ledger.inFlight.first?.change.values?["note"] == .text("mine"))
  }
}
