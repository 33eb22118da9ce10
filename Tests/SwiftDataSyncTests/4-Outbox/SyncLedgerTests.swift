import Foundation
import SwiftDataSync
import SyncSimulation
import Testing

@Suite struct SyncLedgerTests {
  private let store = SimulatedStore()
  private let schema = SyncSchema([
    SyncSchema.Entity(name: "Place", policy: .serverWins),
    SyncSchema.Entity(name: "Visit", references: ["place": "Place"], policy: .serverWins),
  ])
  private let now = Date(timeIntervalSinceReferenceDate: 0)

  private func ledger() throws -> SyncLedger { try SyncLedger(store, schema, client: "c") }

  private func values(_ entity: String, _ given: SyncValues = [:]) -> SyncValues {
    Simulation.complete(given, of: entity) ?? [:]
  }

  private func place(_ key: String) -> SyncObjectID { SyncObjectID("Place", key) }

  /// Puts the waiting changes in flight and answers them.
  private func push(
    _ ledger: SyncLedger, limit: Int = 100, _ answer: (SyncChange) -> SyncOutcome?
  ) throws -> [String] {
    try ledger.prepare(limit: limit, now: now) { UUID().uuidString }
    let changes = ledger.inFlight.map(\.change)
    var outcomes: [String: SyncOutcome] = [:]
    for change in changes { outcomes[change.id] = answer(change) }
    _ = try ledger.acknowledge(outcomes, now: now)
    return changes.map(\.object.key)
  }

  @Test func theAcknowledgedPlaceStopsAtTheFirstOpenEdit() throws {
    let ledger = try ledger()
    for key in ["a", "b", "c"] { store.save([place(key): values("Place")]) }
    _ = try push(ledger) { $0.object.key == "b" ? nil : .accepted(version: 1) }
    #expect(ledger.progress.acknowledged == 1)
    #expect(ledger.pendingCount == 1)
    let again = try self.ledger()
    #expect(again.inFlight.map(\.change.object.key) == ["b"])
    let change = try #require(again.inFlight.first?.change)
    _ = try again.acknowledge([change.id: .accepted(version: 2)], now: now)
    // After it there are only values that are already equal.
    #expect(try push(again) { _ in .accepted(version: 3) }.isEmpty)
    #expect(again.progress.acknowledged == 3)
    #expect(!again.hasPending)
  }

  @Test func editsOfAForgottenHistoryAreFoundAgainAfterARestart() throws {
    for key in ["a", "b", "c"] { store.save([place(key): values("Place")]) }
    store.forgotten = store.position()
    store.save([place("d"): values("Place")])
    let ledger = try ledger()
    try ledger.prepare(limit: 1, now: now) { "first" }
    #expect(ledger.inFlight.count == 1)
    let again = try self.ledger()
    #expect(again.pendingObjects == Set(["a", "b", "c", "d"].map(place)))
    _ = try again.acknowledge(["first": .accepted(version: 1)], now: now)
    #expect(try push(again) { _ in .accepted(version: 2) }.count == 3)
    #expect(!again.hasPending && again.progress.acknowledged == store.position())
    #expect(try !self.ledger().hasPending)
  }

  @Test func aRowThatCameBackIsNoticedThoughTheHistoryIsForgotten() throws {
    var schema = SyncSchema([SyncSchema.Entity(name: "Sight", policy: .clientWins)])
    schema.defaults = ["Sight": Simulation.sightDefaults]
    let sight = SyncObjectID("Sight", "1")
    store.setSight(sight, isThere: true)
    store.save([sight: Simulation.sightDefaults.merging(["shared": .text("said")]) { $1 }])
    let ledger = try SyncLedger(store, schema, client: "c")
    #expect(try push(ledger) { _ in .accepted(version: 1) } == ["1"])
    store.setSight(sight, isThere: false)
    store.setSight(sight, isThere: true)
    store.forgotten = store.position()
    let again = try SyncLedger(store, schema, client: "c")
    #expect(try push(again) { _ in .accepted(version: 2) }.isEmpty)
    #expect(store.sights[sight]?["shared"] == .text("said"))
    #expect(!again.hasPending)
  }

