import Foundation

extension SyncLedger {
  /// Puts the next edits in flight: complete saves, oldest first, parents before children, deletions last. Objects
  /// without a difference are settled.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of changes to send. Saves that don't fit are left for the next call; a single save
  ///     that is larger than the limit is divided.
  ///   - now: The date to record for changes that are quarantined because they wait for others.
  ///   - makeID: Creates an idempotency key.
  package func prepare(limit: Int, now: Date, makeID: () -> String) throws {
    guard inFlight.isEmpty else { return }
    try retryObstacles(now: now)
    try perform { draft in
      guard !isCatchingUp(draft) else { return }
      var choice = Choice()
      for number in draft.pending.groupNumbers {
        let count = draft.pending.count(of: number)
        if !choice.isEmpty, choice.count + count > limit { break }
        if count > limit {
          try takePart(of: number, limit, into: &choice, &draft, now)
        } else {
          try take(draft.pending.objects(of: number), into: &choice, &draft, now)
        }
        if choice.count >= limit || choice.weight > maximumWeight { break }
      }
      let units = units(choice, draft.pending)
      let ordered = ordered(choice, draft.pending)
      for (object, entry) in ordered.prefix(
        !choice.isWhole && Set(units.values).count == 1 ? limit : .max)
      {
        var record = entry.record
        let change = change(of: object, entry, makeID)
        mark(object, entry, &draft)
        // The record of an annotated class identifies the row that the change belongs to.
        let isAnnotated = schema.defaults[object.entity] != nil
        if record.quarantine != nil || record.isPending || isAnnotated {
          record.quarantine = nil
          record.isPending = isAnnotated
          draft.writes.records[object] = record
        }
        draft.inFlight.append(
          SyncInFlight(
            change: change, through: draft.position, unit: units[object] ?? draft.position))
      }
    }
  }

  /// Whether the values of properties that are new in this version of the app are still to be fetched.
  private func isCatchingUp(_ draft: Draft) -> Bool {
    let progress = draft.writes.progress
    // Another version of the app, on the same store, may wait for properties that this one doesn't send.
    return progress.isCatchingUp && progress.properties == schema.properties
  }

  /// The objects selected for sending.
  private struct Choice {
    var entries: [SyncObjectID: SyncEntry] = [:]
    var looked: Set<SyncObjectID> = []
    /// The group of which only a part is selected.
    var divided: Int64?
    /// Whether all objects are sent together, however many they are.
    var isWhole = false
    /// The approximate number of bytes of the new attachments.
    var weight = 0
    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
  }

  private func change(
    of object: SyncObjectID, _ entry: SyncEntry, _ makeID: () -> String
  ) -> SyncChange {
    let content: SyncChange.Content = entry.sent.map { .put($0) } ?? .delete
    if let quarantine = entry.record.quarantine, let quarantined = quarantine.change {
      if quarantine.isUncertain {
        uncertain.insert(quarantined.id)
        return quarantined
      }
      // A rejection is a response, which the server would only repeat.
      var isAnswered = false
      if case .rejected = quarantine.reason { isAnswered = true }
      if !isAnswered, quarantined.content == content,
        quarantined.baseVersion == entry.record.version
      {
        return quarantined
      }
    }
    return SyncChange(
      id: makeID(), object: object, content: content, baseVersion: entry.record.version)
  }

  /// Adds the objects that have to be sent, with the parents that they need.
  private func take(
    _ objects: [SyncObjectID], into choice: inout Choice, _ draft: inout Draft, _ now: Date
  ) throws {
    let new = objects.filter { choice.looked.insert($0).inserted && isSynchronized($0) }
    for object in objects where !isSynchronized(object) { draft.pending.settle(object) }
    let loaded = try storage.load(new)
    for object in new {
      var entry = loaded[object] ?? SyncEntry()
      if entry.presence == .back, !(entry.record.quarantine?.isUncertain ?? false) {
        rejoin(object, &entry, &draft)
      }
      guard entry.isEdited || entry.record.quarantine?.isUncertain ?? false else {
        settle(object, &entry, &draft)
        continue
      }
      if let quarantine = entry.record.quarantine, !entry.record.isPending,
        isSame(quarantine, entry)
      {
        draft.pending.settle(object)
        if entry.values != nil { draft.writes.settled.insert(object) }
        continue
      }
      if let parent = try missingParent(of: object, entry, &choice, &draft, now) {
        entry.record.quarantine = SyncQuarantine(
          reason: .waits(for: parent), date: now, change: nil)
        entry.record.isPending = false
        draft.writes.records[object] = entry.record
        draft.pending.settle(object)
        continue
      }
      choice.entries[object] = entry
      let weight = entry.values.map { SyncAttachment.weight(of: $0, beyond: entry.record.base) }
      let (sum, isBeyond) = choice.weight.addingReportingOverflow(weight ?? 0)
      choice.weight = isBeyond ? .max : sum
    }
  }

  /// The maximum number of times that parents of parents are loaded before the rest of a divided group is.
  private static let maximumAncestry = 8

