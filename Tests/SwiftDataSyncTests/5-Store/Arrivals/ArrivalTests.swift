import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing

/// New objects of a page, which are written as rows without creating models.
@Suite struct ArrivalTests {
  private static let schema = SyncSchema([
    SyncSchema.Entity(name: "Park", policy: .clientWins),
    SyncSchema.Entity(
      name: "Booking", references: ["park": "Park", "parkNumber": "Park"], policy: .clientWins),
  ])

  private let container: ModelContainer
  private let storage: ModelSyncStorage
  private let ledger: SyncLedger

  init() throws {
    container = try Fixture.container()
    storage = try ModelSyncStorage(container, Fixture.models(.clientWins))
    ledger = try SyncLedger(storage, Self.schema, client: "client")
  }

  private func park(_ number: Int, _ name: String = "new", version: Int64 = 1) -> SyncRemote {
    SyncRemote(
      object: SyncObjectID("Park", "\(number)"), version: version,
      values: ["name": .text(name), "mood": .text("busy")])
  }

  private func page(_ changes: [SyncRemote], hasMore: Bool = true) -> SyncPage {
    SyncPage(changes: changes, cursor: "c", hasMore: hasMore)
  }

  private func pull(_ changes: [SyncRemote]) throws {
    _ = try ledger.apply(page(changes), now: .now)
  }

  private func parks() throws -> [Park] {
    try ModelContext(container).fetch(FetchDescriptor<Park>(sortBy: [SortDescriptor(\.number)]))
  }

  private func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  /// Returns the number of changes that now count as new objects.
  private func newObjects(_ changes: [SyncRemote]) throws -> Int {
    try storage.newObjects(storage.incoming(page(changes)))?.count ?? 0
  }

