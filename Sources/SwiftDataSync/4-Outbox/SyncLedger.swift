import Foundation

/// The bookkeeping of a synchronized store: pending edits, changes in flight, and the base values on which both sides
/// last agreed.
///
/// It makes the decisions, and its storage writes them: each operation is one transaction, so a crash leaves either the
/// state before it or the state after it. Time and identifiers are passed in.
package final class SyncLedger {
  package let storage: any SyncStorage
  package let schema: SyncSchema
  package private(set) var progress: SyncProgress
  package internal(set) var inFlight: [SyncInFlight] = []
  var pending = PendingEdits()
  /// The objects that make ``SyncProgress/hasCascaded`` true, as far as this engine knows them.
  private var cascaded: Set<SyncObjectID> = []
  /// All objects that make ``SyncWrites/mayReturn`` true; empty when this engine doesn't know all of them.
  private var forgotten: Set<SyncObjectID> = []
  private var scanned: Int64 = 0
  /// Whether the stored progress was compared with the schema.
  var isSchemaNoted = false
  /// The IDs of changes in flight that may have been sent before without a response.
  package internal(set) var uncertain: Set<String> = []
  /// The objects that display edits.
  private(set) var marked: Set<SyncObjectID> = []
  /// The number of objects whose values the last operation changed.
  private(set) var lastReceived = 0
  /// The number of objects of the last page whose state was new.
  package internal(set) var lastNews = 0
  /// The number of objects that the last operation sends again because the server lost their states.
  package private(set) var lastRestored = 0
  /// Whether the pull is to be repeated: the last page changed nothing because another engine on the store exchanged
  /// something after its request, or it shows that the server may have lost states that are here.
  package internal(set) var lastPageIsOutdated = false
  /// Whether the last page came after exchanges of another engine.
  package internal(set) var lastPageIsOvertaken = false
  /// The number of consecutive pages that changed nothing because of pushes of another engine.
  var repeatedPages = 0
  /// The maximum number of such pages: an engine that always sends something mustn't keep the others from fetching.
  static let maximumRepeatedPages = 4
  /// The approximate maximum number of bytes of attachments that are put in flight together.
  package var maximumWeight = SyncAttachmentLimits().batchByteCount
  /// The last state in which no deferred change could be stored, see ``retryObstacles(now:)``.
  var futile: FutileRetry?
  /// The maximum number of attempts of an operation that restarts because of saves by other authors.
  private static let maximumAttempts = 1_000

  /// - Parameter client: The identifier of a store that has none yet.
  package init(_ storage: any SyncStorage, _ schema: SyncSchema, client: String) throws {
    self.storage = storage
    self.schema = schema
    // Objects that existed before the first synchronization are new to the server too.
    var new = SyncProgress(client: client, acknowledged: 0)
    new.properties = schema.properties.isEmpty ? nil : schema.properties
    progress = try storage.progress() ?? new
    try reload()
  }

  /// The number of objects that may differ from the server's, including those in flight and without the quarantined
  /// ones.
  package var pendingCount: Int {
    pending.count + inFlight.count { !pending.contains($0.change.object) }
  }

  package var hasPending: Bool { !pending.isEmpty || !inFlight.isEmpty }

  /// The changes in flight, in the form that the state machine uses.
  package var sendable: [SyncMachine.Item] {
    inFlight.map { SyncMachine.Item(id: $0.change.id, unit: $0.unit) }
  }

  package var pendingObjects: Set<SyncObjectID> {
    Set(pending.objects).union(inFlight.map(\.change.object))
  }

  package func isPending(_ object: SyncObjectID) -> Bool { pending.contains(object) }

  /// Records that an attempt to send changes got no response.
  package func noteUnanswered(_ changes: [String]) { uncertain.formUnion(changes) }

  // MARK: Reading history

  /// Discards the state in memory and reads it again.
  func reload() throws {
    futile = nil
    if let stored = try storage.progress() {
      // Objects that another engine has forgotten meanwhile aren't known here.
      if stored.revision != progress.revision { (cascaded, forgotten) = ([], []) }
      progress = stored
    }
    inFlight = try storage.inFlight()
    // Another process, or another engine, may have sent them.
    uncertain.formUnion(inFlight.map(\.change.id))
    pending = PendingEdits()
    // A transaction that the store doesn't have, as of a later state of it: edits after it would never be sent.
    if !(0...(try storage.position())).contains(progress.acknowledged) {
      progress.acknowledged = 0
    }
    scanned = progress.acknowledged
    for object in try storage.pendingObjects() { pending.note([object], in: scanned + 1) }
    try scan()
  }

  /// Returns the progress as it is in the store: another engine may have exchanged something.
  package func currentProgress() throws -> SyncProgress {
    if let stored = try storage.progress(), stored.revision != progress.revision { try reload() }
    return progress
  }

  /// Records the saves of other authors.
  ///
  /// - Returns: The number of the last transaction.
  @discardableResult
  package func scan() throws -> Int64 {
    let position = try storage.position()
    guard position != scanned else { return position }
    do {
      for edit in try storage.edits(after: scanned) where edit.transaction <= position {
        pending.note(try relevant(edit.objects), in: edit.transaction)
      }
    } catch is SyncHistoryExpired {
      // Fallback without history: every object is compared with the server's last known values. Their edits may be in
      // any transaction since; until all are sent, the acknowledged place stays, so that they are found again.
      try compareAll(in: scanned + 1)
    }
    scanned = position
    return position
  }

  private func compareAll(in transaction: Int64) throws {
    let all = try storage.allObjects().filter(isSynchronized)
    for start in stride(from: 0, to: all.count, by: 1_000) {
      for (object, entry) in try storage.load(Array(all[start..<min(start + 1_000, all.count)]))
      where (entry.isEdited || entry.presence == .back) && entry.record.quarantine == nil {
        pending.note([object], in: transaction)
      }
    }
  }

  /// Whether an object's class is synchronized. Another version of the app may have recorded objects of others, which
  /// have no values here although nobody deleted them.
  func isSynchronized(_ object: SyncObjectID) -> Bool { schema.entities[object.entity] != nil }

  // MARK: Committing

  /// The values that an operation has read and those that it is going to write.
  struct Draft {
    var writes: SyncWrites
    let position: Int64
    var pending: PendingEdits
    var inFlight: [SyncInFlight]
    /// The changes taken from the server, so that they can be deferred when they can't be stored.
    var taken: [SyncObjectID: Taken] = [:]
    /// The objects whose states the server lost, with their versions.
    var restored: [SyncObjectID: Int64] = [:]
    /// The edited objects that delete rules would delete together with an object, as far as they were looked up.
    var dependentEdits: [SyncObjectID: [SyncObjectID: SyncEntry]] = [:]
    /// The objects that were deleted here together with others; see ``SyncProgress/hasCascaded``.
    var cascaded: Set<SyncObjectID>
    /// The objects that may come back although they have no records; empty when not all of them are known.
    var forgotten: Set<SyncObjectID>
    /// The records of the edited objects that are deleted together with others, before it.
    var givenUp: [SyncObjectID: SyncRecord] = [:]
  }

  /// The server's change of an object, and the object's entry before it.
  struct Taken {
    var remote: SyncRemote
    let before: SyncEntry
    /// The record in the store.
    var stored: SyncRecord?
    /// The records of the objects that a deletion also deletes, before it.
    var dependents: [SyncObjectID: SyncRecord] = [:]
  }

  /// Performs an operation; restarts it when another author has saved in the meantime.
  func perform<Result>(_ body: (inout Draft) throws -> Result) throws -> Result {
    try noteSchema()
    var attempts = 0
    while true {
      let position = try scan()
      var draft = Draft(
        writes: SyncWrites(progress, forgotten: forgotten.isEmpty ? nil : forgotten),
        position: position, pending: pending, inFlight: inFlight, cascaded: cascaded,
        forgotten: forgotten)
      do {
        let result = try body(&draft)
        draft.writes.progress.acknowledged = acknowledged(draft)
        if draft.inFlight != inFlight { draft.writes.inFlight = draft.inFlight }
        if isNeeded(draft.writes) {
          try storage.commit(draft.writes, at: position)
          if futile?.revision == progress.revision, !changesObjects(draft.writes) {
            futile?.revision = draft.writes.progress.revision
          }
          progress = draft.writes.progress
          for (object, mark) in draft.writes.marks {
            if mark.hasEdits { marked.insert(object) } else { marked.remove(object) }
          }
        }
        pending = draft.pending
        inFlight = draft.inFlight
        cascaded = draft.cascaded
        forgotten = draft.forgotten
        lastReceived = draft.writes.values.count + (draft.writes.arrivals?.count ?? 0)
        lastRestored = draft.restored.count
        return result
      } catch is SyncStale {
        attempts += 1
        guard attempts < Self.maximumAttempts else { throw SyncError.busy }
        try reload()
      }
    }
  }

  private func isNeeded(_ writes: SyncWrites) -> Bool {
    var unchanged = progress
    unchanged.revision = writes.progress.revision
    return unchanged != writes.progress || changesObjects(writes) || !writes.settled.isEmpty
  }

  /// Whether writes concern more than the progress.
  func changesObjects(_ writes: SyncWrites) -> Bool {
    !writes.values.isEmpty || writes.arrivals != nil || !writes.records.isEmpty
      || !writes.renames.isEmpty || !writes.marks.isEmpty || writes.inFlight != nil
      || !writes.resolutions.isEmpty
  }

  /// The transaction up to which no edit is open. A change in flight counts as pending until its response.
  private func acknowledged(_ draft: Draft) -> Int64 {
    max(progress.acknowledged, draft.pending.first.map { $0 - 1 } ?? draft.position)
  }
}
