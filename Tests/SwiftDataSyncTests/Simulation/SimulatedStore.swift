import SwiftDataSync

/// What a process that is killed leaves behind: nothing is thrown away but what wasn't committed.
struct Killed: Error {}

/// Chance that a seed decides (https://prng.di.unimi.it/splitmix64.c describes the method).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }
}

/// What survives a kill of a replica.
protocol ReplicaStore: AnyObject {
  var storage: any SyncStorage { get }
  var objects: [SyncObjectID: SyncValues] { get }
  /// Called before and after a commit of the engine; throws to kill it there.
  var onCommit: (_ isDone: Bool, SyncWrites) throws -> Void { get set }
  /// Saves what a user did, at once.
  func save(_ changes: [SyncObjectID: SyncValues?])
  /// The values that were last agreed on.
  func base(of object: SyncObjectID) -> SyncValues?

  /// The objects whose rows come from elsewhere; not among ``objects``.
  var sights: [SyncObjectID: SyncValues] { get }
  /// An import brings such a row, or takes it away.
  func setSight(_ object: SyncObjectID, isThere: Bool)
  /// How many objects say that they have edits.
  var markedCount: Int { get }
}

/// A store in memory with a history: what survives a kill.
final class SimulatedStore: SyncStorage, ReplicaStore {
  struct Transaction {
    var number: Int64
    var isEngines: Bool
    var objects: [SyncObjectID]
  }

  private(set) var objects: [SyncObjectID: SyncValues] = [:]
  private(set) var sights: [SyncObjectID: SyncValues] = [:]
  /// The rows of ``sights``, and those that their records know.
  private var rows: [SyncObjectID: Int] = [:]
  private var recordedRows: [SyncObjectID: Int] = [:]
  private var lastRow = 0
  private(set) var history: [Transaction] = []
  private(set) var records: [SyncObjectID: SyncRecord] = [:]
  private(set) var resolutions: [SyncResolution] = []
  private var storedInFlight: [SyncInFlight] = []
  private var storedProgress: SyncProgress?
  /// Transactions up to this one are forgotten.
  var forgotten: Int64 = 0
  var onCommit: (_ isDone: Bool, SyncWrites) throws -> Void = { _, _ in }

  var storage: any SyncStorage { self }
  func base(of object: SyncObjectID) -> SyncValues? { records[object]?.base }

  // MARK: The user

  func save(_ changes: [SyncObjectID: SyncValues?]) {
    for (object, values) in changes { set(object, values) }
    history.append(
      Transaction(number: last + 1, isEngines: false, objects: changes.keys.sorted()))
  }

  func setSight(_ object: SyncObjectID, isThere: Bool) {
    lastRow += 1
    sights[object] = isThere ? Simulation.sightDefaults : nil
    rows[object] = isThere ? lastRow : nil
    history.append(Transaction(number: last + 1, isEngines: false, objects: [object]))
  }

  var markedCount: Int { 0 }

  private func set(_ object: SyncObjectID, _ values: SyncValues?) {
    if object.entity != "Sight" {
      objects[object] = values
    } else if rows[object] != nil {
      sights[object] = values ?? Simulation.sightDefaults
    }
  }

  private var last: Int64 { history.last?.number ?? 0 }

  // MARK: SyncStorage

  func position() -> Int64 { last }

  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])] {
    guard number >= forgotten else { throw SyncHistoryExpired() }
    return history.filter { $0.number > number && !$0.isEngines }.map { ($0.number, $0.objects) }
  }

  func allObjects() -> [SyncObjectID] {
    Set(objects.keys).union(sights.keys).union(records.keys).sorted()
  }

  func load(_ wanted: [SyncObjectID]) -> [SyncObjectID: SyncEntry] {
    var found: [SyncObjectID: SyncEntry] = [:]
    for object in wanted {
      if object.entity == "Sight" {
        found[object] = sight(object)
      } else if objects[object] != nil || records[object] != nil {
        found[object] = SyncEntry(values: objects[object], record: records[object] ?? SyncRecord())
      }
    }
    return found
  }

  private func sight(_ object: SyncObjectID) -> SyncEntry? {
    let record = records[object]
    guard let values = sights[object] else {
      return record.map {
        SyncEntry(values: $0.version == nil ? nil : $0.base, record: $0, presence: .away)
      }
    }
    let edited = values == Simulation.sightDefaults ? nil : values
    guard let record else { return edited.map { SyncEntry(values: $0) } }
    return SyncEntry(
      values: edited, record: record,
      presence: recordedRows[object] == rows[object] ? .here : .back)
  }

  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) -> SyncValues? {
    Simulation.complete(values, of: object.entity, over: known)
  }

  func value(ofKey key: String, in object: SyncObjectID, property: String) -> SyncValue? {
    .text(key)
  }

  func dependents(of object: SyncObjectID) -> [SyncObjectID] { [] }

  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [SyncObjectID: SyncObstacle] { Simulation.obstacles(to: values, in: objects) }

  func unseen(in epoch: Int64, entities: [String]?) -> [SyncObjectID] {
    records.filter { object, record in
      (record.version != nil || record.held != nil) && record.epoch < epoch
        && entities?.contains(object.entity) ?? true
    }.keys.sorted()
  }

  func progress() -> SyncProgress? { storedProgress }
  func inFlight() -> [SyncInFlight] { storedInFlight }
  func owed() -> [SyncObjectID] { records.filter(\.value.isOwed).keys.sorted() }
  func parked() -> [SyncObjectID: SyncParking] { records.compactMapValues(\.parking) }

  func commit(_ writes: SyncWrites, at position: Int64) throws {
    guard position == last, (storedProgress?.revision ?? 0) + 1 == writes.progress.revision else {
      throw SyncStale()
    }
    try onCommit(false, writes)
    for (old, new) in writes.renames {
      objects[new] = objects.removeValue(forKey: old)
      records[new] = records.removeValue(forKey: old)
    }
    for (object, values) in writes.values { set(object, values) }
    for (object, record) in writes.records {
      let isNew = records.updateValue(record, forKey: object) == nil
      if isNew || rows[object] == nil || writes.rejoined.contains(object) {
        recordedRows[object] = rows[object]
      }
      if record.isEmpty { records[object] = nil }
    }
    if let inFlight = writes.inFlight { storedInFlight = inFlight }
    resolutions += writes.resolutions
    storedProgress = writes.progress
    if !writes.values.isEmpty || !writes.renames.isEmpty {
      history.append(
        Transaction(number: last + 1, isEngines: true, objects: writes.values.map(\.object)))
    }
    try onCommit(true, writes)
  }
}