  @Test func theBooksAreAsAfterAMerge() throws {
    let image = Data([0, 255]).base64EncodedString()
    let values: [SyncValues] = [
      ["name": .text("a"), "mood": .text("calm")],
      [
        "name": .text("b\"\n"), "mood": .text("busy"), "opened": .integer(3),
        "spot": .object(["latitude": .real(1.5), "longitude": .integer(-2)]),
        "tags": .list([.text("x"), .text("y")]), "image": .text(image), "unknown": .boolean(true),
      ],
      ["name": .text("c"), "mood": .text("calm"), "opened": .text("inf"), "note": .text("theirs")],
      ["name": .integer(1), "mood": .text("calm")], ["name": .text("d"), "mood": .text("sad")],
    ]
    let changes = values.enumerated().map { index, values in
      SyncRemote(
        object: SyncObjectID("Park", "00\(index)"), version: Int64(index) + 1, values: values)
    }
    #expect(try newObjects(changes) == 3)
    try pull(changes)
    let other = try Fixture.container()
    let merging = try ModelSyncStorage(other, Fixture.models(.clientWins))
    let merger = try SyncLedger(merging, Self.schema, client: "client")
    var incoming = merging.incoming(page(changes))
    incoming.arrivals = nil
    _ = try merger.apply(incoming, now: .now)
    let objects = incoming.page.changes.map(\.object)
    var (one, two) = (try storage.load(objects), try merging.load(objects))
    #expect(one.count == 5)
    for object in objects {
      one[object]?.record.quarantine?.date = .distantPast
      two[object]?.record.quarantine?.date = .distantPast
    }
    #expect(one == two)
    try ledger.prepare(limit: 10, now: .now) { UUID().uuidString }
    #expect(ledger.inFlight.isEmpty)
    let texts = try [container, other].map { container in
      try ModelContext(container).fetch(FetchDescriptor<Park>(sortBy: [SortDescriptor(\.number)]))
        .map {
          "\($0.number) \($0.name) \($0.mood) \($0.opened as Any) \($0.tags) \($0.note ?? "")"
        }
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0].count == 3)
  }

  @Test func knownObjectsOfAPageAreMergedBesideNewOnes() throws {
    try pull([park(1, "one"), park(2, "two"), park(3, "three")])
    try edit { context in
      for park in try context.fetch(FetchDescriptor<Park>()) where park.number == 1 {
        park.tags = ["mine"]
      }
      context.insert(Park(number: 5, name: "mine"))
    }
    let gone = SyncRemote(object: SyncObjectID("Park", "2"), version: 2, values: nil)
    let changes = [park(4), park(1, "changed", version: 2), gone, park(5, "theirs"), park(6)]
    #expect(try newObjects(changes) == 2)
    try pull(changes)
    #expect(try parks().map(\.number) == [1, 3, 4, 5, 6])
    #expect(try parks().map(\.name) == ["changed", "three", "new", "mine", "new"])
    #expect(try parks().first?.tags == ["mine"])
    try ledger.prepare(limit: 10, now: .now) { UUID().uuidString }
    #expect(Set(ledger.inFlight.map(\.change.object.key)) == ["1", "5"])
  }

  @Test func anObjectTwiceInAPageIsStoredOnceWithTheLatterValues() throws {
    let other = SyncRemote(
      object: SyncObjectID("Park", "+1"), version: 2,
      values: ["name": .text("b"), "mood": .text("calm")])
    #expect(try newObjects([park(1, "a"), other, park(2)]) == 1)
    try pull([park(1, "a"), other, park(2)])
    #expect(try parks().map(\.name) == ["b", "new"])
  }

  @Test func aModelThatIsSavedWhileAPageIsTakenIsNotOverwritten() throws {
    let changes = [park(1, "theirs"), park(2)]
    // The result of the earlier lookup must be discarded then.
    let late = LateStorage(storage) { [container] in
      let context = ModelContext(container)
      context.insert(Park(number: 1, name: "mine"))
      try context.save()
    }
    let ledger = try SyncLedger(late, Self.schema, client: "client")
    let resolutions = try ledger.apply(page(changes), now: .now)
    #expect(resolutions.map(\.conflict.object.key) == ["1"])
    #expect(try parks().map(\.name) == ["mine", "new"])
  }

  @Test func afterLongPagesOfNewObjectsAKnownOneIsStillNoticed() throws {
    try pull((1...150).map { park($0) })
    try edit { $0.insert(Park(number: 200, name: "mine")) }
    // Nothing is looked up now.
    let changes = (151...300).map { park($0, "theirs") }
    #expect(try newObjects(changes) == 150)
    let resolutions = try ledger.apply(page(changes), now: .now)
    #expect(resolutions.map(\.conflict.object.key) == ["200"])
    let all = try parks()
    #expect(all.map(\.number) == Array(1...300))
    #expect(all.filter { $0.name == "mine" }.map(\.number) == [200])
    #expect(try ledger.storage.load([SyncObjectID("Park", "299")]).values.first?.isEdited == false)
  }

  @Test func anObjectWithOnlyARecordIsNotNew() throws {
    try pull([park(1)])
    try edit { try $0.delete(model: Park.self) }
    let changed = [park(1, "changed", version: 2), park(2)]
    #expect(try newObjects(changed) == 1)
    try pull(changed)
    // The deletion wins, since it is the client's.
    #expect(try parks().map(\.number) == [2])
    try ledger.prepare(limit: 10, now: .now) { UUID().uuidString }
    #expect(ledger.inFlight.map(\.change.content) == [.delete])
  }

  @Test func nothingIsWrittenAsARowWhileItsObjectIsUnderWay() throws {
    try edit { $0.insert(Park(number: 1, name: "mine")) }
    try ledger.prepare(limit: 10, now: .now) { UUID().uuidString }
    try edit { try $0.delete(model: Park.self) }
    try pull([park(1, "theirs", version: 1)])
    #expect(try parks().isEmpty)
    #expect(try storage.load([SyncObjectID("Park", "1")]).values.first?.record.deferred != nil)
  }

  @Test func parentsAndChildrenOfOnePageFindEachOther() throws {
    let child = SyncRemote(
      object: SyncObjectID("Booking", UUID().uuidString), version: 2,
      values: [
        "park": .integer(7), "parkNumber": .integer(7), "guests": .integer(2), "updated": .real(0),
      ])
    try pull([child, park(7), park(8)])
    let bookings = try ModelContext(container).fetch(FetchDescriptor<Booking>())
    #expect(bookings.map { $0.park?.number } == [7])
    #expect(try ledger.storage.load([child.object]).values.first?.isEdited == false)
  }

  @Test func aDeletionWithItsChildrenAndNewObjectsAreOnePage() throws {
    let child = SyncRemote(
      object: SyncObjectID("Booking", UUID().uuidString), version: 2,
      values: [
        "park": .integer(1), "parkNumber": .integer(1), "guests": .integer(2), "updated": .real(0),
      ])
    try pull([park(1), child])
    let gone = SyncRemote(object: SyncObjectID("Park", "1"), version: 3, values: nil)
    try pull([gone, park(2)])
    #expect(try parks().map(\.number) == [2])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Booking>()) == 0)
  }

  @Test func contextsObserversAndTheHistoryContainThem() throws {
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<Park>()).isEmpty)
    let told = Mutex<[PersistentIdentifier]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { [container] notification in
      guard (notification.object as? ModelContext)?.container === container else { return }
      let key = ModelContext.NotificationKey.insertedIdentifiers
      let inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
      told.withLock { $0 += inserted }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try pull([park(1), park(2)])
    let parks = try context.fetch(FetchDescriptor<Park>())
    #expect(parks.count == 2)
    #expect(Set(parks.map(\.persistentModelID)) == Set(told.withLock { $0 }))
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["sync"])
    #expect(history.first?.changes.count == 2)
    #expect(try storage.edits(after: 0).isEmpty)
  }

  @Test func theNumberOfADeletedRowIsNotGivenAgain() throws {
    try pull([park(1)])
    let identifier = try #require(try parks().first?.persistentModelID)
    try pull([SyncRemote(object: SyncObjectID("Park", "1"), version: 2, values: nil)])
    try pull([park(2), park(3)])
    #expect(try parks().allSatisfy { $0.persistentModelID != identifier })
    #expect(try parks().count == 2)
  }
}

