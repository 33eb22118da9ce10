import Foundation

extension SyncLedger {
  /// Applies a page of the server's changes and its cursor in one transaction. Local edits that the server doesn't have
  /// are kept.
  ///
  /// - Returns: The resolved conflicts.
  package func apply(_ page: SyncPage, now: Date) throws -> [SyncResolution] {
    try apply(storage.incoming(page), now: now)
  }

  /// Applies a page that was partly processed ahead.
  ///
  /// A page that another engine on the same store has overtaken changes nothing, nor does one of all objects that may
  /// lack changes which another engine has sent meanwhile: these would count as deleted by the server.
  package func apply(_ incoming: SyncIncoming, now: Date) throws -> [SyncResolution] {
    let page = incoming.page
    let repeated = repeatedPages
    return try perform { draft in
      lastNews = 0
      repeatedPages = 0
      let isOvertaken = incoming.request?.isOvertaken(draft.writes.progress) ?? false
      let isBehind = incoming.request.map { $0.pushes != draft.writes.progress.pushes } ?? false
      (lastPageIsOutdated, lastPageIsOvertaken) = (isOvertaken, isOvertaken || isBehind)
      if isOvertaken { return [] }
      if isBehind, page.coverage != .delta || draft.writes.progress.isComparing {
        lastPageIsOutdated = repeated < Self.maximumRepeatedPages
        guard !lastPageIsOutdated else {
          repeatedPages = repeated + 1
          return []
        }
        return try applyNews(of: incoming, &draft, now: now)
      }
      // A server without cursors sends all of its objects every time.
      if page.coverage != .delta, !progress.isComparing {
        draft.writes.progress.epoch &+= 1
        draft.writes.progress.isComparing = true
      }
      let isComparing = draft.writes.progress.isComparing
      try take(
        incoming, of: page, isComparing: isComparing, epoch: draft.writes.progress.epoch, &draft,
        now: now)
      if case .full(let entities) = page.coverage, !page.hasMore {
        try dropUnseen(
          entities, of: page,
          seen: Set(page.changes.lazy.filter { $0.values != nil }.map(\.object)), &draft, now: now)
        if !draft.restored.isEmpty { try retryRejected(&draft) }
      }
      try takeObstructed(&draft, now: now)
      try mindObstacles(&draft, now: now)
      draft.writes.progress.cursor = page.cursor
      if !page.hasMore {
        draft.writes.progress.isComparing = false
        draft.writes.progress.isCatchingUp = false
        draft.writes.progress.isRefetching = false
        draft.writes.progress.lastPull = now
      }
      if try missesCascaded(page, &draft) {
        beginComparison(&draft)
        lastPageIsOutdated = true
      }
      // The versions of changes that were sent after the request are beyond the page's.
      if try !isBehind && holdsLost(page, &draft, isCompared: isComparing) {
        beginComparison(&draft)
        lastPageIsOutdated = true
      }
      draft.writes.date(now)
      return draft.writes.resolutions
    }
  }

  /// Applies the newer states of a page that may lack changes which another engine has sent meanwhile, and nothing that
  /// it shows by what it lacks; the next page comes from the same cursor. The objects don't count as seen by a
  /// comparison, which goes on: the other engine may have deleted them.
  private func applyNews(
    of incoming: SyncIncoming, _ draft: inout Draft, now: Date
  ) throws -> [SyncResolution] {
    var incoming = incoming
    // Objects that are written as they arrive have the comparison's number.
    incoming.arrivals = nil
    var page = incoming.page
    (page.version, page.skippedVersions) = (nil, [])
    try take(incoming, of: page, isComparing: false, epoch: nil, &draft, now: now)
    try mindObstacles(&draft, now: now)
    try forgetCascaded(&draft)
    lastPageIsOutdated =
      draft.writes.progress.isComparing || draft.writes.progress.isCatchingUp
    draft.writes.date(now)
    return draft.writes.resolutions
  }

