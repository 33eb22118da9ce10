import SwiftData
import SwiftDataSQL

extension ModelSyncStorage {
  package func commit(_ writes: SyncWrites, at position: Int64) throws {
    let writing = ModelWriting(access)
    let values = try writes.values + released(writes)
    try writing.run(renames: writes.renames, values: values) { [unowned self] tables in
      guard try tables.lastTransaction() == position,
        try revision(tables) + 1 == writes.progress.revision
      else { throw SyncStale() }
    } end: { [unowned self] tables in
      for (old, _) in writes.renames {
        try tables.run(
          "DELETE FROM \"_sync_object\" WHERE entity = ? AND key = ?",
          [.text(old.entity), .text(old.key)])
      }
      try write(writes.records, values, tables)
      try write(writing.waiting, removed: writes.values.filter { $0.values == nil }, tables)
      try write(writes.inFlight, tables)
      try write(writes.resolutions, tables)
      try tables.run(
        "INSERT OR REPLACE INTO \"_sync_progress\" VALUES (1, ?)",
        [SQLValue(json: writes.progress.json)])
      try tables.acknowledgeHistory(
        through: writes.progress.acknowledged, by: ModelSyncStorage.author)
    }
  }

  private func revision(_ tables: SideTables) throws -> Int64 {
    var revision: Int64 = 0
    try tables.forEach("SELECT value FROM \"_sync_progress\"") { columns in
      if let json = try columns[0].json() { revision = try SyncProgress(json: json).revision }
    }
    return revision
  }

  private static func upsert(row: String) -> String {
    "INSERT INTO \"_sync_object\" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (entity, key)"
      + " DO UPDATE SET row = \(row), version = excluded.version, base = excluded.base,"
      + " parking = excluded.parking, owed = excluded.owed, held = excluded.held,"
      + " epoch = excluded.epoch"
  }

  private static let upsertOfWritten = upsert(row: "excluded.row")
  private static let upsertOfOthers = upsert(row: "coalesce(excluded.row, row)")

  /// Writes records, and which rows their objects are now. An object that has just been given values and waits for a
  /// parent is none, whatever it was before: so it is told from one that was deleted.
  private func write(
    _ records: [SyncObjectID: SyncRecord], _ values: [(object: SyncObjectID, values: SyncValues?)],
    _ tables: SideTables
  ) throws {
    let written = Set(values.lazy.filter { $0.values != nil }.map(\.object))
    let rows = try access.rows(of: written.union(records.keys), tables)
    for (object, record) in records {
      let name: [SQLValue] = [.text(object.entity), .text(object.key)]
      guard !record.isEmpty else {
        try clearWaiting(object, tables)
        try tables.run("DELETE FROM \"_sync_object\" WHERE entity = ? AND key = ?", name)
        continue
      }
      let base = record.base.map { SyncValue.object($0) }
      try tables.run(
        written.contains(object) ? Self.upsertOfWritten : Self.upsertOfOthers,
        name + [
          SQLValue(integer: rows[object]), SQLValue(integer: record.version), SQLValue(json: base),
          SQLValue(json: record.parking?.json), .integer(record.isOwed ? 1 : 0),
          SQLValue(json: record.held?.json), .integer(record.epoch),
        ])
    }
    for object in written where records[object] == nil {
      try tables.run(
        "UPDATE \"_sync_object\" SET row = ? WHERE entity = ? AND key = ?",
        [SQLValue(integer: rows[object]), .text(object.entity), .text(object.key)])
    }
  }

  private func write(_ inFlight: [SyncInFlight]?, _ tables: SideTables) throws {
    guard let inFlight else { return }
    try tables.run("DELETE FROM \"_sync_flight\"")
    for (place, item) in inFlight.enumerated() {
      try tables.run(
        "INSERT INTO \"_sync_flight\" VALUES (?, ?, ?, ?)",
        [
          .integer(Int64(place)), SQLValue(json: item.change.json), .integer(item.through),
          .integer(item.unit),
        ])
    }
  }

  private func write(_ resolutions: [SyncResolution], _ tables: SideTables) throws {
    guard !resolutions.isEmpty else { return }
    for resolution in resolutions {
      try tables.run(
        "INSERT INTO \"_sync_resolution\" (value) VALUES (?)", [SQLValue(json: resolution.json)])
    }
    try tables.run(
      "DELETE FROM \"_sync_resolution\" WHERE number <="
        + " (SELECT max(number) FROM \"_sync_resolution\") - \(SyncTables.maximumResolutions)")
  }

  // MARK: References that wait

  private func write(
    _ waiting: [SyncObjectID: [ModelWriting.Waiting]],
    removed: [(object: SyncObjectID, values: SyncValues?)], _ tables: SideTables
  ) throws {
    var isEmpty = true
    try tables.forEach("SELECT 1 FROM \"_sync_waiting\" LIMIT 1") { _ in isEmpty = false }
    if isEmpty, waiting.values.allSatisfy(\.isEmpty) { return }
    for (object, _) in removed { try clearWaiting(object, tables) }
    for (object, references) in waiting {
      try clearWaiting(object, tables)
      for reference in references {
        try tables.run(
          "INSERT OR REPLACE INTO \"_sync_waiting\" VALUES (?, ?, ?, ?, ?)",
          [
            .text(object.entity), .text(object.key), .text(reference.property),
            .text(reference.destination.entity), .text(reference.destination.key),
          ])
      }
    }
  }

  private func clearWaiting(_ object: SyncObjectID, _ tables: SideTables) throws {
    try tables.run(
      "DELETE FROM \"_sync_waiting\" WHERE entity = ? AND key = ?",
      [.text(object.entity), .text(object.key)])
  }

  /// Objects that waited for one that comes now, as they are to be then.
  private func released(
    _ writes: SyncWrites
  ) throws -> [(object: SyncObjectID, values: SyncValues?)] {
    guard try anyWaits() else { return [] }
    let written = Set(writes.values.map(\.object))
    var owners: Set<SyncObjectID> = []
    for (object, values) in writes.values where values != nil {
      try read(
        "SELECT entity, key FROM \"_sync_waiting\" WHERE destinationEntity = ?"
          + " AND destinationKey = ?", [.text(object.entity), .text(object.key)]
      ) { owners.formUnion(Self.object($0)) }
    }
    let waiting = owners.subtracting(written).sorted()
    return try load(waiting).sorted { $0.key < $1.key }.compactMap { object, entry in
      entry.values.map { (object, $0) }
    }
  }
}
