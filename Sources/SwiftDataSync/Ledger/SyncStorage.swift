import Foundation

/// What a ledger needs of the store that it keeps books for.
package protocol SyncStorage: AnyObject {
  /// The number of the last transaction, by whomever.
  func position() throws -> Int64

  /// The transactions behind a number that others than the engine made: their numbers and the objects that they
  /// touched, in order.
  ///
  /// - Throws: ``SyncHistoryExpired`` when some of them have been forgotten.
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])]

  /// The objects of all participating entities that exist or have a record: what may differ from the server when the
  /// history can't tell.
  func allObjects() throws -> [SyncObjectID]

  /// The present values and the records of objects; what has neither is left out.
  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncEntry]

  /// A page with the names that its objects have here, and with what is done of it ahead.
  func incoming(_ page: SyncPage) -> SyncIncoming

  /// Those objects of a page that are new here, and that nothing waits for or depends on: they are written as they come.
  ///
  /// - Returns: nil for none.
  func newcomers(_ incoming: SyncIncoming) throws -> SyncArrivals?

  /// The name that an object has here, which others may write in other letters.
  func canonical(_ object: SyncObjectID) -> SyncObjectID

  /// Values from a server in the store's own form, with a value for each property.
  ///
  /// - Parameters:
  ///   - values: The server's, perhaps not all.
  ///   - known: Gives what is absent, before the entity's defaults do.
  /// - Returns: nil when they don't fit the entity.
  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues?

  /// The key with the value that a property that holds it has; nil when it doesn't fit.
  func value(ofKey key: String, in object: SyncObjectID, property: String) -> SyncValue?

  /// Objects that are deleted with an object, by delete rules.
  func dependents(of object: SyncObjectID) throws -> [SyncObjectID]

  /// What keeps the writes from being stored, all of them at once, by object.
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle]

  /// Objects that the server had and that the full comparison `epoch` hasn't seen, of some entities or of all.
  func unseen(in epoch: Int64, entities: [String]?) throws -> [SyncObjectID]

  func progress() throws -> SyncProgress?
  /// In the order in which they are to be sent.
  func inFlight() throws -> [SyncInFlight]
  /// The objects whose records say that they are to be sent.
  func owed() throws -> [SyncObjectID]
  /// The objects whose changes are set aside.
  func parked() throws -> [SyncObjectID: SyncParking]

  /// Writes all of it in one transaction, or nothing.
  ///
  /// - Throws: ``SyncStale`` when transactions came in behind `position`, or another engine has committed since the
  ///   progress that `writes` has was read.
  func commit(_ writes: SyncWrites, at position: Int64) throws
}

extension SyncStorage {
  package func canonical(_ object: SyncObjectID) -> SyncObjectID { object }
}

/// What is known of one object.
package struct SyncEntry: Hashable, Sendable {
  /// nil when it doesn't exist.
  package var values: SyncValues?
  package var record: SyncRecord
  package var presence: Presence

  /// Where the row is that an object of an annotated class is a part of.
  package enum Presence: Hashable, Sendable {
    /// Where it was when the record was written; always so for other classes.
    case here
    /// Nowhere: the values are those of the record, and nothing is written.
    case away
    /// It has come since the record was written, with values of its own.
    case back
  }

  package init(
    values: SyncValues? = nil, record: SyncRecord = SyncRecord(), presence: Presence = .here
  ) {
    self.values = values
    self.record = record
    self.presence = presence
  }

  /// Whether the object differs from what the server was last known to have.
  package var isEdited: Bool {
    if presence == .back { return values != nil && values != record.base }
    return record.version == nil ? values != nil : values != record.base
  }
}

/// What an object says of itself for display.
package struct SyncMarking: Hashable, Sendable {
  package var hasEdits: Bool
  /// When both sides came to agree; nil to leave what is there.
  package var agreed: Date?
}

/// What a ledger writes at once.
package struct SyncWrites {
  /// New keys of objects, which come before everything else.
  package var renames: [(from: SyncObjectID, to: SyncObjectID)] = []
  /// The values that objects are to have, in order; nil deletes.
  package var values: [(object: SyncObjectID, values: SyncValues?)] = []
  /// New objects of a page, with their records.
  package var arrivals: SyncArrivals?
  package var records: [SyncObjectID: SyncRecord] = [:]
  /// Objects of annotated classes whose rows had come and have what the server has for them now.
  package var rejoined: Set<SyncObjectID> = []
  /// What objects are to say of themselves.
  package var marks: [SyncObjectID: SyncMarking] = [:]
  /// All changes in flight, when they are others than before.
  package var inFlight: [SyncInFlight]?
  package var resolutions: [SyncResolution] = []
  package var progress: SyncProgress

  package init(_ progress: SyncProgress) {
    self.progress = progress
    self.progress.revision += 1
  }

  /// Says when the conflicts were decided.
  mutating func date(_ now: Date) {
    for index in resolutions.indices { resolutions[index].date = now }
  }
}

/// The store has changed since it was read: read again.
package struct SyncStale: Error {
  package init() {}
}

/// The history doesn't reach back far enough.
package struct SyncHistoryExpired: Error {
  package init() {}
}
