import SwiftDataSync

/// The process was killed: only uncommitted changes are lost.
struct Killed: Error {}

/// The data of a replica that survives a kill.
package protocol ReplicaStore: AnyObject {
  var storage: any SyncStorage { get }
  var objects: [SyncObjectID: SyncValues] { get }
  /// Called before and after a commit of the engine; throws to kill it there.
  var onCommit: (_ isDone: Bool, SyncWrites) throws -> Void { get set }
  /// Saves the changes of a user immediately.
  func save(_ changes: [SyncObjectID: SyncValues?])
  /// Returns the values that both sides last agreed on.
  func base(of object: SyncObjectID) -> SyncValues?

  /// The objects whose rows are imported; they aren't in ``objects``.
  var sights: [SyncObjectID: SyncValues] { get }
  /// Imports or removes such a row.
  func setSight(_ object: SyncObjectID, isThere: Bool)
  /// The number of objects that are marked as edited.
  var markedCount: Int { get }

  /// The folder for attachments in transfer.
  var folder: any AttachmentKeeper { get }
  /// The number of complete attachments in the folder.
  var attachmentCount: Int { get throws }
  func references(in change: SyncChange) -> [SyncAttachmentReference]
  /// Returns the attachments that are needed to store received changes.
  func wantedAttachments(for remotes: [SyncRemote]) throws -> [SyncAttachmentReference]
  /// Removes the attachments that are no longer needed.
  func sweepAttachments() throws
  /// Returns a portion of a model's bytes; nil when the model has other bytes.
  func portion(
    of reference: SyncAttachmentReference, from offset: Int, length: Int
  ) throws -> [UInt8]?
}

