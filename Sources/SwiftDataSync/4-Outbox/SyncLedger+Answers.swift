import Foundation

extension SyncLedger {
  /// Applies the server's outcomes to changes in flight.
  ///
  /// - Parameters:
  ///   - outcomes: The outcomes by the IDs of the changes. Changes without an outcome stay in flight.
  ///   - now: The current date of the local clock.
  /// - Returns: The resolved conflicts.
  package func acknowledge(
    _ outcomes: [String: SyncOutcome], now: Date
  ) throws -> [SyncResolution] {
    try perform { draft in
      let answered = draft.inFlight.filter { outcomes[$0.change.id] != nil }
      guard !answered.isEmpty else { return [] }
      draft.inFlight.removeAll { outcomes[$0.change.id] != nil }
      draft.writes.progress.pushes &+= 1
      var entries = try storage.load(answered.map(\.change.object))
      var renames: [SyncObjectID: SyncObjectID] = [:]
      var released: [SyncObjectID] = []
      for item in answered {
        let object = item.change.object
        var entry = entries[object] ?? SyncEntry()
        let wasMissed = entry.record.epoch == SyncRecord.missed
        if wasMissed { entry.record.epoch = 0 }
        switch outcomes[item.change.id] {
        case .accepted(let version, let key, let values):
          entry.record.quarantine = nil
          draft.writes.progress.lastPush[object.entity] = now
          draft.writes.progress.newest = max(draft.writes.progress.newest, version)
          if item.change.values == nil { draft.writes.progress.deletions.insert(version) }
          try accept(item, version, values, &entry, &draft)
          mark(object, entry, agreed: now, &draft)
          // The server's state before this change is obsolete.
          if let deferred = entry.record.deferred,
            deferred.version < version || deferred.version == version && deferred.values != nil
          {
            entry.record.deferred = nil
          }
          if let key, key != object.key {
            renames[object] = SyncObjectID(object.entity, key)
          }
          if entry.record.version != nil { released.append(object) }
          // Only another comparison shows whether the server still has an object that is here.
          if wasMissed, entry.values != nil, !draft.writes.progress.isComparing {
            beginComparison(&draft)
          }
        case .conflict(let remote):
          var remote = remote
          remote.object = object
          entry.record.quarantine = nil
          try take(remote, &entry, &draft, now: now)
          mark(object, entry, agreed: now, &draft)
        case .rejected(let rejection):
          park(item, .rejected(rejection), isUncertain: false, now, &entry, &draft)
        case nil: break
        }
        try takeDeferred(object, &entry, &draft, now: now)
        entries[object] = entry
        draft.writes.records[object] = entry.record
      }
      try mindObstacles(&draft, now: now)
      try forgetCascaded(&draft)
      draft.writes.date(now)
      try release(waitingFor: Set(released), &draft)
      try rename(renames, &draft, now: now)
      return draft.writes.resolutions
    }
  }

  /// Parks changes in flight that the server can't process.
  package func park(_ changes: [String], _ reason: SyncQuarantine.Reason, now: Date) throws {
    try perform { draft in
      let items = draft.inFlight.filter { changes.contains($0.change.id) }
      draft.inFlight.removeAll { changes.contains($0.change.id) }
      let entries = try storage.load(items.map(\.change.object))
      for item in items {
        let object = item.change.object
        var entry = entries[object] ?? SyncEntry()
        let isUncertain = uncertain.contains(item.change.id)
        park(item, reason, isUncertain: isUncertain, now, &entry, &draft)
        if !isUncertain { try takeDeferred(object, &entry, &draft, now: now) }
        draft.writes.records[object] = entry.record
      }
    }
  }

  /// Withdraws changes in flight that never reached the server: the current values of their objects are sent instead.
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
        // The history may no longer show that the object has to be sent.
        record.isPending = true
        draft.writes.records[object] = record
        draft.pending.note([object], in: draft.position)
      }
    }
  }

  /// Sends quarantined changes again.
  ///
  /// - Parameter objects: The objects whose changes are sent; nil for all.
  package func retryQuarantined(_ objects: Set<SyncObjectID>? = nil) throws {
    try perform { draft in
      let quarantined = try storage.quarantineReasons().keys.filter {
        objects?.contains($0) ?? true
      }
      for (object, entry) in try storage.load(Array(quarantined)) {
        var record = entry.record
        record.isPending = true
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
    // A row that doesn't exist locally can't have further edits.
    if entry.presence == .away { entry.values = item.change.values }
    guard let pushed = item.change.values else {
      entry.record = SyncRecord(isPending: entry.values != nil, deferred: entry.record.deferred)
      if entry.presence == .back { rejoin(object, &entry, &draft) }
      return note(object, entry, through: item.through, &draft)
    }
    var agreed = pushed
    if let values, let complete = try storage.complete(values, of: object, over: pushed) {
      // The server's modification is an edit of its own, based on the pushed values.
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
    // The object doesn't count as seen by a comparison in progress: the response may be a repeated old one.
    entry.record = SyncRecord(
      version: version, base: schema.withoutDefaults(agreed, of: object.entity),
      deferred: entry.record.deferred, epoch: entry.record.epoch)
    if entry.presence == .back { rejoin(object, &entry, &draft) }
    note(object, entry, through: item.through, &draft)
    entry.record.isPending = entry.isEdited
  }

  private func park(
    _ item: SyncInFlight, _ reason: SyncQuarantine.Reason, isUncertain: Bool, _ now: Date,
    _ entry: inout SyncEntry, _ draft: inout Draft
  ) {
    entry.record.quarantine = SyncQuarantine(
      reason: reason, date: now, change: item.change, isUncertain: isUncertain)
    entry.record.isPending = false
    // The object was edited in the meantime: its current values are another attempt.
    if entry.isSent(by: item.change) {
      draft.pending.settle(item.change.object)
    } else {
      entry.record.isPending = true
      draft.pending.advance(item.change.object, beyond: item.through)
    }
  }

  /// Applies the deferred change of the server, because the outcome of the local change is known now.
  private func takeDeferred(
    _ object: SyncObjectID, _ entry: inout SyncEntry, _ draft: inout Draft, now: Date
  ) throws {
    guard let deferred = entry.record.deferred else { return }
    entry.record.deferred = nil
    let known = entry.record.version ?? 0
    // A push may write an object and delete it with another one.
    let isNew = deferred.version > known || deferred.version == known && deferred.values == nil
    guard isNew || isLost(entry, to: deferred) else { return }
    try take(deferred, &entry, &draft, now: now)
  }

  /// Keeps an object pending only if it still differs.
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

  /// Releases changes that waited for parents.
  private func release(waitingFor parents: Set<SyncObjectID>, _ draft: inout Draft) throws {
    guard !parents.isEmpty else { return }
    let waiting = try storage.quarantineReasons().filter { object, reason in
      guard case .waits(let parent) = reason else { return false }
      return parents.contains(parent) && draft.writes.records[object] == nil
    }
    guard !waiting.isEmpty else { return }
    for (object, entry) in try storage.load(Array(waiting.keys)) {
      var record = entry.record
      record.quarantine = nil
      record.isPending = true
      draft.writes.records[object] = record
      draft.pending.note([object], in: draft.position)
    }
  }
}
