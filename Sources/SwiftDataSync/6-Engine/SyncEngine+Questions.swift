import Foundation
import SwiftDataCore

extension SyncEngine {
  /// Returns the sync state of a model: whether the server has it as it is here, and if not, the reason.
  ///
  /// - Parameter identifier: The model's identifier.
  /// - Throws: The store's error.
  public func status(of identifier: PersistentIdentifier) throws -> SyncObjectStatus {
    guard let row = identifier.rowID,
      identifier.storeIdentifier == storage.access.store.identifier
    else { return .unknown }
    let objects = try storage.access.store.readRows { transaction in
      try storage.access.objects(inRows: [row], of: identifier.entityName, transaction)
    }
    return try objects[row].map { try status(of: $0) } ?? .unknown
  }

  /// Returns the sync state of an object: whether the server has it as it is here, and if not, the reason.
  ///
  /// - Throws: The store's error.
  public func status(of object: SyncObjectID) throws -> SyncObjectStatus {
    try ledger.scan()
    return status(of: object, try storage.load([object])[object])
  }

  private func status(of object: SyncObjectID, _ entry: SyncEntry?) -> SyncObjectStatus {
    guard let entry else {
      return ledger.isPending(object) ? .pending : .unknown
    }
    if ledger.inFlight.contains(where: { $0.change.object == object }) { return .underWay }
    if let quarantine = entry.record.quarantine, !entry.record.isPending, isStill(quarantine, entry)
    {
      return .quarantined(quarantine)
    }
    if entry.isEdited { return .pending }
    return entry.record.version.map { .synced(version: $0) } ?? .unknown
  }

  /// Whether the quarantined change still matches the local object: a later edit is a new attempt, or reverts the
  /// change.
  private func isStill(_ quarantine: SyncQuarantine, _ entry: SyncEntry) -> Bool {
    guard let change = quarantine.change, !quarantine.isUncertain else { return true }
    return entry.isSent(by: change) && entry.isEdited
  }

  /// Returns all objects whose edits the server doesn't have, with the reason.
  ///
  /// - Throws: The store's error.
  public func unsynced() throws -> [(object: SyncObjectID, status: SyncObjectStatus)] {
    try ledger.scan()
    let objects = Set(try storage.quarantined().keys).union(ledger.pendingObjects)
    let entries = try storage.load(Array(objects))
    return objects.sorted().compactMap { object in
      let found = status(of: object, entries[object])
      switch found {
      case .synced, .unknown: return nil
      default: return (object, found)
      }
    }
  }

  /// Returns the number of models whose edits the server doesn't have. It is computed from the store, so edits that
  /// another process has just saved are included.
  ///
  /// - Throws: The store's error.
  public func pendingCount() throws -> Int {
    try ledger.scan()
    return ledger.pendingCount
  }

  /// Returns the resolved conflicts, newest first. The last 1,000 are kept.
  ///
  /// - Parameter limit: The maximum number of conflicts.
  /// - Throws: The store's error.
  public func conflicts(limit: Int = 100) throws -> [SyncResolution] {
    try storage.resolutions(limit: max(0, limit))
  }

  /// Deletes the resolved conflicts of an object, for example after the user has seen them.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - date: The date of the last conflict that was seen, ``SyncResolution/date``: later ones stay; nil for all.
  /// - Throws: The store's error.
  public func dismissConflicts(about object: SyncObjectID, through date: Date? = nil) throws {
    try storage.forgetResolutions(about: object, through: date)
  }
}