  /// Adds as many objects of a large group as can be sent, in the order in which the whole group would be: parents
  /// first, and deletions when nothing else is left. Objects whose turn hasn't come aren't loaded.
  private func takePart(
    of group: Int64, _ limit: Int, into choice: inout Choice, _ draft: inout Draft, _ now: Date
  ) throws {
    draft.pending.divide(group, by: schema.rank)
    choice.divided = group
    var puts = 0
    var ancestors: Set<SyncObjectID> = []
    while puts < limit {
      var next = draft.pending.part(limit, without: choice.looked)
      guard !next.isEmpty else { break }
      var generation = 0
      while !next.isEmpty {
        guard generation <= Self.maximumAncestry else {
          return try take(draft.pending.objects(of: group), into: &choice, &draft, now)
        }
        try take(next, into: &choice, &draft, now)
        // The server can't take an object with a new key, which may have the former one's unique values, before that is
        // deleted, nor delete it before others have left it.
        let new = next.filter { choice.entries[$0].map { $0.record.version == nil } ?? false }
        if try storage.areRenamed(new) {
          choice.isWhole = true
          return try take(draft.pending.objects(of: group), into: &choice, &draft, now)
        }
        var parents: Set<SyncObjectID> = []
        for object in next {
          guard let entry = choice.entries[object] else { continue }
          guard let values = entry.values else {
            choice.entries[object] = nil
            choice.looked.remove(object)
            // A parent's place in the order comes later.
            if generation == 0 { draft.pending.noteDeleted(object) }
            continue
          }
          puts += 1
          parents.formUnion(schema.references(of: object.entity, in: values))
        }
        next = parents.filter { parent in
          draft.pending.group(of: parent) == group && !choice.looked.contains(parent)
            && !draft.pending.isDeleted(parent) && ancestors.insert(parent).inserted
        }.sorted()
        generation += 1
      }
    }
    var count = puts
    while count < limit {
      let next = draft.pending.deletions(limit - count, without: choice.looked)
      guard !next.isEmpty else { break }
      try take(next, into: &choice, &draft, now)
      count += next.count { choice.entries[$0] != nil }
    }
  }

  /// Whether the object still has the values with which it was quarantined.
  func isSame(_ quarantine: SyncQuarantine, _ entry: SyncEntry) -> Bool {
    quarantine.change.map { entry.isSent(by: $0) } ?? false
  }

  private func settle(_ object: SyncObjectID, _ entry: inout SyncEntry, _ draft: inout Draft) {
    draft.pending.settle(object)
    if entry.values != nil { draft.writes.settled.insert(object) }
    if marked.contains(object), entry.values != nil { mark(object, entry, &draft) }
    guard entry.record.quarantine != nil || entry.record.isPending else { return }
    entry.record.quarantine = nil
    entry.record.isPending = false
    draft.writes.records[object] = entry.record
  }

  /// Selects the parents that the server doesn't have yet.
  ///
  /// - Returns: A parent that is quarantined, so that the object has to wait.
  private func missingParent(
    of object: SyncObjectID, _ entry: SyncEntry, _ choice: inout Choice, _ draft: inout Draft,
    _ now: Date
  ) throws -> SyncObjectID? {
    guard let values = entry.values else { return nil }
    let parents = schema.references(of: object.entity, in: values).filter { $0 != object }
    guard !parents.isEmpty else { return nil }
    for (parent, known) in try storage.load(parents) where known.record.version == nil {
      if let group = draft.pending.group(of: parent), group != choice.divided,
        !choice.looked.contains(parent)
      {
        try take(draft.pending.objects(of: group), into: &choice, &draft, now)
      }
      if choice.entries[parent] == nil, !draft.pending.contains(parent),
        draft.writes.records[parent]?.quarantine != nil || known.record.quarantine != nil
      {
        return parent
      }
    }
    return nil
  }

  /// Groups the selected objects that can only be sent together: objects that were saved together, and parents that the
  /// server doesn't have with their children.
  private func units(_ choice: Choice, _ pending: PendingEdits) -> [SyncObjectID: Int64] {
    var joined: [Int64: Int64] = [:]
    func root(_ group: Int64) -> Int64 {
      var group = group
      while let next = joined[group] { group = next }
      return group
    }
    var groups: [SyncObjectID: Int64] = [:]
    for object in choice.entries.keys { groups[object] = pending.group(of: object) ?? 0 }
    for (object, entry) in choice.entries {
      guard let values = entry.values, let mine = groups[object] else { continue }
      for parent in schema.references(of: object.entity, in: values) {
        guard let known = choice.entries[parent], known.record.version == nil,
          let theirs = groups[parent]
        else { continue }
        let (left, right) = (root(mine), root(theirs))
        if left != right { joined[max(left, right)] = min(left, right) }
      }
    }
    return groups.mapValues(root)
  }

  // MARK: Order

  private func ordered(
    _ choice: Choice, _ pending: PendingEdits
  ) -> [(object: SyncObjectID, entry: SyncEntry)] {
    let sorted = choice.entries.map { object, entry in
      (
        rank: schema.rank(of: object.entity), first: pending.first(of: object), object: object,
        isPut: entry.values != nil
      )
    }.sorted { ($0.rank, $0.first, $0.object) < ($1.rank, $1.first, $1.object) }
    let puts = sorted.lazy.filter(\.isPut).map(\.object)
    let deletions = sorted.reversed().lazy.filter { !$0.isPut }.map(\.object)
    var sequence: [SyncObjectID] = []
    var visited: Set<SyncObjectID> = []
    // Uses an explicit stack: a chain of parents may be as long as the batch.
    for put in puts {
      var stack = [(put, false)]
      while let (object, isDone) = stack.popLast() {
        if isDone {
          sequence.append(object)
          continue
        }
        guard visited.insert(object).inserted, let values = choice.entries[object]?.values else {
          continue
        }
        stack.append((object, true))
        for parent in schema.references(of: object.entity, in: values).sorted()
        where choice.entries[parent]?.values != nil { stack.append((parent, false)) }
      }
    }
    return (sequence + deletions).map { ($0, choice.entries[$0] ?? SyncEntry()) }
  }
}