  @Test func unsentChangesAreCancelledUnlessAnEarlierAttemptMayHaveArrived() throws {
    let ledger = try ledger()
    store.save([place("a"): values("Place", ["shared": .text("1")])])
    try ledger.prepare(limit: 9, now: now) { "first" }
    try ledger.withdraw(["first"])
    #expect(ledger.inFlight.isEmpty)
    // Also after a restart of the process.
    let again = try self.ledger()
    #expect(again.isPending(place("a")))
    store.save([place("a"): values("Place", ["shared": .text("2")])])
    try again.prepare(limit: 9, now: now) { "second" }
    #expect(again.inFlight.map(\.change.id) == ["second"])
    #expect(again.inFlight.first?.change.values?["shared"] == .text("2"))
    again.noteUnanswered(["second"])
    try again.withdraw(["second"])
    #expect(again.inFlight.map(\.change.id) == ["second"])
  }

  /// A page with all of the server's objects, which ends a comparison.
  private func all(_ objects: SyncObjectID...) -> SyncPage {
    SyncPage(
      changes: objects.map { SyncRemote(object: $0, version: 1, values: values($0.entity)) },
      cursor: "end", hasMore: false, coverage: .full())
  }

  /// The server stored an object, another client deleted it, and the tombstone was forgotten before the outcome came.
  @Test(arguments: [false, true])
  func anOldOutcomeAfterAComparisonLeadsToAnotherOne(isQuarantined: Bool) throws {
    var ledger = try ledger()
    _ = try ledger.apply(all(), now: now)
    for key in ["gone", "there"] { store.save([place(key): values("Place")]) }
    var ids: [String: String] = [:]
    try ledger.prepare(limit: 9, now: now) { "\(UUID())" }
    for change in ledger.inFlight.map(\.change) { ids[change.object.key] = change.id }
    ledger.noteUnanswered(Array(ids.values))
    if isQuarantined {
      let refusal = SyncRejection(code: "refused", message: "")
      try ledger.park(Array(ids.values), .rejected(refusal), now: now)
    }
    try ledger.beginComparison()
    _ = try ledger.apply(all(place("there")), now: now)
    #expect(!ledger.progress.isComparing)
    #expect(store.objects.count == 2)

    ledger = try self.ledger()
    if isQuarantined {
      try ledger.retryQuarantined()
      try ledger.prepare(limit: 9, now: now) { "\(UUID())" }
      #expect(Set(ledger.inFlight.map(\.change.id)) == Set(ids.values))
    }
    let thereID = try #require(ids["there"])
    _ = try ledger.acknowledge([thereID: .accepted(version: 1)], now: now)
    #expect(!ledger.progress.isComparing)
    let goneID = try #require(ids["gone"])
    _ = try ledger.acknowledge([goneID: .accepted(version: 1)], now: now)
    #expect(ledger.progress.isComparing)
    #expect(ledger.progress.cursor == nil)
    _ = try ledger.apply(all(place("there")), now: now)
    #expect(Array(store.objects.keys) == [place("there")])
    #expect(!ledger.progress.isComparing)
    #expect(!ledger.hasPending)
  }

  /// The first attempt is repeated, and then its deletion: nothing is left that the server could have lost.
  @Test func aMissedObjectThatIsDeletedHereNeedsNoComparison() throws {
    let ledger = try ledger()
    _ = try ledger.apply(all(), now: now)
    store.save([place("gone"): values("Place")])
    try ledger.prepare(limit: 9, now: now) { "insertion" }
    ledger.noteUnanswered(["insertion"])
    try ledger.park(["insertion"], .rejected(SyncRejection(code: "no", message: "")), now: now)
    try ledger.beginComparison()
    _ = try ledger.apply(all(), now: now)
    store.save([place("gone"): nil])
    try ledger.retryQuarantined()
    var deletions: [Bool] = []
    for version in 2...3 {
      _ = try push(ledger) { change in
        deletions.append(change.values == nil)
        return .accepted(version: Int64(version))
      }
    }
    #expect(deletions == [false, true])
    #expect(!ledger.hasPending)
    #expect(!ledger.progress.isComparing)
  }