/// A store in memory with a history, which survives a kill.
package final class SimulatedStore: SyncStorage, ReplicaStore {
  package init() {}

  package struct Transaction {
    var number: Int64
    var isEngines: Bool
    var objects: [SyncObjectID]
  }

  package private(set) var objects: [SyncObjectID: SyncValues] = [:]
  package private(set) var sights: [SyncObjectID: SyncValues] = [:]
  /// The bytes of objects, as received.
  private var photos: [SyncObjectID: [UInt8]] = [:]
  private let kept = SimulatedFolder()
  /// The rows of ``sights``, and the rows in their records.
  private var rows: [SyncObjectID: Int] = [:]
  private var recordedRows: [SyncObjectID: Int] = [:]
  private var lastRow = 0
  package private(set) var history: [Transaction] = []
  package private(set) var records: [SyncObjectID: SyncRecord] = [:]
  package private(set) var resolutions: [SyncResolution] = []
  private var storedInFlight: [SyncInFlight] = []
  private var storedProgress: SyncProgress?
  /// The number of the last transaction that was deleted from the history.
  package var forgotten: Int64 = 0
  package var onCommit: (_ isDone: Bool, SyncWrites) throws -> Void = { _, _ in }

  package var storage: any SyncStorage { self }
  package func base(of object: SyncObjectID) -> SyncValues? { records[object]?.base }

  // MARK: Edits of the user

  package func save(_ changes: [SyncObjectID: SyncValues?]) {
    for (object, values) in changes {
      set(object, values)
      photos[object] = SimulatedPhotos.data(values?["photo"]).map { [UInt8]($0) }
    }
    history.append(
      Transaction(number: last + 1, isEngines: false, objects: changes.keys.sorted()))
  }

  package func setSight(_ object: SyncObjectID, isThere: Bool) {
    lastRow += 1
    sights[object] = isThere ? Simulation.sightDefaults : nil
    rows[object] = isThere ? lastRow : nil
    history.append(Transaction(number: last + 1, isEngines: false, objects: [object]))
  }

  package var markedCount: Int { 0 }

  private func set(_ object: SyncObjectID, _ values: SyncValues?) {
    if object.entity != "Sight" {
      objects[object] = values
    } else if rows[object] != nil {
      sights[object] = values ?? Simulation.sightDefaults
    }
  }

  private var last: Int64 { history.last?.number ?? 0 }

  // MARK: SyncStorage

  package func position() -> Int64 { last }

  package func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])]
  {
    guard number >= forgotten else { throw SyncHistoryExpired() }
    return history.filter { $0.number > number && !$0.isEngines }.map { ($0.number, $0.objects) }
  }

  package func allObjects() -> [SyncObjectID] {
    Set(objects.keys).union(sights.keys).union(records.keys).sorted()
  }

  package func load(_ wanted: [SyncObjectID]) -> [SyncObjectID: SyncEntry] {
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

  package func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) -> SyncValues? {
    Simulation.complete(values, of: object.entity, over: known)
  }

  package func value(ofKey key: String, in object: SyncObjectID, property: String) -> SyncValue? {
    .text(key)
  }

  package func dependents(
    of objects: [SyncObjectID], after values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [SyncObjectID: Set<SyncObjectID>] { [:] }

  package func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [SyncObjectID: SyncObstacle] {
    var obstacles = Simulation.obstacles(to: values, in: objects)
    for reference in missing(values) where obstacles[reference.object] == nil {
      obstacles[reference.object] = .attachments(properties: ["photo"])
    }
    return obstacles
  }

  package func unseen(in epoch: Int64, entities: [String]?) -> [SyncObjectID] {
    records.filter { object, record in
      (record.version != nil || record.deferred != nil) && record.epoch < epoch
        && entities?.contains(object.entity) ?? true
    }.keys.sorted()
  }

  package func hasVersions(in ranges: [ClosedRange<Int64>]) -> Bool {
    records.values.contains { record in
      record.version.map { version in ranges.contains { $0.contains(version) } } ?? false
    }
  }

  package func progress() -> SyncProgress? { storedProgress }
  package func inFlight() -> [SyncInFlight] { storedInFlight }
  package func pendingObjects() -> [SyncObjectID] {
    records.filter(\.value.isPending).keys.sorted()
  }
  package func quarantined() -> [SyncObjectID: SyncQuarantine] {
    var found: [SyncObjectID: SyncQuarantine] = [:]
    for (object, record) in records where record.quarantine != nil {
      found[object] = record.quarantine
    }
    return found
  }

  package func commit(_ writes: SyncWrites, at position: Int64) throws {
    guard position == last, (storedProgress?.revision ?? 0) + 1 == writes.progress.revision else {
      throw SyncStale()
    }
    let sent = try attachments(of: writes.inFlight)
    let arrived = try writes.values.map { ($0.object, try bytes(of: $0.object, $0.values)) }
    try onCommit(false, writes)
    for (attachment, bytes) in sent { kept.keep(bytes, as: attachment) }
    for (old, new) in writes.renames {
      photos[new] = photos.removeValue(forKey: old)
      objects[new] = objects.removeValue(forKey: old)
      records[new] = records.removeValue(forKey: old)
    }
    for (object, values) in writes.values { set(object, values) }
    for (object, bytes) in arrived { photos[object] = bytes }
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

extension SimulatedStore {
  package var folder: any AttachmentKeeper { kept }
  package var attachmentCount: Int { kept.count }

  package func references(in change: SyncChange) -> [SyncAttachmentReference] {
    reference(change.object, change.values).map { [$0] } ?? []
  }

  private func reference(
    _ object: SyncObjectID, _ values: SyncValues?
  ) -> SyncAttachmentReference? {
    SimulatedPhotos.attachment(values).map { SyncAttachmentReference(object, "photo", $0) }
  }

  private func missing(
    _ values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [SyncAttachmentReference] {
    values.compactMap { reference($0.object, $0.values) }
      .filter { !kept.has($0.attachment) && objects[$0.object]?["photo"] != $0.attachment.value }
  }

  package func wantedAttachments(for remotes: [SyncRemote]) -> [SyncAttachmentReference] {
    var wanted = remotes.map { (object: $0.object, values: $0.values) }
    let waiting = records.filter { _, record in
      if case .attachments = record.quarantine?.reason { true } else { false }
    }
    for (object, record) in waiting.sorted(by: { $0.key < $1.key }) {
      wanted.append((object, record.deferred?.values))
    }
    return missing(wanted)
  }

  package func portion(
    of reference: SyncAttachmentReference, from offset: Int, length: Int
  ) -> [UInt8]? {
    guard objects[reference.object]?["photo"] == reference.attachment.value else { return nil }
    return photos[reference.object].map { Array($0.dropFirst(offset).prefix(length)) }
  }

  package func sweepAttachments() {
    guard kept.count > 0 else { return }
    var wanted = storedInFlight.map(\.change.values)
    for record in records.values {
      wanted += [record.quarantine?.change?.values, record.deferred?.values]
    }
    kept.sweep(keeping: Set(wanted.compactMap(SimulatedPhotos.attachment)))
  }

  /// Returns the bytes to send; the object may have been edited meanwhile.
  private func attachments(of inFlight: [SyncInFlight]?) throws -> [SyncAttachment: [UInt8]] {
    var found: [SyncAttachment: [UInt8]] = [:]
    let known = Set(storedInFlight.map(\.change.id))
    for change in (inFlight ?? []).map(\.change) where !known.contains(change.id) {
      guard let attachment = SimulatedPhotos.attachment(change.values), !kept.has(attachment),
        records[change.object]?.base?["photo"] != attachment.value
      else { continue }
      guard objects[change.object]?["photo"] == attachment.value, let bytes = photos[change.object]
      else { throw SyncStale() }
      found[attachment] = bytes
    }
    return found
  }

  /// Returns the required bytes of an object, which must have been received.
  private func bytes(of object: SyncObjectID, _ values: SyncValues?) throws -> [UInt8]? {
    guard let attachment = SimulatedPhotos.attachment(values) else { return nil }
    if let bytes = kept.bytes(of: attachment) { return bytes }
    guard objects[object]?["photo"] == attachment.value, let bytes = photos[object] else {
      throw MissingBytes(object: object)
    }
    return bytes
  }

  /// Objects whose bytes don't match their values.
  package var damagedPhotos: [SyncObjectID] {
    objects.filter { object, values in
      values["photo"] ?? .null != photos[object].flatMap { SimulatedPhotos.value($0) } ?? .null
    }.keys.sorted()
  }
}

/// An object would be stored without its bytes.
struct MissingBytes: Error {
  let object: SyncObjectID
}