/// A storage that runs code before its first transaction.
private final class LateStorage: SyncStorage {
  private let storage: ModelSyncStorage
  private var meanwhile: (() throws -> Void)?

  init(_ storage: ModelSyncStorage, meanwhile: @escaping () throws -> Void) {
    self.storage = storage
    self.meanwhile = meanwhile
  }

  func position() throws -> Int64 { try storage.position() }
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])] {
    try storage.edits(after: number)
  }
  func allObjects() throws -> [SyncObjectID] { try storage.allObjects() }
  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncEntry] {
    try storage.load(objects)
  }
  func incoming(_ page: SyncPage) -> SyncIncoming { storage.incoming(page) }
  func newObjects(_ incoming: SyncIncoming) throws -> SyncArrivals? {
    try storage.newObjects(incoming)
  }
  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues? { try storage.complete(values, of: object, over: known) }
  func value(ofKey key: String, in object: SyncObjectID, property: String) -> SyncValue? {
    storage.value(ofKey: key, in: object, property: property)
  }
  func dependents(
    of objects: [SyncObjectID], after values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    try storage.dependents(of: objects, after: values)
  }
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] { try storage.obstacles(to: values) }
  func unseen(in epoch: Int64, entities: [String]?) throws -> [SyncObjectID] {
    try storage.unseen(in: epoch, entities: entities)
  }
  func hasVersions(in ranges: [ClosedRange<Int64>]) throws -> Bool {
    try storage.hasVersions(in: ranges)
  }
  func progress() throws -> SyncProgress? { try storage.progress() }
  func inFlight() throws -> [SyncInFlight] { try storage.inFlight() }
  func pendingObjects() throws -> [SyncObjectID] { try storage.pendingObjects() }
  func quarantined() throws -> [SyncObjectID: SyncQuarantine] { try storage.quarantined() }
  func commit(_ writes: SyncWrites, at position: Int64) throws {
    let body = meanwhile
    meanwhile = nil
    try body?()
    try storage.commit(writes, at: position)
  }
}