  /// - Parameter epoch: The number of the comparison that sees the objects; nil for none.
  private func take(
    _ incoming: SyncIncoming, of page: SyncPage, isComparing: Bool, epoch: Int64?,
    _ draft: inout Draft, now: Date
  ) throws {
    let changes = Self.deletionsLast(try takeNewObjects(incoming, &draft))
    lastNews = page.changes.count - changes.count
    for part in Self.parts(of: changes) {
      try take(part, of: page, isComparing: isComparing, epoch, &draft, now: now)
    }
  }

  /// The maximum number of objects of a page that are in memory with their entries.
  private static let portion = 1_000

  /// Orders changes so that objects that leave a deleted one have left it before it is deleted. The changes of a page
  /// that contains an object twice stay in their order.
  private static func deletionsLast(_ changes: [SyncRemote]) -> [SyncRemote] {
    guard changes.contains(where: { $0.values == nil }),
      Set(changes.lazy.map(\.object)).count == changes.count
    else { return changes }
    return changes.filter { $0.values != nil } + changes.filter { $0.values == nil }
  }

  /// Divides a page into parts that have no object in common; a page that contains an object twice is one part.
  private static func parts(of changes: [SyncRemote]) -> [ArraySlice<SyncRemote>] {
    guard changes.count > portion, Set(changes.lazy.map(\.object)).count == changes.count else {
      return [changes[...]]
    }
    return stride(from: 0, to: changes.count, by: portion).map {
      changes[$0..<min($0 + portion, changes.count)]
    }
  }

  private func take(
    _ changes: ArraySlice<SyncRemote>, of page: SyncPage, isComparing: Bool, _ epoch: Int64?,
    _ draft: inout Draft, now: Date
  ) throws {
    var entries = try storage.load(changes.map(\.object))
    var areDependentsRead = false
    for remote in changes {
      if remote.values == nil, !areDependentsRead {
        areDependentsRead = true
        try readDependents(of: changes.filter { $0.values == nil }.map(\.object), entries, &draft)
      }
      var remote = remote
      let object = remote.object
      var entry = entries[object] ?? SyncEntry()
      remote.skipped = entry.record.version.flatMap(page.skipped)
      // A push may write an object and delete it with another one: then both have the push's version.
      let isNew =
        entry.record.version.map {
          remote.version > $0 || remote.version == $0 && remote.values == nil
        } ?? true
      if isNew || epoch.map({ $0 != entry.record.epoch }) ?? false { lastNews += 1 }
      if isNew || isComparing {
        let before = entry.record
        let written = draft.writes.values.count
        try take(remote, &entry, &draft, now: now)
        if (before.version, before.base) != (entry.record.version, entry.record.base) {
          mark(object, entry, agreed: now, &draft)
        }
        // A change that writes no values can't meet an obstacle.
        if draft.writes.values.count == written,
          draft.taken[object]?.dependents.isEmpty ?? false
        {
          draft.taken[object] = nil
        }
      }
      if let epoch { entry.record.epoch = epoch }
      entries[object] = entry
      draft.writes.records[object] = entry.record
    }
  }

  /// Starts to fetch everything again, because the server's cursor is no longer valid.
  package func beginComparison() throws {
    try perform { draft in beginComparison(&draft) }
  }

  /// Lets the next pull fetch everything again, as a part of an operation.
  func beginComparison(_ draft: inout Draft) {
    draft.writes.progress.cursor = nil
    draft.writes.progress.epoch &+= 1
    draft.writes.progress.isComparing = true
    if draft.writes.progress.hasCascaded { draft.writes.progress.isRefetching = true }
    draft.writes.progress.hasCascaded = false
    draft.cascaded = []
  }

  /// Whether a change of the object is in flight: its response will show whether the page already contains it.
  private func isUnderWay(_ object: SyncObjectID, _ draft: Draft) -> Bool {
    draft.inFlight.contains { $0.change.object == object }
  }

