import Foundation
import SwiftDataSync
import TestSupport

/// Replicas and a server on one thread: a seed determines the time, the network, the kills and the users' edits.
///
/// Tasks run on that thread too.
package final class Simulation: @unchecked Sendable {
  package struct Violation: Error, CustomStringConvertible {
    let seed: UInt64
    package let description: String
  }

  static let properties = [
    "Place": [
      "name", "badge", "shared", "updated", "pair", "generation", "bad", "own0", "own1", "own2",
      "own3", "own4",
    ],
    "Hut": [
      "name", "badge", "shared", "updated", "pair", "generation", "bad", "own0", "own1", "own2",
      "own3", "own4", "beds",
    ],
    "Visit": [
      "place", "shared", "updated", "pair", "generation", "bad", "own0", "own1", "own2", "own3",
      "own4",
    ],
    "Note": [
      "shared", "updated", "pair", "generation", "bad", "own0", "own1", "own2", "own3", "own4",
    ],
    "Snap": [
      "photo", "shared", "updated", "pair", "generation", "bad", "own0", "own1", "own2", "own3",
      "own4",
    ],
    "Sight": ["shared", "updated", "own0", "own1", "own2", "own3", "own4"],
  ]

  /// The many-to-many relationships: one with an inverse, and one with an order and without an inverse.
  static let lists: [String: [String: SyncSchema.List]] = [
    "Place": ["guests": SyncSchema.List(to: "Visit")],
    "Hut": ["guests": SyncSchema.List(to: "Visit")],
    "Visit": ["route": SyncSchema.List(to: "Place", isOrdered: true)],
  ]

  /// A hut is a place: references to places can lead to huts too, and they share keys and badges.
  static let members = ["Place": ["Hut", "Place"]]

  /// Returns the objects that a reference can lead to.
  static func candidates(_ entity: String, _ key: String) -> [SyncObjectID] {
    (members[entity] ?? [entity]).map { SyncObjectID($0, key) }
  }

  /// Returns the object that a reference leads to.
  static func destination(
    _ entity: String, _ key: String, in objects: [SyncObjectID: SyncValues]
  ) -> SyncObjectID? {
    candidates(entity, key).first { objects[$0] != nil }
  }

  /// Returns whether an object is of an entity, or of a class of its family.
  static func isA(_ entity: String, _ object: SyncObjectID) -> Bool {
    (members[entity] ?? [entity]).contains(object.entity)
  }

  /// Returns an object's values in the form in which stores have them.
  package static func complete(
    _ values: SyncValues, of entity: String, over known: SyncValues? = nil
  ) -> SyncValues? {
    guard let names = properties[entity] else { return nil }
    var complete: SyncValues = [:]
    for name in names { complete[name] = values[name] ?? known?[name] ?? .null }
    for (name, list) in lists[entity] ?? [:] {
      complete[name] = ListMerge.canonical(
        values[name] ?? known?[name] ?? .null, isOrdered: list.isOrdered)
    }
    return complete
  }
  /// The values of an imported sight.
  package static let sightDefaults = SyncValues(
    uniqueKeysWithValues: (properties["Sight"] ?? []).map { ($0, .null) })

  let seed: UInt64
  var random: SeededGenerator
  private(set) var now: Duration = .zero
  /// The events in reverse order: the next one is the last; of several at the same time, the one that was planned
  /// first.
  private var events: [(time: Duration, body: () throws -> Void)] = []
  package private(set) var replicas: [SimulatedReplica] = []
  let server: SimulatedServer
  /// Whether messages are lost and processes are killed.
  private(set) var isRough = true
  private(set) var schema: SyncSchema
  package private(set) var steps = 0
  /// A digest of the decisions of each step, and of the contents of all stores at the end. It is the same for a seed,
  /// regardless of the place and the order of the runs; otherwise a seed wouldn't identify a failure.
  package private(set) var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325
  /// The objects that were ever deleted. If an older edit restores one, it has the values that the edit's author knew.
  var deleted: Set<SyncObjectID> = []
  /// Whether the server's store is replaced by an earlier copy once, and whether that has happened.
  private let isRestoredOnce: Bool
  private(set) var isRestored = false
  /// The objects that were in conflict after that: a policy chooses between states of which one was lost.
  var disputed: Set<SyncObjectID> = []
  /// The changes of list elements.
  var links = SimulatedLinks()

  /// The number of occurrences of each kind of fault and of work.
  package private(set) var happened: [String: Int] = [:]
  /// Each replica's own values, as far as the server has acknowledged them.
  private var acknowledged: [SyncObjectID: [String: Double]] = [:]

  /// - Parameters:
  ///   - restoresServer: Whether the server's store is replaced by an earlier copy once.
  ///   - makeStore: Creates the store of a replica.
  package init(
    seed: UInt64, restoresServer: Bool = false,
    makeStore: (SyncPolicy) throws -> any ReplicaStore = { _ in
      SimulatedStore()
    }
  ) throws {
    self.seed = seed
    isRestoredOnce = restoresServer
    random = SeededGenerator(seed: seed)
    let policies: [SyncPolicy] = [
      .serverWins, .clientWins, .latestWins(property: "updated"),
      .custom { $0.remote == nil ? .server : .client },
    ]
    let policy = policies[Int.random(in: 0..<policies.count, using: &random)]
    schema = SyncSchema(
      [
        SyncSchema.Entity(name: "Place", lists: Self.lists["Place"] ?? [:], policy: policy),
        SyncSchema.Entity(name: "Hut", lists: Self.lists["Hut"] ?? [:], policy: policy),
        SyncSchema.Entity(
          name: "Visit", references: ["place": "Place"], lists: Self.lists["Visit"] ?? [:],
          policy: policy),
        SyncSchema.Entity(name: "Note", policy: policy),
        SyncSchema.Entity(name: "Snap", policy: policy),
        SyncSchema.Entity(name: "Sight", policy: policy),
      ], members: Self.members)
    schema.defaults = ["Sight": Self.sightDefaults]
    schema.marked = ["Visit"]
    server = try SimulatedServer(schema)
    let count = Int.random(in: 3...5, using: &random)
    server.simulation = self
    for index in 0..<count {
      let skew = Double.random(in: -86_400...86_400, using: &random)
      replicas.append(
        SimulatedReplica(index, skew: skew, try makeStore(policy), self))
    }
  }

  /// The tasks that wait for answers.
  let tasks = SimulatedTasks()
  private var abandoned: [() -> Void] = []

  /// Registers code that runs at the end, to release waiting tasks.
  func atTheEnd(_ body: @escaping () -> Void) { abandoned.append(body) }

  func note(_ happening: String) { happened[happening, default: 0] += 1 }

  func violation(_ text: String) -> Violation {
    Violation(seed: seed, description: "seed \(seed), step \(steps), \(now): \(text)")
  }

  func after(_ delay: Duration, _ body: @escaping () throws -> Void) {
    let time = now + delay
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if events[middle].time <= time { high = middle } else { low = middle + 1 }
    }
    events.insert((time, body), at: low)
  }

  /// Runs a period with faults, then a period without, and compares the stores.
  package func run() throws {
    defer {
      for body in abandoned { body() }
      // Errors at this point have no meaning any more.
      _ = Result { try tasks.run() }
    }
    for replica in replicas { try replica.start() }
    try tasks.run()
    scheduleTrouble()
    try run(until: .seconds(600))
    isRough = false
    server.restart()
    for replica in replicas { try replica.calm() }
    try tasks.run()
    var previous = ""
    for _ in 0..<60 {
      try run(until: now + .seconds(120))
      for replica in replicas { try replica.askForNews() }
      try tasks.run()
      let state = replicas.map(\.summary).joined()
      if state == previous, replicas.allSatisfy(\.isQuiet) { break }
      previous = state
    }
    try compare()
    noteContents()
  }

  /// Adds bytes to the fingerprint. FNV-1a, 64 bits (Fowler, Noll, Vo: draft-eastlake-fnv).
  private func mix(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }

  private func noteContents() {
    let stores = [server.store.objects] + replicas.flatMap { [$0.store.objects, $0.store.sights] }
    for objects in stores {
      for (object, values) in objects.sorted(by: { $0.key < $1.key }) {
        mix("\(object)".utf8)
        mix(.object(values))
      }
    }
  }

  private func mix(_ value: SyncValue) {
    guard case .object(let members) = value else { return mix("\(value)".utf8) }
    for (name, member) in members.sorted(by: { $0.key < $1.key }) {
      mix(name.utf8)
      mix(member)
    }
  }

  private func run(until end: Duration) throws {
    while let event = events.last, event.time <= end {
      events.removeLast()
      now = event.time
      steps += 1
      if steps > 200_000 { throw violation("it doesn't come to rest") }
      try event.body()
      try tasks.run()
      withUnsafeBytes(of: random.state) { mix($0) }
    }
    now = end
  }

  private func scheduleTrouble() {
    for replica in replicas {
      for _ in 0..<Int.random(in: 5...20, using: &random) {
        after(.milliseconds(Int.random(in: 0...600_000, using: &random))) { try replica.edit() }
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        after(.milliseconds(Int.random(in: 0...500_000, using: &random))) { replica.kill() }
        let start = Int.random(in: 0...500_000, using: &random)
        after(.milliseconds(start)) { try replica.setConnected(false) }
        after(.milliseconds(start + Int.random(in: 1_000...90_000, using: &random))) {
          try replica.setConnected(true)
        }
      }
    }
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let start = Int.random(in: 0...550_000, using: &random)
      after(.milliseconds(start)) { self.server.kill() }
      after(.milliseconds(start + Int.random(in: 100...40_000, using: &random))) {
        self.server.restart()
      }
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      after(.milliseconds(Int.random(in: 0...600_000, using: &random))) {
        self.server.store.forgetTombstones()
        try self.server.reopen()
      }
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      after(.milliseconds(Int.random(in: 0...600_000, using: &random))) { self.server.edit() }
    }
    if isRestoredOnce { scheduleRestoration() }
  }

  private func scheduleRestoration() {
    let copied = Int.random(in: 0...500_000, using: &random)
    let restored = Int.random(in: copied...600_000, using: &random)
    var copy = server.store.contents
    after(.milliseconds(copied)) { copy = self.server.store.contents }
    after(.milliseconds(restored)) {
      self.isRestored = true
      self.server.restore(copy)
    }
    after(.milliseconds(restored + Int.random(in: 100...40_000, using: &random))) {
      self.server.restart()
    }
  }

  // MARK: Invariants

  /// Records the changes acknowledged to a replica.
  func noteAcknowledged(_ changes: [SyncChange], _ outcomes: [String: SyncOutcome]) throws {
    for change in changes {
      guard case .accepted = outcomes[change.id], let values = change.values else { continue }
      note("changes acknowledged")
      // Annotations of a sight may be removed, and its object with them: ``compareSights(_:)`` checks them.
      if change.object.entity == "Sight" { continue }
      for (name, value) in values where name.hasPrefix("own") {
        guard let number = value.number else { continue }
        acknowledged[change.object, default: [:]][name] =
          max(number, acknowledged[change.object]?[name] ?? number)
      }
      if !isRestored { try checkAcknowledged(change.object) }
    }
  }

  /// Checks that acknowledged values are on the server, unless the object was deleted.
  private func checkAcknowledged(_ object: SyncObjectID) throws {
    guard !deleted.contains(object), !disputed.contains(object) else { return }
    for (name, number) in acknowledged[object] ?? [:] {
      let stored = server.store.objects[object]?[name]?.number
      guard stored ?? -1 >= number else {
        throw violation(
          "\(name) of \(object) was acknowledged as \(number), and the server has"
            + " \(stored.map { "\($0)" } ?? "nothing")")
      }
    }
  }

  private func compare() throws {
    for object in acknowledged.keys.sorted() { try checkAcknowledged(object) }
    try checkPairs(server.store.objects, "the server", isAtEnd: true)
    for replica in replicas {
      let here = Self.withoutDangling(replica.store.objects)
      let there = Self.withoutDangling(
        server.store.objects.filter { $0.key.entity != "Sight" })
      guard here == there else {
        let differing = Set(here.keys).union(there.keys).filter { here[$0] != there[$0] }.sorted()
        let first = differing.first
        throw violation(
          "replica \(replica.index) differs from the server in \(differing.count) objects, as in"
            + " \(first?.description ?? ""): \(first.flatMap { here[$0] } ?? [:]), there"
            + " \(first.flatMap { there[$0] } ?? [:])")
      }
      try compareSights(replica)
      // Values that only this replica wrote are there as last written.
      for (object, value) in replica.ownValues
      where !deleted.contains(object) && !disputed.contains(object) {
        guard let values = server.store.objects[object] else {
          throw violation("\(object), which nobody deleted, is lost")
        }
        guard values["own\(replica.index)"] == .integer(value) else {
          throw violation(
            "the edit \(value) of \(object) by replica \(replica.index) is lost: \(values)")
        }
      }
      // Objects whose photo only this replica set have the photo that was last set.
      for (object, photo) in replica.ownPhotos
      where !deleted.contains(object) && !disputed.contains(object) {
        let there = server.store.objects[object]?["photo"] ?? .null
        guard there == photo else {
          throw violation("the photo of \(object) by replica \(replica.index) is lost: \(there)")
        }
      }
      if let damaged = (replica.store as? SimulatedStore)?.damagedPhotos.first {
        throw violation("replica \(replica.index) has other bytes for \(damaged)")
      }
      let count = try replica.store.attachmentCount
      guard count == 0 else {
        throw violation(
          "replica \(replica.index) keeps \(count) attachments for nothing")
      }
      let uncertain = deleted.union(disputed)
      for link in links.lost(in: server.store.objects, deleted: uncertain) {
        throw violation("\(link), which nobody removed, is lost")
      }
      // Objects removed in a state that the server lost may come back.
      for link in isRestored ? [] : links.returned(in: server.store.objects, deleted: uncertain) {
        throw violation("\(link), which was removed, has come back")
      }
      for object in replica.keptObjects where server.store.objects[object] == nil {
        throw violation("\(object) of replica \(replica.index), which nobody deleted, is lost")
      }
    }
  }

  private func compareSights(_ replica: SimulatedReplica) throws {
    for (sight, values) in replica.store.sights {
      let there = server.store.objects[sight] ?? Self.sightDefaults
      guard values == there else {
        throw violation("replica \(replica.index): \(sight) is \(values), on the server \(there)")
      }
    }
    for (sight, value) in replica.ownSights where !disputed.contains(sight) {
      if isRestored, value == .null { continue }
      let there = server.store.objects[sight]?["own\(replica.index)"] ?? .null
      guard there == value else {
        throw violation(
          "the edit \(value) of \(sight) by replica \(replica.index) is lost: \(there)")
      }
    }
    guard replica.store.markedCount == 0 else {
      throw violation(
        "replica \(replica.index): \(replica.store.markedCount) objects say that they have edits")
    }
  }

  /// Returns the objects without references to objects that don't exist.
  private static func withoutDangling(
    _ objects: [SyncObjectID: SyncValues]
  ) -> [SyncObjectID: SyncValues] {
    Dictionary(
      uniqueKeysWithValues: objects.map { object, values in
        var values = values
        if case .text(let place) = values["place"], destination("Place", place, in: objects) == nil
        {
          values["place"] = .null
        }
        for (name, list) in lists[object.entity] ?? [:] {
          guard case .list(let elements) = values[name] else { continue }
          values[name] = .list(
            elements.filter { destination(list.destination, $0.text ?? "", in: objects) != nil })
        }
        return (object, values)
      })
  }

  /// Checks that no two places have the same badge.
  func checkBadges(_ objects: [SyncObjectID: SyncValues], _ place: String) throws {
    var owners: [SyncValue: SyncObjectID] = [:]
    for (object, values) in objects {
      guard let badge = values["badge"], badge != .null else { continue }
      if let other = owners.updateValue(object, forKey: badge) {
        throw violation("\(place) has one badge for \(object) and \(other)")
      }
    }
  }

  /// Returns the obstacles to writes in a store where badges are unique, and where visits deny the deletion of their
  /// place.
  static func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)],
    in objects: [SyncObjectID: SyncValues]
  ) -> [SyncObjectID: SyncObstacle] {
    var after = objects
    for (object, values) in values { after[object] = values }
    var found: [SyncObjectID: SyncObstacle] = [:]
    for (object, values) in values where values == nil && objects[object] != nil {
      let visit = after.keys.filter { visit in
        isA("Place", object) && after[visit]?["place"] == .text(object.key)
      }.min()
      if let visit { found[object] = .denied(by: visit) }
    }
    for (object, _) in values {
      guard let badge = after[object]?["badge"], badge != .null,
        objects[object]?["badge"] != badge
      else { continue }
      // Of two new owners, the one with the smaller name gets the badge.
      let other = after.keys.filter { other in
        other != object && after[other]?["badge"] == badge
          && (other < object || objects[other]?["badge"] == badge)
      }.min()
      if let other { found[object] = .duplicate(of: other, properties: ["badge"]) }
    }
    return found
  }

  /// Checks that both halves of each pair, which are always saved together, are there and have the same generation.
  ///
  /// States that a server lost may be sent again in parts: after an end of its process, a device knows only the
  /// objects.
  func checkPairs(
    _ objects: [SyncObjectID: SyncValues], _ place: String, isAtEnd: Bool = false
  ) throws {
    if isRestored, !isAtEnd { return }
    var pairs: [String: [SyncValue]] = [:]
    var uncertain: Set<String> = []
    for (object, values) in objects {
      guard case .text(let pair) = values["pair"] else { continue }
      pairs[pair, default: []].append(values["generation"] ?? .null)
      if disputed.contains(object) { uncertain.insert(pair) }
    }
    for (pair, generations) in pairs where !uncertain.contains(pair) {
      guard generations.count == 2, generations[0] == generations[1] else {
        throw violation("\(place) has half of the save of pair \(pair): \(generations)")
      }
    }
  }
}
