import Foundation

/// Handles changes of the server that can't be stored because of local objects: they are deferred in the record and
/// tried again.
extension SyncLedger {
  /// A state of the store in which every deferred change met its obstacle again.
  struct FutileRetry {
    let position: Int64
    /// The revision of the progress, which other engines increase too.
    var revision: Int64
  }

  /// Applies deferred changes that can be stored now; nothing is tried again before anything has changed.
  func retryObstacles(now: Date) throws {
    if let futile, try futile.position == storage.position(), futile.revision == progress.revision,
      try storage.progress()?.revision == futile.revision
    {
      return
    }
    let reasons = try storage.quarantineReasons().values.filter(\.isObstacle)
    guard !reasons.isEmpty else { return }
    let (position, isFutile) = try perform { draft in
      try takeObstructed(&draft, now: now)
      try mindObstacles(&draft, now: now)
      try forgetCascaded(&draft)
      return (draft.position, !changesObjects(draft.writes))
    }
    // Attachments arrive without any change of the store.
    let needsAttachments = reasons.contains { if case .attachments = $0 { true } else { false } }
    if isFutile, !needsAttachments {
      futile = FutileRetry(position: position, revision: progress.revision)
    }
  }

  /// Whether deferred changes meet their obstacles again together with what an operation writes.
  private func isFutile(_ draft: Draft) -> Bool {
    guard let futile, !changesObjects(draft.writes) else { return false }
    return futile.position == draft.position && futile.revision == progress.revision
  }

  /// Applies deferred changes; ``mindObstacles(_:now:)`` defers those that still can't be stored.
  func takeObstructed(_ draft: inout Draft, now: Date) throws {
    guard !isFutile(draft) else { return }
    let quarantined = try storage.quarantineReasons().filter { object, reason in
      reason.isObstacle && draft.writes.records[object] == nil
    }
    guard !quarantined.isEmpty else { return }
    let entries = try storage.load(Array(quarantined.keys))
    let waiting = entries.filter { object, entry in
      entry.record.deferred != nil && !draft.inFlight.contains { $0.change.object == object }
    }.sorted { $0.key < $1.key }
    // As in a page, objects leave a deleted one before it is deleted.
    for (object, entry) in waiting where entry.record.deferred?.values != nil {
      try takeAgain(object, entry, &draft, now: now)
    }
    let removed = waiting.filter { $0.value.record.deferred?.values == nil }
    try readDependents(of: removed.map(\.key), entries, &draft)
    for (object, entry) in removed { try takeAgain(object, entry, &draft, now: now) }
  }

  private func takeAgain(
    _ object: SyncObjectID, _ entry: SyncEntry, _ draft: inout Draft, now: Date
  ) throws {
    guard let deferred = entry.record.deferred else { return }
    var entry = entry
    let stored = entry.record
    entry.record.deferred = nil
    entry.record.quarantine = nil
    try take(deferred, &entry, &draft, now: now)
    draft.taken[object]?.stored = stored
    draft.writes.records[object] = entry.record
  }

  /// Defers changes until all remaining ones can be stored.
  func mindObstacles(_ draft: inout Draft, now: Date) throws {
    while !draft.writes.values.isEmpty {
      let obstacles = try storage.obstacles(to: draft.writes.values)
        .merging(try deletionsOfWaiting(draft)) { first, _ in first }
        .filter { draft.taken[$0.key] != nil }
      guard !obstacles.isEmpty else { return }
      var deferred: Set<SyncObjectID> = []
      var undone: Set<SyncObjectID> = []
      for (object, obstacle) in obstacles.sorted(by: { $0.key < $1.key }) {
        guard let taken = draft.taken.removeValue(forKey: object) else { continue }
        deferred.insert(object)
        undone.insert(object)
        undone.formUnion(taken.dependents.keys)
        deferChange(object, taken, obstacle, &draft, now)
      }
      draft.writes.values.removeAll { deferred.contains($0.object) }
      draft.writes.resolutions.removeAll { undone.contains($0.conflict.object) }
    }
  }

  /// Returns the deletions that would delete objects whose states from the server wait: the server keeps these objects.
  private func deletionsOfWaiting(_ draft: Draft) throws -> [SyncObjectID: SyncObstacle] {
    let gone = Set(draft.writes.values.lazy.filter { $0.values == nil }.map(\.object))
    guard !gone.isEmpty else { return [:] }
    var known = Set(try storage.quarantineReasons().keys)
    known.formUnion(draft.inFlight.lazy.map(\.change.object))
    known.formUnion(draft.givenUp.keys)
    known.formUnion(draft.writes.records.lazy.filter { $0.value.deferred != nil }.map(\.key))
    guard !known.isEmpty || !draft.pending.isEmpty else { return [:] }
    let dependents = try storage.dependents(of: gone.sorted(), after: draft.writes.values)
    let reached = Set(dependents.values.joined()).subtracting(gone).filter {
      known.contains($0) || draft.pending.contains($0)
    }
    guard !reached.isEmpty else { return [:] }
    let entries = try storage.load(reached.sorted())
    let waiting = reached.filter { object in
      // The record of an object that was given up with the deletion is empty.
      let record =
        draft.givenUp[object] ?? draft.writes.records[object] ?? entries[object]?.record
      return record?.deferred?.values != nil
    }
    return dependents.compactMapValues { objects in
      objects.intersection(waiting).min().map { SyncObstacle.denied(by: $0) }
    }
  }

  private func deferChange(
    _ object: SyncObjectID, _ taken: Taken, _ obstacle: SyncObstacle, _ draft: inout Draft,
    _ now: Date
  ) {
    var record = taken.before.record
    record.deferred = taken.remote
    record.isPending = false
    record.epoch = draft.writes.records[object]?.epoch ?? record.epoch
    let known = [taken.stored, record].lazy.compactMap { $0?.quarantine }
      .first { $0.reason == obstacle.reason }
    record.quarantine = SyncQuarantine(
      reason: obstacle.reason, date: known?.date ?? now, change: known?.change)
    draft.writes.records[object] = record == taken.stored ? nil : record
    draft.pending.settle(object)
    for (dependent, record) in taken.dependents {
      let stored = draft.dependentEdits[object]?[dependent]?.record
      draft.writes.records[dependent] = record == stored ? nil : record
      if record.isPending { draft.pending.note([dependent], in: draft.position) }
    }
  }
}
