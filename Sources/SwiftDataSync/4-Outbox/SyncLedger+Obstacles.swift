import Foundation

/// Handles changes of the server that can't be stored because of local objects: they are deferred in the record and
/// tried again.
extension SyncLedger {
  /// Applies deferred changes that can be stored now.
  func retryObstacles(now: Date) throws {
    guard try storage.quarantined().contains(where: { $0.value.reason.isObstacle }) else { return }
    try perform { draft in
      try takeObstructed(&draft, now: now)
      try mindObstacles(&draft, now: now)
    }
  }

  /// Applies deferred changes; ``mindObstacles(_:now:)`` defers those that still can't be stored.
  func takeObstructed(_ draft: inout Draft, now: Date) throws {
    let quarantined = try storage.quarantined().filter { object, quarantine in
      quarantine.reason.isObstacle && draft.writes.records[object] == nil
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
      for (object, obstacle) in obstacles.sorted(by: { $0.key < $1.key }) {
        deferChange(object, obstacle, &draft, now)
      }
    }
  }

  private func deferChange(
    _ object: SyncObjectID, _ obstacle: SyncObstacle, _ draft: inout Draft, _ now: Date
  ) {
    guard let taken = draft.taken.removeValue(forKey: object) else { return }
    draft.writes.values.removeAll { $0.object == object }
    draft.writes.resolutions.removeAll { resolution in
      resolution.conflict.object == object || taken.dependents[resolution.conflict.object] != nil
    }
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
      var record = record
      record.isPending = true
      draft.writes.records[dependent] = record
      draft.pending.note([dependent], in: draft.position)
    }
  }
}
