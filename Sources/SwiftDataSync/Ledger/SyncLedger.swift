import Foundation

/// The books of a store that is kept equal to a server's: what is pending, what is under way, what both last agreed on.
///
/// It decides, and its storage writes: each operation is one transaction, so a crash leaves either the state before it
/// or the state after it. Neither time nor chance is made here.
package final class SyncLedger {
  package let storage: any SyncStorage
  package let schema: SyncSchema
  package private(set) var progress: SyncProgress
  package internal(set) var inFlight: [SyncInFlight] = []
  var pending = PendingEdits()
  private var scanned: Int64 = 0
  /// The changes in flight that may have been sent before, without an answer.
  package internal(set) var uncertain: Set<String> = []
  /// The objects that say that they have edits.
  private(set) var marked: Set<SyncObjectID> = []
  /// How many objects the last operation gave other values.
  private(set) var lastReceived = 0
  /// How many objects of the last page were in a state that hadn't been seen.
  package internal(set) var lastNews = 0
  /// What is put in flight together has about so many bytes of attachments.
  package var maximumWeight = SyncAttachmentLimits().batchByteCount
  /// So often an operation is begun again because somebody saved meanwhile.
  private static let maximumAttempts = 1_000

  /// - Parameter client: Names the store when it has no name yet.
  package init(_ storage: any SyncStorage, _ schema: SyncSchema, client: String) throws {
    self.storage = storage
    self.schema = schema
    // What a store had before it was first kept equal is news to the server too.
    progress = try storage.progress() ?? SyncProgress(client: client, acknowledged: 0)
    try reload()
  }

  /// Objects that may differ from what the server has, with those under way and without the parked ones.
  package var pendingCount: Int {
    pending.count + inFlight.count { !pending.contains($0.change.object) }
  }

  package var hasPending: Bool { !pending.isEmpty || !inFlight.isEmpty }

  /// What is in flight, as a machine knows it.
  package var sendable: [SyncMachine.Item] {
    inFlight.map { SyncMachine.Item(id: $0.change.id, unit: $0.unit) }
  }

  package var pendingObjects: Set<SyncObjectID> {
    Set(pending.objects).union(inFlight.map(\.change.object))
  }

  package func isPending(_ object: SyncObjectID) -> Bool { pending.contains(object) }

  /// An attempt to send changes had no answer.
  package func noteUnanswered(_ changes: [String]) { uncertain.formUnion(changes) }

  // MARK: Reading the history

  /// Forgets what was read and reads it again.
  func reload() throws {
    if let stored = try storage.progress() { progress = stored }
    inFlight = try storage.inFlight()
    // Another process, or another engine, may have sent them.
    uncertain.formUnion(inFlight.map(\.change.id))
    pending = PendingEdits()
    scanned = progress.acknowledged
    for object in try storage.owed() { pending.note([object], in: scanned + 1) }
    try scan()
  }

  /// Takes note of what others have saved.
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
      // The way back: every object is compared with what the server is known to have.
      try compareAll(in: position)
    }
    scanned = position
    return position
  }

  private func compareAll(in transaction: Int64) throws {
    let all = try storage.allObjects()
    for start in stride(from: 0, to: all.count, by: 1_000) {
      for (object, entry) in try storage.load(Array(all[start..<min(start + 1_000, all.count)]))
      where (entry.isEdited || entry.presence == .back) && entry.record.parking == nil {
        pending.note([object], in: transaction)
      }
    }
  }

  // MARK: Committing

  /// What an operation has read and is going to write.
  struct Draft {
    var writes: SyncWrites
    let position: Int64
    var pending: PendingEdits
    var inFlight: [SyncInFlight]
    /// What was taken from the server, to be kept back again when it can't be stored.
    var taken: [SyncObjectID: Taken] = [:]
  }

  /// The server's news of an object, and how it was without them.
  struct Taken {
    var remote: SyncRemote
    let before: SyncEntry
    /// The record in the store.
    var stored: SyncRecord?
    /// What a deletion would take along, as it was.
    var dependents: [SyncObjectID: SyncRecord] = [:]
  }

  /// Carries out an operation; again from the start when somebody has saved meanwhile.
  func perform<Result>(_ body: (inout Draft) throws -> Result) throws -> Result {
    var attempts = 0
    while true {
      let position = try scan()
      var draft = Draft(
        writes: SyncWrites(progress), position: position, pending: pending, inFlight: inFlight)
      do {
        let result = try body(&draft)
        draft.writes.progress.acknowledged = acknowledged(draft)
        if draft.inFlight != inFlight { draft.writes.inFlight = draft.inFlight }
        if isNeeded(draft.writes) {
          try storage.commit(draft.writes, at: position)
          progress = draft.writes.progress
          for (object, mark) in draft.writes.marks {
            if mark.hasEdits { marked.insert(object) } else { marked.remove(object) }
          }
        }
        pending = draft.pending
        inFlight = draft.inFlight
        lastReceived = draft.writes.values.count + (draft.writes.arrivals?.count ?? 0)
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
    return unchanged != writes.progress || !writes.values.isEmpty || writes.arrivals != nil
      || !writes.records.isEmpty
      || !writes.renames.isEmpty || !writes.marks.isEmpty || writes.inFlight != nil
      || !writes.resolutions.isEmpty
  }

  /// Up to where nothing is open. What is under way counts as pending until it is answered.
  private func acknowledged(_ draft: Draft) -> Int64 {
    max(progress.acknowledged, draft.pending.first.map { $0 - 1 } ?? draft.position)
  }
}
