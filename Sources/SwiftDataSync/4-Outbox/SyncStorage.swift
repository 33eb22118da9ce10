import Foundation

/// The store operations that a ledger needs.
package protocol SyncStorage: AnyObject {
  /// Returns the number of the last transaction of any author.
  func position() throws -> Int64

  /// Returns the transactions of authors other than the engine after a number: their numbers and the objects that they
  /// changed, in order.
  ///
  /// - Throws: ``SyncHistoryExpired`` when some of them have been deleted.
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])]

  /// Returns the objects of all synchronized entities that exist or have a record: those that may differ from the
  /// server when the history is incomplete.
  func allObjects() throws -> [SyncObjectID]

  /// Returns the current values and the records of objects; an object that has neither is left out.
  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncEntry]

  /// Returns a page with the local names of its objects and with the processing that can be done ahead.
  func incoming(_ page: SyncPage) -> SyncIncoming

  /// Returns the objects of a page that are new locally and that nothing waits for or depends on: they are written as
  /// they arrive.
  ///
  /// - Returns: nil when there are none.
  func newObjects(_ incoming: SyncIncoming) throws -> SyncArrivals?

  /// Returns the local form of an object's name; other systems may write its key in a different case.
  func canonical(_ object: SyncObjectID) -> SyncObjectID

  /// Converts values from a server to the store's own form, with a value for each property.
  ///
  /// - Parameters:
  ///   - values: The server's values, perhaps incomplete.
  ///   - known: The values that replace missing ones, before the entity's defaults do.
  /// - Returns: nil when the values don't fit the entity.
  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues?

  /// Returns the value of a property that holds the key; nil when the key doesn't fit.
  func value(ofKey key: String, in object: SyncObjectID, property: String) -> SyncValue?

  /// Returns the objects that delete rules delete together with each of the objects.
  ///
  /// - Parameter values: The values that are stored together with the deletions.
  func dependents(
    of objects: [SyncObjectID], after values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: Set<SyncObjectID>]

  /// Returns the obstacles that prevent the writes from being stored together, by object.
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle]

  /// Returns the objects that the server had and that the full comparison `epoch` hasn't seen, of some entities or of
  /// all.
  func unseen(in epoch: Int64, entities: [String]?) throws -> [SyncObjectID]

  /// Whether any object has a version in one of the ranges.
  func hasVersions(in ranges: [ClosedRange<Int64>]) throws -> Bool

  /// Returns the base values of the object of an entity that has the lowest version, as they are stored.
  ///
  /// - Returns: nil when no object of the entity has base values.
  func firstAgreement(of entity: String) throws -> SyncValues?

  /// Whether the row of any of the objects was another object when its record was written, with which the object could
  /// collide.
  func areRenamed(_ objects: [SyncObjectID]) throws -> Bool

  func progress() throws -> SyncProgress?
  /// Returns the changes in flight in sending order.
  func inFlight() throws -> [SyncInFlight]
  /// Returns the objects whose records require them to be sent.
  func pendingObjects() throws -> [SyncObjectID]
  /// Returns the objects with quarantined changes.
  func quarantined() throws -> [SyncObjectID: SyncQuarantine]
  /// Returns the objects with quarantined changes, and only the reasons; asked for in every exchange.
  func quarantineReasons() throws -> [SyncObjectID: SyncQuarantine.Reason]

  /// Commits all writes in one transaction, or none.
  ///
  /// - Throws: ``SyncStale`` when there are transactions after `position`, or when another engine has committed since
  ///   the progress in `writes` was read.
  func commit(_ writes: SyncWrites, at position: Int64) throws
}

extension SyncStorage {
  package func canonical(_ object: SyncObjectID) -> SyncObjectID { object }

  package func firstAgreement(of entity: String) throws -> SyncValues? { nil }

  package func areRenamed(_ objects: [SyncObjectID]) throws -> Bool { false }

  package func quarantineReasons() throws -> [SyncObjectID: SyncQuarantine.Reason] {
    try quarantined().mapValues(\.reason)
  }
}

