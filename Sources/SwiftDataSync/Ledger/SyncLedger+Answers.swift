import Foundation

extension SyncLedger {
  /// Takes what the server said to changes in flight.
  ///
  /// - Parameters:
  ///   - outcomes: By the changes' ids. Changes without one stay in flight.
  ///   - now: By the local clock.
  /// - Returns: The conflicts that were decided.
  package func acknowledge(
    _ outcomes: [String: SyncOutcome], now: Date
  ) throws -> [SyncResolution] {
    try perform { draft in
      let answered = draft.inFlight.filter { outcomes[$0.change.id] != nil }
      guard !answered.isEmpty else { return [] }
      draft.inFlight.removeAll { outcomes[$0.change.id] != nil }
      var entries = try storage.load(answered.map(\.change.object))
      var renames: [SyncObjectID: SyncObjectID] = [:]
      var released: [SyncObjectID] = []
      for item in answered {
        let object = item.change.object
        var entry = entries[object] ?? SyncEntry()
        switch outcomes[item.change.id] {
        case .accepted(let version, let key, let values):
          entry.record.parking = nil
          draft.writes.progress.lastPush[object.entity] = now
          try accept(item, version, values, &entry, &draft)
          mark(object, entry, agreed: now, &draft)
          // What the server had before this change says nothing more.
          if let held = entry.record.held, held.version <= version { entry.record.held = nil }
          if let key, key != object.key {
            renames[object] = SyncObjectID(object.entity, key)
          }
          if entry.record.version != nil { released.append(object) }
        case .conflict(let remote):
          var remote = remote
          remote.object = object
          entry.record.parking = nil
          try take(remote, &entry, &draft, now: now)
          mark(object, entry, agreed: now, &draft)
        case .rejected(let rejection):
          park(item, .rejected(rejection), isUncertain: false, now, &entry, &draft)
        case nil: break
        }
        try takeHeld(object, &entry, &draft, now: now)
        entries[object] = entry
        draft.writes.records[object] = entry.record
      }
      try mindObstacles(&draft, now: now)
      draft.writes.date(now)
      try release(waitingFor: Set(released), &draft)
      try rename(renames, &draft, now: now)
      return draft.writes.resolutions
    }
  }

  /// Sets changes in flight aside that the server can't cope with.
  package func park(_ changes: [String], _ reason: SyncParking.Reason, now: Date) throws {
    try perform { draft in
      let items = draft.inFlight.filter { changes.contains($0.change.id) }
      draft.inFlight.removeAll { changes.contains($0.change.id) }
      let entries = try storage.load(items.map(\.change.object))
      for item in items {
        let object = item.change.object
        var entry = entries[object] ?? SyncEntry()
        let isUncertain = uncertain.contains(item.change.id)
        park(item, reason, isUncertain: isUncertain, now, &entry, &draft)
        if !isUncertain { try takeHeld(object, &entry, &draft, now: now) }
        draft.writes.records[object] = entry.record
      }
    }
  }

  /// Takes changes in flight back that never reached the server: what their objects have become is sent instead.
  package func withdraw(_ changes: [String]) throws {
    try perform { draft in
      let items = draft.inFlight.filter {
        changes.contains($0.change.id) && !uncertain.contains($0.change.id)
      }
      guard !items.isEmpty else { return }
      draft.inFlight.removeAll { items.contains($0) }
      let entries = try storage.load(items.map(\.change.object))
      for item in items {
        let object = item.change.object
        var record = entries[object]?.record ?? SyncRecord()
        // The history may not say any more that it is to be sent.
        record.isOwed = true
        draft.writes.records[object] = record
        draft.pending.note([object], in: draft.position)
      }
    }
  }