  /// Another engine on the same store begins a comparison while this one waits for a page.
  @Test func aPageThatWasRequestedBeforeAComparisonChangesNothing() throws {
    let (waiting, other) = (try ledger(), try ledger())
    _ = try other.apply(all(), now: now)
    let requested = SyncPageRequest(try waiting.currentProgress())
    try other.beginComparison()
    let late = SyncPage(
      changes: [SyncRemote(object: place("late"), version: 1, values: values("Place"))],
      cursor: "late", hasMore: false)
    _ = try waiting.apply(SyncIncoming(late, request: requested), now: now)
    #expect(waiting.lastPageIsOutdated)
    #expect(store.objects.isEmpty)
    #expect(waiting.progress.isComparing)
    #expect(waiting.progress.cursor == nil)
    // Its repetition is a part of the comparison.
    _ = try waiting.apply(SyncIncoming(late, request: SyncPageRequest(waiting.progress)), now: now)
    #expect(!waiting.lastPageIsOutdated)
    #expect(store.objects.count == 1)
    #expect(waiting.progress.cursor == "late")
    #expect(!waiting.progress.isComparing)
  }

  @Test func objectsThatAreNewAfterAComparisonNeedNoOther() throws {
    let ledger = try ledger()
    _ = try ledger.apply(all(), now: now)
    store.save([place("before"): values("Place")])
    try ledger.prepare(limit: 9, now: now) { "first" }
    try ledger.beginComparison()
    _ = try ledger.apply(all(), now: now)
    // No attempt had been made.
    _ = try ledger.acknowledge(["first": .accepted(version: 2)], now: now)
    store.save([place("after"): values("Place")])
    #expect(try push(ledger) { _ in .accepted(version: 3) } == ["after"])
    #expect(!ledger.progress.isComparing)
    #expect(store.objects.count == 2)
  }

  @Test func savesThatShareAnObjectAreSentTogether() throws {
    let ledger = try ledger()
    store.save([place("a"): values("Place"), place("b"): values("Place")])
    store.save([place("x"): values("Place")])
    store.save([place("b"): values("Place", ["shared": .text("1")]), place("c"): values("Place")])
    #expect(try push(ledger, limit: 3) { _ in .accepted(version: 1) }.sorted() == ["a", "b", "c"])
    #expect(try push(ledger, limit: 3) { _ in .accepted(version: 2) } == ["x"])
  }

  @Test func aChildWaitsForAParentThatWasSetAside() throws {
    let ledger = try ledger()
    store.save([place("p"): values("Place")])
    _ = try push(ledger) { _ in .rejected(SyncRejection(code: "invalid", message: "")) }
    let child = SyncObjectID("Visit", "v")
    store.save([child: values("Visit", ["place": .text("p")])])
    #expect(try push(ledger) { _ in .accepted(version: 1) }.isEmpty)
    #expect(store.quarantined()[child]?.reason == .waits(for: place("p")))
    store.save([place("p"): values("Place", ["shared": .text("mended")])])
    #expect(try push(ledger) { _ in .accepted(version: 2) } == ["p"])
    #expect(try push(ledger) { _ in .accepted(version: 3) } == ["v"])
    #expect(store.quarantined().isEmpty)
  }