/// A server's store in memory.
final class SimulatedServerStore: SyncServerStorage {
  private(set) var objects: [SyncObjectID: SyncValues] = [:]
  private(set) var entries: [SyncObjectID: SyncServerEntry] = [:]
  private var departures: [(object: SyncObjectID, scope: String?, version: Int64)] = []
  private var answers: [String: SyncOutcome] = [:]
  private var storedProgress: SyncServerProgress?
  private var edits: [(transaction: Int64, objects: [SyncObjectID])] = []
  var onCommit: (_ isDone: Bool, SyncServerWrites) throws -> Void = { _, _ in }

  /// Saves what somebody did on the server itself.
  func save(_ changes: [SyncObjectID: SyncValues?]) {
    for (object, values) in changes { objects[object] = values }
    edits.append((position() + 1, changes.keys.sorted()))
  }

  /// Forgets tombstones, and with them cursors from before.
  func forgetTombstones() {
    guard var progress = storedProgress else { return }
    for (object, _) in entries where objects[object] == nil { entries[object] = nil }
    progress.forgotten = progress.version
    storedProgress = progress
  }

  func position() -> Int64 { edits.last?.transaction ?? 0 }

  func edits(after number: Int64) -> [(transaction: Int64, objects: [SyncObjectID])] {
    edits.filter { $0.transaction > number }
  }

  func allObjects() -> [SyncObjectID] { Set(objects.keys).union(entries.keys).sorted() }

  func load(_ wanted: [SyncObjectID]) -> [SyncObjectID: SyncServerEntry] {
    var found: [SyncObjectID: SyncServerEntry] = [:]
    for object in wanted where objects[object] != nil || entries[object] != nil {
      var entry = entries[object] ?? SyncServerEntry()
      entry.values = objects[object]
      found[object] = entry
    }
    return found
  }

  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) -> SyncValues? {
    Simulation.complete(values, of: object.entity, over: known)
  }

  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [SyncObjectID: SyncObstacle] { Simulation.obstacles(to: values, in: objects) }

  func remembered(_ changes: [String], client: String) -> [String: SyncOutcome] {
    var found: [String: SyncOutcome] = [:]
    for change in changes { found[change] = answers["\(client) \(change)"] }
    return found
  }

  func changes(
    after version: Int64, scope: String?, limit: Int
  ) -> (changes: [SyncRemote], through: Int64, hasMore: Bool) {
    var all = entries.compactMap { object, entry -> SyncRemote? in
      guard let number = entry.version, number > version,
        entry.scope == nil || entry.scope == scope
      else { return nil }
      return SyncRemote(object: object, version: number, values: objects[object])
    }
    for departure in departures where departure.version > version {
      guard departure.scope == nil || departure.scope == scope,
        entries[departure.object]?.scope != scope, entries[departure.object]?.scope != nil
      else { continue }
      all.append(SyncRemote(object: departure.object, version: departure.version, values: nil))
    }
    all.sort { ($0.version, $0.object) < ($1.version, $1.object) }
    guard all.count > limit else { return (all, all.last?.version ?? version, false) }
    let through = all[limit - 1].version
    let page = all.filter { $0.version <= through }
    return (page, through, page.count < all.count)
  }

  func progress() -> SyncServerProgress? { storedProgress }

  func commit(_ writes: SyncServerWrites, at position: Int64) throws {
    guard position == self.position(),
      (storedProgress?.revision ?? 0) + 1 == writes.progress.revision
    else { throw SyncStale() }
    try onCommit(false, writes)
    for (object, values) in writes.values { objects[object] = values }
    for (object, entry) in writes.entries { entries[object] = entry }
    departures += writes.departures
    for (client, change, outcome) in writes.answers { answers["\(client) \(change)"] = outcome }
    storedProgress = writes.progress
    try onCommit(true, writes)
  }
}