  /// Sends changes that were set aside again.
  ///
  /// - Parameter objects: Those of these objects; nil for all.
  package func retryParked(_ objects: Set<SyncObjectID>? = nil) throws {
    try perform { draft in
      let parked = try storage.parked().keys.filter { objects?.contains($0) ?? true }
      for (object, entry) in try storage.load(Array(parked)) {
        var record = entry.record
        record.isOwed = true
        draft.writes.records[object] = record
        draft.pending.note([object], in: draft.position)
      }
    }
  }

  // MARK: One outcome

  private func accept(
    _ item: SyncInFlight, _ version: Int64, _ values: SyncValues?, _ entry: inout SyncEntry,
    _ draft: inout Draft
  ) throws {
    let object = item.change.object
    // Of a row that isn't here nobody wants anything else.
    if entry.presence == .away { entry.values = item.change.values }
    guard let pushed = item.change.values else {
      entry.record = SyncRecord(isOwed: entry.values != nil, held: entry.record.held)
      if entry.presence == .back { rejoin(object, &entry, &draft) }
      return note(object, entry, through: item.through, &draft)
    }
    var agreed = pushed
    if let values, let complete = try storage.complete(values, of: object, over: pushed) {
      // What the server made of it is an edit of its own upon what was pushed.
      agreed = complete
      if entry.presence != .back {
        draft.taken[object] = Taken(
          remote: SyncRemote(object: object, version: version, values: complete),
          before: SyncEntry(
            values: entry.values,
            record: SyncRecord(version: version, base: pushed, epoch: entry.record.epoch)))
        adopt(
          merge(object, base: pushed, local: entry.values, remote: complete), object, &entry,
          &draft)
      }
    }
    // Not seen by a comparison that is under way: the answer may be an old one, given again.
    entry.record = SyncRecord(
      version: version, base: schema.withoutDefaults(agreed, of: object.entity),
      held: entry.record.held, epoch: entry.record.epoch)
    if entry.presence == .back { rejoin(object, &entry, &draft) }
    note(object, entry, through: item.through, &draft)
    entry.record.isOwed = entry.isEdited
  }

  private func park(
    _ item: SyncInFlight, _ reason: SyncParking.Reason, isUncertain: Bool, _ now: Date,
    _ entry: inout SyncEntry, _ draft: inout Draft
  ) {
    entry.record.parking = SyncParking(
      reason: reason, date: now, change: item.change, isUncertain: isUncertain)
    entry.record.isOwed = false
    // Edited since: what it has become is another attempt.
    if entry.values == item.change.values {
      draft.pending.settle(item.change.object)
    } else {
      entry.record.isOwed = true
      draft.pending.advance(item.change.object, beyond: item.through)
    }
  }

  /// Takes what was kept back, now that it is known what became of the change.
  private func takeHeld(
    _ object: SyncObjectID, _ entry: inout SyncEntry, _ draft: inout Draft, now: Date
  ) throws {
    guard let held = entry.record.held else { return }
    entry.record.held = nil
    guard held.version > entry.record.version ?? 0 else { return }
    try take(held, &entry, &draft, now: now)
  }

  /// Leaves an object pending only when it still differs.
  private func note(
    _ object: SyncObjectID, _ entry: SyncEntry, through: Int64, _ draft: inout Draft
  ) {
    if entry.isEdited {
      draft.pending.note([object], in: draft.position)
      draft.pending.advance(object, beyond: through)
    } else {
      draft.pending.settle(object)
    }
  }

  /// Lets the changes go on that waited for parents.
  private func release(waitingFor parents: Set<SyncObjectID>, _ draft: inout Draft) throws {
    guard !parents.isEmpty else { return }
    for (object, parking) in try storage.parked() {
      guard case .waits(let parent) = parking.reason, parents.contains(parent),
        draft.writes.records[object] == nil, let entry = try storage.load([object])[object]
      else { continue }
      var record = entry.record
      record.parking = nil
      record.isOwed = true
      draft.writes.records[object] = record
      draft.pending.note([object], in: draft.position)
    }
  }
}
