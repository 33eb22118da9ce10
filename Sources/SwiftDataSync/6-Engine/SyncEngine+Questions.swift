import Foundation
import SwiftDataCore

extension SyncEngine {
  /// Returns the sync state of a model: whether the server has it as it is here, and if not, the reason.
  ///
  /// - Parameter identifier: The model's identifier.
  /// - Throws: The store's error.
  public func standing(of identifier: PersistentIdentifier) throws -> SyncStanding {
    guard let row = identifier.rowID,
      identifier.storeIdentifier == storage.access.store.identifier
    else { return .unknown }
    let objects = try storage.access.store.readRows { transaction in
      try storage.access.objects(inRows: [row], of: identifier.entityName, transaction)
    }
    return try objects[row].map { try standing(of: $0) } ?? .unknown
  }

  /// Returns the sync state of an object: whether the server has it as it is here, and if not, the reason.
  ///
  /// - Throws: The store's error.
  public func standing(of object: SyncObjectID) throws -> SyncStanding {
    try ledger.scan()
    return standing(of: object, try storage.load([object])[object])
  }

  private func standing(of object: SyncObjectID, _ entry: SyncEntry?) -> SyncStanding {
    guard let entry else {
      return ledger.isPending(object) ? .pending : .unknown
    }
    if ledger.inFlight.contains(where: { $0.change.object == object }) { return .underWay }
    if let parking = entry.record.parking, !entry.record.isPending, isStill(parking, entry) {
      return .parked(parking)
    }
    if entry.isEdited { return .pending }
    return entry.record.version.map { .synced(version: $0) } ?? .unknown
  }

  /// Whether the parked change still matches the local object: a later edit is a new attempt, or reverts the change.
  private func isStill(_ parking: SyncParking, _ entry: SyncEntry) -> Bool {
    guard let change = parking.change, !parking.isUncertain else { return true }
    return change.values == entry.values && entry.isEdited
  }

  /// Returns all objects whose edits the server doesn't have, with the reason.
  ///
  /// - Throws: The store's error.
  public func unsynced() throws -> [(object: SyncObjectID, standing: SyncStanding)] {
    try ledger.scan()
    let objects = Set(try storage.parked().keys).union(ledger.pendingObjects)
    let entries = try storage.load(Array(objects))
    return objects.sorted().compactMap { object in
      let standing = standing(of: object, entries[object])
      switch standing {
      case .synced, .unknown: return nil
      default: return (object, standing)
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
  /// - Throws: The store's error.
  public func dismissConflicts(about object: SyncObjectID) throws {
    try storage.forgetResolutions(about: object)
  }
}
