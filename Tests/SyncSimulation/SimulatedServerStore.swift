import SwiftDataSync

/// A server's store in memory.
final class SimulatedServerStore: SyncServerStorage {
  /// All that a backup of the store has.
  struct Contents {
    fileprivate(set) var objects: [SyncObjectID: SyncValues] = [:]
    fileprivate(set) var entries: [SyncObjectID: SyncServerEntry] = [:]
    fileprivate var departures: [(object: SyncObjectID, scope: String?, version: Int64)] = []
    fileprivate var answers: [String: SyncOutcome] = [:]
    fileprivate var progress: SyncServerProgress?
    fileprivate var skippedVersions: [ClosedRange<Int64>] = []
    fileprivate var claim = SyncServerClaim()
    fileprivate var edits: [(transaction: Int64, objects: [SyncObjectID])] = []
    fileprivate(set) var photos: [SyncObjectID: [UInt8]] = [:]
  }

  /// The contents; setting them restores a backup.
  var contents = Contents()
  var objects: [SyncObjectID: SyncValues] { contents.objects }
  var photos: [SyncObjectID: [UInt8]] { contents.photos }
  /// Received attachments that no object has yet.
  let sent = SimulatedFolder()
  var onCommit: (_ isDone: Bool, SyncServerWrites) throws -> Void = { _, _ in }

  /// Saves changes made on the server itself.
  func save(_ changes: [SyncObjectID: SyncValues?]) {
    for (object, values) in changes { contents.objects[object] = values }
    contents.edits.append((position() + 1, changes.keys.sorted()))
  }

  /// Removes tombstones, which makes older cursors expire.
  func forgetTombstones() {
    guard var progress = contents.progress else { return }
    for (object, _) in contents.entries where contents.objects[object] == nil {
      contents.entries[object] = nil
    }
    progress.forgotten = progress.version
    contents.progress = progress
  }

  func position() -> Int64 { contents.edits.last?.transaction ?? 0 }

  /// - Parameter limit: The number of transactions; two at most, so that there are several portions.
  func edits(
    after number: Int64, limit: Int
  ) -> (edits: [(transaction: Int64, objects: [SyncObjectID])], through: Int64?) {
    let all = contents.edits.filter { $0.transaction > number }
    let part = Array(all.prefix(min(limit, 2)))
    return (part, part.count < all.count ? part.last?.transaction : nil)
  }

  func allObjects() -> [SyncObjectID] {
    Set(contents.objects.keys).union(contents.entries.keys).sorted()
  }

  func load(_ wanted: [SyncObjectID]) -> [SyncObjectID: SyncServerEntry] {
    var found: [SyncObjectID: SyncServerEntry] = [:]
    for object in wanted where contents.objects[object] != nil || contents.entries[object] != nil {
      var entry = contents.entries[object] ?? SyncServerEntry()
      entry.values = contents.objects[object]
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
  ) -> [SyncObjectID: SyncObstacle] {
    var obstacles = Simulation.obstacles(to: values, in: contents.objects)
    var after = objects
    for (object, values) in values { after[object] = values }
    for (object, values) in values where obstacles[object] == nil {
      guard let place = values?["place"]?.text, contents.objects[object]?["place"] != .text(place),
        Simulation.destination("Place", place, in: after) == nil
      else { continue }
      obstacles[object] = .missing(SyncObjectID("Place", place))
    }
    return obstacles
  }

  func remembered(_ changes: [String], client: String) -> [String: SyncOutcome] {
    var found: [String: SyncOutcome] = [:]
    for change in changes { found[change] = contents.answers["\(client) \(change)"] }
    return found
  }

  func changes(
    after version: Int64, scope: String?, limit: Int
  ) -> (changes: [SyncRemote], through: Int64, hasMore: Bool) {
    var all = contents.entries.compactMap { object, entry -> SyncRemote? in
      guard let number = entry.version, number > version,
        entry.scope == nil || entry.scope == scope
      else { return nil }
      return SyncRemote(object: object, version: number, values: contents.objects[object])
    }
    for departure in contents.departures where departure.version > version {
      guard departure.scope == nil || departure.scope == scope,
        contents.entries[departure.object]?.scope != scope,
        contents.entries[departure.object]?.scope != nil
      else { continue }
      all.append(SyncRemote(object: departure.object, version: departure.version, values: nil))
    }
    all.sort { ($0.version, $0.object) < ($1.version, $1.object) }
    guard all.count > limit else { return (all, all.last?.version ?? version, false) }
    let through = all[limit - 1].version
    let page = all.filter { $0.version <= through }
    return (page, through, page.count < all.count)
  }

  func progress() -> SyncServerProgress? { contents.progress }
  func claim() -> SyncServerClaim { contents.claim }
  func skippedVersions() -> [ClosedRange<Int64>] { contents.skippedVersions }

  func commit(_ writes: SyncServerWrites, at position: Int64?) throws {
    guard position ?? self.position() == self.position(),
      (contents.progress?.revision ?? 0) + 1 == writes.progress.revision
    else { throw SyncStale() }
    try onCommit(false, writes)
    for (object, values) in writes.values {
      if let attachment = SimulatedPhotos.attachment(values) {
        if contents.objects[object]?["photo"] != attachment.value {
          guard let bytes = sent.bytes(of: attachment) else { throw MissingBytes(object: object) }
          contents.photos[object] = bytes
        }
      } else {
        contents.photos[object] = nil
      }
      contents.objects[object] = values
    }
    for (object, entry) in writes.entries { contents.entries[object] = entry }
    contents.departures += writes.departures
    for (client, change, outcome) in writes.answers {
      contents.answers["\(client) \(change)"] = outcome
    }
    if let skipped = writes.skipped { contents.skippedVersions.append(skipped) }
    if let claim = writes.claim { contents.claim = claim }
    contents.progress = writes.progress
    try onCommit(true, writes)
  }
}

extension SimulatedServerStore {
  func isStored(_ reference: SyncAttachmentReference) -> Bool {
    objects[reference.object]?["photo"] == reference.attachment.value
  }

  /// Returns whether the bytes of all changes that aren't answered yet have been received.
  func receives(_ changes: [SyncChange], client: String) -> Bool {
    changes.allSatisfy { change in
      guard let attachment = SimulatedPhotos.attachment(change.values) else { return true }
      return sent.has(attachment) || isStored(.init(change.object, "photo", attachment))
        || contents.answers["\(client) \(change.id)"] != nil
    }
  }

  /// Removes received attachments that an object has now.
  func release(_ changes: [SyncChange], _ outcomes: [String: SyncOutcome]) {
    for change in changes {
      guard case .accepted = outcomes[change.id] else { continue }
      if let attachment = SimulatedPhotos.attachment(change.values) { sent.remove(attachment) }
    }
  }
}