  @Test func withoutItsHistoryAStoreIsComparedWhole() throws {
    let first = try ledger()
    store.save([place("a"): values("Place"), place("b"): values("Place")])
    _ = try push(first) { _ in .accepted(version: 1) }
    store.save([place("a"): values("Place", ["shared": .text("1")])])
    store.save([place("b"): nil])
    store.forgotten = store.position()
    let ledger = try ledger()
    #expect(try push(ledger) { _ in .accepted(version: 2) } == ["a", "b"])
  }

  /// A version of the app that doesn't synchronize a class doesn't know its objects; that is no deletion.
  @Test(arguments: [false, true])
  func objectsOfClassesThatAreNotSynchronizedAreNotSent(isHistoryForgotten: Bool) throws {
    let visit = SyncObjectID("Visit", "v")
    let first = try ledger()
    store.save([visit: values("Visit")])
    _ = try push(first) { _ in .accepted(version: 1) }
    store.save([visit: nil])
    let record = store.records[visit]
    let schema = SyncSchema([SyncSchema.Entity(name: "Place", policy: .serverWins)])
    if isHistoryForgotten { store.forgotten = store.position() }
    let narrow = try SyncLedger(store, schema, client: "c")
    #expect(try push(narrow) { _ in .accepted(version: 2) }.isEmpty)
    #expect(!narrow.hasPending)
    #expect(store.records[visit] == record)
  }

  @Test func aChangeThatIsSavedMeanwhileIsSentNext() throws {
    let ledger = try ledger()
    store.save([place("a"): values("Place")])
    _ = try push(ledger) { _ in
      store.save([place("a"): values("Place", ["shared": .text("later")])])
      return .accepted(version: 1)
    }
    #expect(ledger.pendingCount == 1)
    try ledger.prepare(limit: 10, now: now) { "id" }
    #expect(ledger.inFlight.first?.change.baseVersion == 1)
    #expect(ledger.inFlight.first?.change.values?["shared"] == .text("later"))
  }

  @Test func theServersVersionOfAChangeIsStored() throws {
    let ledger = try ledger()
    store.save([place("a"): values("Place", ["shared": .text("  a ")])])
    _ = try push(ledger) { change in
      .accepted(version: 1, values: change.values?.merging(["shared": .text("a")]) { $1 })
    }
    #expect(store.objects[place("a")]?["shared"] == .text("a"))
    #expect(!ledger.hasPending)
  }

  @Test func unstorableChangesAreQuarantinedAndTheObjectStays() throws {
    let ledger = try ledger()
    let stranger = SyncObjectID("Stranger", "s")
    let page = SyncPage(
      changes: [
        SyncRemote(object: stranger, version: 1, values: [:]),
        SyncRemote(object: place("a"), version: 1, values: values("Place")),
      ], cursor: "1", hasMore: false)
    _ = try ledger.apply(page, now: now)
    #expect(store.quarantined()[stranger]?.reason == .unreadable)
    #expect(store.objects.keys.sorted() == [place("a")])
    #expect(ledger.progress.cursor == "1")
  }

  @Test func fullPagesDeleteOnlyInTheEntitiesThatTheyName() throws {
    let ledger = try ledger()
    let visit = SyncObjectID("Visit", "v")
    let all = [
      SyncRemote(object: place("a"), version: 1, values: values("Place")),
      SyncRemote(object: place("b"), version: 1, values: values("Place")),
      SyncRemote(object: visit, version: 1, values: values("Visit")),
    ]
    func apply(_ changes: [SyncRemote], _ entities: [String]?) throws {
      _ = try ledger.apply(
        SyncPage(
          changes: changes, cursor: "1", hasMore: false, coverage: .full(entities: entities)),
        now: now)
    }
    try apply(all, nil)
    try apply([], [])
    #expect(store.objects.count == 3)
    try apply([all[0]], ["Place"])
    #expect(store.objects.keys.sorted() == [place("a"), visit])
    // Empty isn't absent: the page covers everything.
    try apply([], nil)
    #expect(store.objects.isEmpty)
  }
}