  private func dropUnseen(
    _ entities: [String]?, of page: SyncPage, seen: Set<SyncObjectID>, _ draft: inout Draft,
    now: Date
  ) throws {
    let unseen = try storage.unseen(in: draft.writes.progress.epoch, entities: entities)
      .filter { !seen.contains($0) }
    let entries = try storage.load(unseen)
    try readDependents(of: unseen, entries, &draft)
    for (object, entry) in entries.sorted(by: { $0.key < $1.key }) {
      var entry = entry
      var remote = SyncRemote(object: object, version: .max, values: nil)
      remote.skipped = entry.record.version.flatMap(page.skipped)
      try take(remote, &entry, &draft, now: now)
      draft.writes.records[object] = entry.record
    }
    try markMissed(entities, seen: seen, &draft)
  }

  /// Marks the objects that the server never confirmed and that the comparison hasn't seen, although the server may
  /// have stored a change of theirs.
  private func markMissed(
    _ entities: [String]?, seen: Set<SyncObjectID>, _ draft: inout Draft
  ) throws {
    var doubtful = draft.inFlight.map(\.change).filter { uncertain.contains($0.id) }
    doubtful += try storage.quarantined().values.filter(\.isUncertain).compactMap(\.change)
    let objects = Set(doubtful.lazy.filter { $0.values != nil }.map(\.object)).filter {
      !seen.contains($0) && entities?.contains($0.entity) ?? true
    }
    guard !objects.isEmpty else { return }
    let entries = try storage.load(objects.sorted())
    for object in objects {
      var record = draft.writes.records[object] ?? entries[object]?.record ?? SyncRecord()
      guard record.version == nil, record.deferred == nil,
        record.epoch < draft.writes.progress.epoch
      else { continue }
      record.epoch = SyncRecord.missed
      draft.writes.records[object] = record
    }
  }

  /// Merges the server's version of an object with the local one.
  func take(
    _ remote: SyncRemote, _ entry: inout SyncEntry, _ draft: inout Draft, now: Date
  ) throws {
    let object = remote.object
    if isUnderWay(object, draft) || entry.record.quarantine?.isUncertain ?? false {
      entry.record.deferred = remote
      return
    }
    // A version of the app that synchronizes the class again finds out in a comparison.
    if remote.values == nil, !isSynchronized(object), entry.record.version != nil { return }
    var values: SyncValues?
    if let given = remote.values {
      guard
        let complete = try storage.complete(
          given, of: object, over: entry.record.base ?? entry.values)
      else {
        // Values that the store can't hold leave the object unchanged; the quarantine states the reason.
        entry.record.quarantine = SyncQuarantine(
          reason: .unreadable, date: now, change: nil)
        return
      }
      values = schema.withoutDefaults(complete, of: object.entity)
    }
    draft.taken[object] = Taken(
      remote: remote, before: draft.taken[object]?.before ?? entry,
      stored: draft.taken[object]?.stored)
    // Only agreed values are kept of a row that isn't here: they can't become an edit.
    if isLost(entry, to: remote), entry.presence != .away {
      forgetLost(remote, values, &entry, &draft)
    }
    let base = entry.presence == .back ? nil : entry.record.base
    var merged = merge(object, base: base, local: entry.values, remote: values)
    if merged.values == nil, entry.values != nil {
      merged = try mindingDependents(merged, object, entry, &draft)
    }
    adopt(merged, object, &entry, &draft)
    let quarantine = entry.record.quarantine
    // The quarantined change is to be tried again, which a page that was requested before mustn't prevent.
    let isRetried = quarantine != nil && entry.record.isPending
    let isAnnotated = schema.defaults[object.entity] != nil
    let ancestor = merged.values == nil || isAnnotated ? nil : entry.record.base
    if entry.presence == .back {
      entry.presence = .here
      draft.writes.rejoined.insert(object)
    }
    // Only pages show that a comparison has seen an object: a conflict may be older than the comparison's first page.
    entry.record = SyncRecord(
      version: remote.values == nil ? nil : remote.version, base: values ?? ancestor,
      epoch: entry.record.epoch)
    guard entry.isEdited else {
      draft.pending.settle(object)
      return
    }
    if let quarantine, isSame(quarantine, entry), !quarantine.isUncertain {
      entry.record.quarantine = quarantine
      guard isRetried else { return }
    }
    entry.record.isPending = true
    draft.pending.note([object], in: transaction(of: object, draft))
  }

