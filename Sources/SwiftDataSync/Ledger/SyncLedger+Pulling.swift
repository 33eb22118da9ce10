import Foundation

extension SyncLedger {
  /// Takes a page of the server's changes, with its cursor, in one transaction. Local edits that the server doesn't
  /// have stay.
  ///
  /// - Returns: The conflicts that were decided.
  package func apply(_ page: SyncPage, now: Date) throws -> [SyncResolution] {
    try perform { draft in
      var entries = try storage.load(page.changes.map(\.object))
      for remote in page.changes {
        var entry = entries[remote.object] ?? SyncEntry()
        let isNew = entry.record.version.map { remote.version > $0 } ?? true
        if isNew || progress.isComparing {
          try take(remote, &entry, &draft, now: now)
        }
        entry.record.epoch = progress.epoch
        entries[remote.object] = entry
        draft.writes.records[remote.object] = entry.record
      }
      if case .full(let entities) = page.coverage, !page.hasMore {
        try dropUnseen(
          entities, seen: Set(page.changes.lazy.filter { $0.values != nil }.map(\.object)), &draft,
          now: now)
      }
      draft.writes.progress.cursor = page.cursor
      if !page.hasMore {
        draft.writes.progress.isComparing = false
        draft.writes.progress.lastPull = now
      }
      return draft.writes.resolutions
    }
  }

  /// Begins to fetch everything anew: the server's cursor is worth nothing any more.
  package func beginComparison() throws {
    try perform { draft in
      draft.writes.progress.cursor = nil
      draft.writes.progress.epoch += 1
      draft.writes.progress.isComparing = true
    }
  }

  /// What is under way has an answer to come, which says whether the page has it already.
  private func isUnderWay(_ object: SyncObjectID, _ draft: Draft) -> Bool {
    draft.inFlight.contains { $0.change.object == object }
  }

  private func dropUnseen(
    _ entities: [String]?, seen: Set<SyncObjectID>, _ draft: inout Draft, now: Date
  ) throws {
    let unseen = try storage.unseen(in: progress.epoch, entities: entities)
      .filter { !seen.contains($0) }
    for (object, entry) in try storage.load(unseen).sorted(by: { $0.key < $1.key }) {
      var entry = entry
      try take(
        SyncRemote(object: object, version: .max, values: nil), &entry, &draft, now: now)
      draft.writes.records[object] = entry.record
    }
  }

  /// Brings an object of the server's together with the local one.
  func take(
    _ remote: SyncRemote, _ entry: inout SyncEntry, _ draft: inout Draft, now: Date
  ) throws {
    let object = remote.object
    if isUnderWay(object, draft) || entry.record.parking?.isUncertain ?? false {
      entry.record.held = remote
      return
    }
    var values: SyncValues?
    if let given = remote.values {
      guard
        let complete = try storage.complete(
          given, of: object, over: entry.record.base ?? entry.values)
      else {
        // What the store can't hold stays as it was; the parking says why.
        entry.record.parking = SyncParking(
          reason: .unreadable, date: now, change: nil)
        return
      }
      values = complete
    }
    let merged = ThreeWayMerge.merge(
      object, base: entry.record.base, local: entry.values, remote: values,
      policy: schema.policy(of: object.entity))
    adopt(merged, object, &entry, &draft)
    let parking = entry.record.parking
    let ancestor = merged.values == nil ? nil : entry.record.base
    entry.record = SyncRecord(
      version: values == nil ? nil : remote.version, base: values ?? ancestor,
      epoch: progress.epoch)
    guard entry.isEdited else {
      draft.pending.settle(object)
      return
    }
    if let parking, parking.change?.values == entry.values, !parking.isUncertain {
      entry.record.parking = parking
    } else {
      entry.record.isOwed = true
      draft.pending.note([object], in: draft.position)
    }
  }

  /// Writes what a merge made of an object.
  func adopt(
    _ merged: ThreeWayMerge.Result, _ object: SyncObjectID, _ entry: inout SyncEntry,
    _ draft: inout Draft
  ) {
    if merged.values != entry.values {
      draft.writes.values.append((object, merged.values))
      entry.values = merged.values
    }
    if let resolution = merged.resolution { draft.writes.resolutions.append(resolution) }
  }
}
