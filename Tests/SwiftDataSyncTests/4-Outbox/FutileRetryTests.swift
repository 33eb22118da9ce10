import Foundation
import StoreTesting
import SwiftData
import SwiftDataExtras
import SwiftDataSync
import Testing

/// Changes of the server that wait for other objects, and keys that the server assigns: the work for each exchange.
@Suite struct FutileRetryTests {
  private let container: ModelContainer
  private let storage: ModelSyncStorage
  private let schema = SyncSchema([
    SyncSchema.Entity(name: "Fellow", references: ["club": "Club"], policy: .serverWins),
    SyncSchema.Entity(name: "Club", policy: .serverWins),
    SyncSchema.Entity(name: "Lid", policy: .serverWins),
  ])
  private let ledger: SyncLedger

  init() throws {
    container = try memoryContainer(Fellow.self, Club.self, Lid.self)
    storage = try ModelSyncStorage(
      container,
      [
        SyncedModel(Fellow.self, key: \.number), SyncedModel(Club.self, key: \.name),
        SyncedModel(Lid.self, key: \.number),
      ])
    ledger = try SyncLedger(storage, schema, client: "client")
  }

  private func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  private func pull(_ changes: [SyncRemote] = []) throws {
    _ = try ledger.apply(SyncPage(changes: changes, cursor: "", hasMore: false), now: .now)
  }

  private func prepare(limit: Int = 1_000, _ ledger: SyncLedger? = nil) throws -> [SyncChange] {
    let ledger = ledger ?? self.ledger
    try ledger.prepare(limit: limit, now: .now) { UUID().uuidString }
    return ledger.inFlight.map(\.change)
  }

  /// Sends everything.
  ///
  /// - Parameter key: Returns the key that the server assigns.
  private func push(limit: Int, key: (SyncObjectID) -> String? = { _ in nil }) throws {
    while true {
      let changes = try prepare(limit: limit)
      if changes.isEmpty { return }
      var outcomes: [String: SyncOutcome] = [:]
      for change in changes {
        outcomes[change.id] = .accepted(version: 1, key: key(change.object))
      }
      _ = try ledger.acknowledge(outcomes, now: .now)
    }
  }

  private func fellow(_ number: Int, _ email: String) -> SyncRemote {
    SyncRemote(
      object: SyncObjectID("Fellow", "\(number)"), version: 1,
      values: [
        "number": .integer(Int64(number)), "email": .text(email), "seat": .null, "club": .null,
      ])
  }

  private func rows(_ body: () throws -> Void) throws -> Int {
    try container.recordingStatements(body).statements.map(\.rows).reduce(0, +)
  }

  /// Creates fellows whose emails others of the server have.
  private func createDuplicates(_ count: Int) throws {
    try edit { context in
      for number in 0..<count { context.insert(Fellow(number, "mail \(number)")) }
    }
    try pull((0..<count).map { fellow(1_000 + $0, "mail \($0)") })
    try push(limit: 1_000)
    #expect(try storage.quarantined().count == count)
  }

  @Test func deferredChangesAreNotTriedAgainBeforeAnythingChanges() throws {
    let count = 50
    try createDuplicates(count)
    #expect(try prepare().isEmpty)
    let idle = try rows {
      for _ in 0..<5 {
        try pull()
        #expect(try prepare().isEmpty)
      }
    }
    #expect(idle < 2 * count)
    #expect(try storage.quarantined().count == count)
  }

  @Test(arguments: [false, true]) func deferredChangesAreTriedAgainAfterAnEdit(inPull: Bool) throws
  {
    try createDuplicates(3)
    #expect(try prepare().isEmpty)
    try pull()
    if inPull {
      // Another object of the server's, and the same fellow with another email.
      try pull([
        SyncRemote(
          object: SyncObjectID("Fellow", "1"), version: 2,
          values: fellow(1, "another").values)
      ])
    } else {
      try edit { context in
        let fellows = try context.fetch(FetchDescriptor<Fellow>())
        for fellow in fellows where fellow.number == 1 { fellow.email = "another" }
      }
      #expect(try prepare().map(\.object.key) == ["1"])
    }
    #expect(try storage.quarantined().keys.map(\.key).sorted() == ["1000", "1002"])
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<Fellow>()).contains { $0.number == 1_001 })
  }

  /// Its engine doesn't know what the other one tried.
  @Test func anotherEngineOnTheStoreTriesThemItself() throws {
    try createDuplicates(3)
    #expect(try prepare().isEmpty)
    let other = try SyncLedger(storage, schema, client: "client")
    try edit { context in
      let fellows = try context.fetch(FetchDescriptor<Fellow>())
      for fellow in fellows where fellow.number == 2 { context.delete(fellow) }
    }
    #expect(try prepare(other).map(\.object.key) == ["2"])
    #expect(try storage.quarantined().keys.map(\.key).sorted() == ["1000", "1001"])
  }

  @Test func keysOfTheServerNeedNoLookAtObjectsThatReferToNone() throws {
    let count = 400
    for start in stride(from: 0, to: count, by: 10) {
      try edit { context in for number in start..<(start + 10) { context.insert(Lid(number)) } }
    }
    let rows = try rows { try push(limit: 20) { "1\($0.key)000" } }
    #expect(rows < 12 * count)
    let numbers = try ModelContext(container).fetch(FetchDescriptor<Lid>()).map(\.number)
    #expect(numbers.count == count && numbers.allSatisfy { $0 >= 10_000 })
  }

  @Test func rejectedChangesAreNotReadAgainInEachExchange() throws {
    let count = 400
    try edit { context in for number in 0..<count { context.insert(Lid(number)) } }
    let rows = try rows {
      while true {
        let changes = try prepare(limit: 20)
        if changes.isEmpty { return }
        var outcomes: [String: SyncOutcome] = [:]
        for (place, change) in changes.enumerated() {
          outcomes[change.id] =
            place.isMultiple(of: 2)
            ? .accepted(version: 1) : .rejected(SyncRejection(code: "no", message: ""))
        }
        _ = try ledger.acknowledge(outcomes, now: .now)
      }
    }
    #expect(rows < 10 * count)
    let quarantined = try storage.quarantined()
    #expect(quarantined.count == count / 2)
    #expect(try storage.quarantineReasons() == quarantined.mapValues(\.reason))
  }

  /// Commits of this storage and of another one, with changes that get and lose a reason.
  @Test func reasonsAreThoseOfTheStore() throws {
    let other = try ModelSyncStorage(
      container,
      [
        SyncedModel(Fellow.self, key: \.number), SyncedModel(Club.self, key: \.name),
        SyncedModel(Lid.self, key: \.number),
      ])
    func compare(_ count: Int) throws {
      for storage in [storage, other] {
        let expected = try storage.quarantined().mapValues(\.reason)
        #expect(expected.count == count)
        #expect(try storage.quarantineReasons() == expected)
      }
    }
    try compare(0)
    try createDuplicates(3)
    try compare(3)
    try edit { context in
      let fellows = try context.fetch(FetchDescriptor<Fellow>())
      for fellow in fellows where fellow.number == 1 { fellow.email = "another" }
    }
    let second = try SyncLedger(other, schema, client: "client")
    _ = try prepare(second)
    try compare(2)
    let changes = second.inFlight.map(\.change.id)
    try second.park(changes, .failing(message: "no"), now: .now)
    try compare(3)
    _ = try ledger.currentProgress()
    try ledger.retryQuarantined()
    try compare(3)
    try push(limit: 1_000)
    try compare(2)
  }
}