  /// Treats a deletion by the server that would also delete local edits as a conflict of its own: either the object is
  /// kept together with the edits, or both are deleted and the loss is recorded.
  private func mindingDependents(
    _ merged: ThreeWayMerge.Result, _ object: SyncObjectID, _ entry: SyncEntry,
    _ draft: inout Draft
  ) throws -> ThreeWayMerge.Result {
    if draft.dependentEdits[object] == nil {
      try readDependents(of: [object], [object: entry], &draft)
    }
    guard let dependents = draft.dependentEdits[object], !dependents.isEmpty else { return merged }
    let gone = Set(draft.writes.values.lazy.filter { $0.values == nil }.map(\.object))
    let edited = dependents.filter { !gone.contains($0.key) }
    guard !edited.isEmpty else { return merged }
    let conflict = SyncConflict(
      object: object, base: entry.record.base, local: entry.values, remote: nil, properties: [])
    let decision = ThreeWayMerge.decide(conflict, schema.policy(of: object.entity))
    guard decision == .server else {
      var kept = entry.values
      if case .values(let values) = decision { kept = values }
      return ThreeWayMerge.Result(
        values: kept,
        resolution: SyncResolution(conflict: conflict, decision: decision, result: kept))
    }
    for (dependent, lost) in edited.sorted(by: { $0.key < $1.key }) {
      draft.writes.resolutions.append(
        SyncResolution(
          conflict: SyncConflict(
            object: dependent, base: lost.record.base, local: lost.values, remote: nil,
            properties: []),
          decision: .server, result: nil))
      let record = draft.givenUp[dependent] ?? restorable(dependent, lost.record, draft)
      draft.givenUp[dependent] = record
      draft.taken[object]?.dependents[dependent] = record
      draft.writes.records[dependent] = SyncRecord()
      draft.pending.settle(dependent)
    }
    return merged
  }

  /// Returns the record that an edited object gets back when the deletion that includes it is deferred. An edit that is
  /// quarantined isn't sent again for that reason.
  private func restorable(
    _ object: SyncObjectID, _ stored: SyncRecord, _ draft: Draft
  ) -> SyncRecord {
    var record = draft.writes.records[object] ?? stored
    if record.quarantine == nil || draft.pending.contains(object) { record.isPending = true }
    return record
  }

  /// Looks up the edited objects that delete rules would delete together with objects that exist, after the writes so
  /// far.
  func readDependents(
    of objects: [SyncObjectID], _ entries: [SyncObjectID: SyncEntry], _ draft: inout Draft
  ) throws {
    let present = objects.filter { entries[$0]?.values != nil }
    guard !present.isEmpty else { return }
    let dependents = try storage.dependents(of: present, after: draft.writes.values)
    let edited = try storage.load(Array(Set(dependents.values.joined()))).filter {
      $0.value.values != nil && $0.value.isEdited
    }
    for object in present {
      draft.dependentEdits[object] = edited.filter { dependents[object]?.contains($0.key) ?? false }
    }
  }

  /// Writes the result of a merge.
  func adopt(
    _ merged: ThreeWayMerge.Result, _ object: SyncObjectID, _ entry: inout SyncEntry,
    _ draft: inout Draft
  ) {
    if merged.values != entry.values {
      if entry.presence != .away { draft.writes.values.append((object, merged.values)) }
      entry.values = merged.values
    }
    if let resolution = merged.resolution { draft.writes.resolutions.append(resolution) }
  }
}
