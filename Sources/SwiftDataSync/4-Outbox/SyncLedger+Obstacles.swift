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
    let removed = entries.filter { $0.value.record.deferred.map { $0.values == nil } ?? false }
    try readDependents(of: Array(removed.keys), entries, &draft)
    for (object, entry) in entries.sorted(by: { $0.key < $1.key }) {
      guard let deferred = entry.record.deferred,
        !draft.inFlight.contains(where: { $0.change.object == object })
      else { continue }
      var entry = entry
      let stored = entry.record
      entry.record.deferred = nil
      entry.record.quarantine = nil
      try take(deferred, &entry, &draft, now: now)
      draft.taken[object]?.stored = stored
      draft.writes.records[object] = entry.record
    }
  }

  /// Defers changes until all remaining ones can be stored.
  func mindObstacles(_ draft: inout Draft, now: Date) throws {
    while !draft.writes.values.isEmpty {
      let obstacles = try storage.obstacles(to: draft.writes.values)
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