/// The known state of one object.
package struct SyncEntry: Hashable, Sendable {
  /// The values; nil when the object doesn't exist.
  package var values: SyncValues?
  package var record: SyncRecord
  package var presence: Presence
  /// The initial values of the properties, for those that weren't synchronized yet when both sides last agreed.
  package var initial: SyncValues

  /// The state of the row that an object of an annotated class belongs to.
  package enum Presence: Hashable, Sendable {
    /// The row is the same as when the record was written; always the case for other classes.
    case here
    /// The row doesn't exist: the values are those of the record, and nothing is written.
    case away
    /// The row was inserted after the record was written, with values of its own.
    case back
  }

  package init(
    values: SyncValues? = nil, record: SyncRecord = SyncRecord(), presence: Presence = .here,
    initial: SyncValues = [:]
  ) {
    self.values = values
    self.record = record
    self.presence = presence
    self.initial = initial
  }

  /// Whether the object differs from the server's last known values.
  package var isEdited: Bool {
    if presence == .back { return values != nil && !isAgreed }
    return record.version == nil ? values != nil : !isAgreed
  }

  private var isAgreed: Bool { values == record.base || values == agreed }

  /// The values on which both sides last agreed, with the initial values of the properties that weren't synchronized
  /// yet: an object that has these isn't edited.
  package var agreed: SyncValues? {
    guard let base = record.base, initial.contains(where: { base[$0.key] == nil }) else {
      return record.base
    }
    return base.merging(initial) { known, _ in known }
  }

  /// The values to send: without those of properties on which both sides have never agreed and that still have their
  /// initial value, because the server may have others.
  package var sent: SyncValues? {
    guard let values, record.version != nil, let base = record.base else { return values }
    let unknown = initial.filter { base[$0.key] == nil && values[$0.key] == $0.value }
    return unknown.isEmpty ? values : values.filter { unknown[$0.key] == nil }
  }

  /// Whether a change has the object's current values.
  package func isSent(by change: SyncChange) -> Bool {
    change.values == values || change.values == sent
  }
}

/// The sync state that an object displays.
package struct SyncMarking: Hashable, Sendable {
  package var hasEdits: Bool
  /// The time at which both sides came to agree; nil to keep the stored time.
  package var agreed: Date?
}

/// The writes of one operation of the ledger.
package struct SyncWrites {
  /// The new keys of objects, which are applied before all other writes.
  package var renames: [(from: SyncObjectID, to: SyncObjectID)] = []
  /// The values that objects are to have, in order; nil deletes the object.
  package var values: [(object: SyncObjectID, values: SyncValues?)] = []
  /// New objects of a page, with their records.
  package var arrivals: SyncArrivals?
  package var records: [SyncObjectID: SyncRecord] = [:]
  /// Objects whose edits led back to the values on which both sides agreed, perhaps in another row: it has to be
  /// recorded, so that a later deletion is recognized.
  package var settled: Set<SyncObjectID> = []
  /// Objects of annotated classes whose rows were inserted and now have the server's values.
  package var rejoined: Set<SyncObjectID> = []
  /// The sync states that objects will display.
  package var marks: [SyncObjectID: SyncMarking] = [:]
  /// All changes in flight, if they have changed.
  package var inFlight: [SyncInFlight]?
  package var resolutions: [SyncResolution] = []
  package var progress: SyncProgress
  /// Whether objects without records may have been here, so that references to them are restored.
  package var mayReturn: Bool
  /// These objects; nil when they aren't known.
  package var forgotten: Set<SyncObjectID>?

  package init(_ progress: SyncProgress, forgotten: Set<SyncObjectID>? = nil) {
    self.progress = progress
    self.forgotten = forgotten
    mayReturn = progress.hasCascaded || progress.isRefetching
    self.progress.revision &+= 1
  }

  /// Sets the date of the resolved conflicts.
  mutating func date(_ now: Date) {
    for index in resolutions.indices { resolutions[index].date = now }
  }
}

/// The store has changed since it was read; it has to be read again.
package struct SyncStale: Error {
  package init() {}
}

/// The history doesn't reach back far enough.
package struct SyncHistoryExpired: Error {
  package init() {}
}
