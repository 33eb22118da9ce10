import SwiftDataCore

extension ModelSyncStorage {
  /// Converts entries of annotated classes to the ledger's view: an object with the default values doesn't exist, and
  /// an object without a row has the server's values.
  ///
  /// - Parameter rows: The rows in the records.
  func annotated(
    _ entries: [SyncObjectID: SyncEntry], _ rows: [SyncObjectID: Int64?]
  ) throws -> [SyncObjectID: SyncEntry] {
    let objects = entries.keys.filter { access.forms[$0.entity]?.annotations != nil }
    guard !objects.isEmpty else { return entries }
    var entries = entries
    let present = try access.store.readRows { try access.rows(of: objects, $0) }
    for object in objects {
      guard var entry = entries[object] else { continue }
      if let row = present[object] {
        if entry.values == access.forms[object.entity]?.annotations { entry.values = nil }
        if let known = rows[object], known != row { entry.presence = .back }
      } else {
        entry.presence = .away
        entry.values = entry.record.version == nil ? nil : entry.agreed
      }
      entries[object] = rows[object] == nil && entry.values == nil ? nil : entry
    }
    return entries
  }

  /// Returns the rule for an updated record's row; nil when it is replaced. The row determines whether one of an
  /// annotated class has been inserted since its object was last merged with the server's.
  func rowMerge(_ object: SyncObjectID, isRejoined: Bool) -> SideTableMerge? {
    if access.forms[object.entity]?.annotations == nil { return .newUnlessNull }
    return isRejoined ? nil : .oldUnlessNewIsNull
  }
}
