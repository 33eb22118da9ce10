import SwiftData

extension SyncEngine {
  /// Why a model is, or isn't, on the server as it is here.
  ///
  /// - Parameter identifier: The model's identity.
  /// - Throws: the store's error.
  public func standing(of identifier: PersistentIdentifier) throws -> SyncStanding {
    guard let row = identifier.rowID,
      identifier.storeIdentifier == storage.access.store.identifier
    else { return .unknown }
    let object = try storage.access.store.readSideTables { tables in
      try storage.access.object(inRow: row, of: identifier.entityName, tables)
    }
    return try object.map { try standing(of: $0) } ?? .unknown
  }

  /// Why an object is, or isn't, on the server as it is here.
  ///
  /// - Throws: the store's error.
  public func standing(of object: SyncObjectID) throws -> SyncStanding {
    try ledger.scan()
    guard let entry = try storage.load([object])[object] else {
      return ledger.isPending(object) ? .pending : .unknown
    }
    if ledger.inFlight.contains(where: { $0.change.object == object }) { return .underWay }
    if let parking = entry.record.parking, !entry.record.isOwed, isStill(parking, entry) {
      return .parked(parking)
    }
    if entry.isEdited { return .pending }
    return entry.record.version.map { .synced(version: $0) } ?? .unknown
  }

  /// Whether what was set aside is still what is here: an edit since is another attempt, or takes it back.
  private func isStill(_ parking: SyncParking, _ entry: SyncEntry) -> Bool {
    guard let change = parking.change, !parking.isUncertain else { return true }
    return change.values == entry.values && entry.isEdited
  }

  /// Everything whose edits the server doesn't have, with the reason.
  ///
  /// - Throws: the store's error.
  public func unsynced() throws -> [(object: SyncObjectID, standing: SyncStanding)] {
    try ledger.scan()
    let objects = Set(try storage.parked().keys).union(ledger.pendingObjects)
    return try objects.sorted().compactMap { object in
      let standing = try standing(of: object)
      switch standing {
      case .synced, .unknown: return nil
      default: return (object, standing)
      }
    }
  }

  /// How many models' edits the server doesn't have, looked up now: also what another process has just saved.
  ///
  /// - Throws: the store's error.
  public func pendingCount() throws -> Int {
    try ledger.scan()
    return ledger.pendingCount
  }

  /// The conflicts that were decided, the newest first. The last 1,000 are kept.
  ///
  /// - Parameter limit: How many at most.
  /// - Throws: the store's error.
  public func conflicts(limit: Int = 100) throws -> [SyncResolution] {
    try storage.resolutions(limit: max(0, limit))
  }

  /// Forgets the conflicts about an object that were decided, once somebody has seen them.
  ///
  /// - Throws: the store's error.
  public func dismissConflicts(about object: SyncObjectID) throws {
    try storage.forgetResolutions(about: object)
  }
}
