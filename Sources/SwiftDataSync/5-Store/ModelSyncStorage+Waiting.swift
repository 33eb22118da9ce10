import SwiftData
import SwiftDataSQL

/// Handles references whose destinations don't exist, because they haven't arrived yet or were deleted.
extension ModelSyncStorage {
  /// Whether any reference waits; usually none does, and lookups of single references are then unnecessary.
  func anyWaits() throws -> Bool {
    var any = false
    try read("SELECT 1 FROM \"_sync_waiting\" LIMIT 1") { _ in any = true }
    return any
  }

  /// Returns the values with waiting references filled in as if their destinations existed.
  func withWaiting(_ values: SyncValues, of object: SyncObjectID) throws -> SyncValues {
    guard hasWaiting else { return values }
    var values = values
    let lists = access.forms[object.entity]?.lists ?? []
    try read(
      "SELECT property, destinationKey, place FROM \"_sync_waiting\" WHERE entity = ? AND key = ?"
        + " ORDER BY place", [.text(object.entity), .text(object.key)]
    ) { columns in
      guard let property = columns[0].text, let key = columns[1].text else { return }
      if let list = lists.first(where: { $0.name == property }) {
        guard case .list(var keys) = values[property], !keys.contains(.text(key)) else { return }
        let place = min(max(0, Int(columns[2].integer ?? 0)), keys.count)
        keys.insert(.text(key), at: place)
        values[property] = list.isOrdered ? .list(keys) : ListMerge.sorted(keys)
      } else if values[property] == .some(.null) {
        values[property] = .text(key)
      }
    }
    return values
  }

  /// Returns the values of an object that waits for a parent before it can become a model. An object that had a row is
  /// deleted.
  func waitingValues(of object: SyncObjectID) throws -> SyncValues? {
    guard hasWaiting else { return nil }
    var isWaiting = false
    var values: SyncValues?
    try read(
      "SELECT 1 FROM \"_sync_waiting\" WHERE entity = ? AND key = ? AND place = ? LIMIT 1",
      [.text(object.entity), .text(object.key), .integer(Int64(ModelWriting.Waiting.required))]
    ) { _ in isWaiting = true }
    guard isWaiting else { return nil }
    try read(
      "SELECT base FROM \"_sync_object\" WHERE entity = ? AND key = ? AND row IS NULL",
      [.text(object.entity), .text(object.key)]
    ) { columns in
      if case .object(let base) = try access.document(columns[0]) { values = base }
    }
    return values
  }

  /// Removes references to deleted objects from the base values: a delete rule's effect is not an edit, whichever side
  /// deleted the object.
  func withoutGone(_ entry: SyncEntry, of object: SyncObjectID) throws -> SyncEntry {
    guard let form = access.forms[object.entity], let values = entry.values,
      let base = entry.record.base
    else { return entry }
    var entry = entry
    func isGone(_ object: SyncObjectID) throws -> Bool {
      try access.store.readSideTables { try access.row(ofReference: object, $0) } == nil
    }
    for (index, destination) in form.relationships {
      let name = form.plan.properties[index].name
      guard values[name] == .some(.null), let key = base[name].flatMap(SyncSchema.key) else {
        continue
      }
      if try isGone(SyncObjectID(destination, key)) { entry.record.base?[name] = .null }
    }
    for list in form.lists {
      guard case .list(let present) = values[list.name], case .list(let agreed) = base[list.name],
        present != agreed
      else { continue }
      let known = Set(present)
      let left = try agreed.filter { element in
        guard !known.contains(element), let key = SyncSchema.key(element) else { return true }
        return try !isGone(SyncObjectID(list.destination, key))
      }
      entry.record.base?[list.name] = .list(left)
    }
    return entry
  }

  // MARK: Writing

  func write(
    _ waiting: [SyncObjectID: [ModelWriting.Waiting]],
    removed: [(object: SyncObjectID, values: SyncValues?)], _ tables: SideTables
  ) throws {
    var isEmpty = true
    try tables.forEach("SELECT 1 FROM \"_sync_waiting\" LIMIT 1") { _ in isEmpty = false }
    if isEmpty, waiting.values.allSatisfy(\.isEmpty) { return }
    for (object, _) in removed { try clearWaiting(of: object, tables) }
    for (object, references) in waiting {
      try clearWaiting(of: object, tables)
      for reference in references {
        try tables.run(
          "INSERT OR REPLACE INTO \"_sync_waiting\" VALUES (?, ?, ?, ?, ?, ?)",
          [
            .text(object.entity), .text(object.key), .text(reference.property),
            .text(reference.destination.entity), .text(reference.destination.key),
            .integer(Int64(reference.place)),
          ])
      }
    }
  }

  func clearWaiting(of object: SyncObjectID, _ tables: SideTables) throws {
    try tables.run(
      "DELETE FROM \"_sync_waiting\" WHERE entity = ? AND key = ?",
      [.text(object.entity), .text(object.key)])
  }

  /// Returns objects that waited for an object that is now inserted, with their values afterwards.
  ///
  /// - Parameter relinked: Other objects to write, which aren't looked up again.
  func released(
    _ writes: SyncWrites, beside relinked: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [(object: SyncObjectID, values: SyncValues?)] {
    guard try anyWaits() else { return relinked }
    let written = Set(writes.values.map(\.object)).union(relinked.map(\.object))
    var owners: Set<SyncObjectID> = []
    // A locally created object becomes available to the others when the server has it.
    let present = Set(writes.values.filter { $0.values != nil }.map(\.object))
      .union(writes.records.filter { $0.value.version != nil }.map(\.key))
    for object in present {
      for entity in access.families.line(of: object.entity) {
        try read(
          "SELECT entity, key FROM \"_sync_waiting\" WHERE destinationEntity = ?"
            + " AND destinationKey = ?", [.text(entity), .text(object.key)]
        ) { owners.formUnion(Self.object($0)) }
      }
    }
    let waiting = owners.subtracting(written).sorted()
    return try relinked
      + load(waiting).sorted { $0.key < $1.key }.compactMap { object, entry in
        entry.values.map { (object, $0) }
      }
  }
}
