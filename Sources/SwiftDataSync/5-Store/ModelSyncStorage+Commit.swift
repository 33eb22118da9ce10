import SwiftData
import SwiftDataSQL

extension ModelSyncStorage {
  package func commit(_ writes: SyncWrites, at position: Int64) throws {
    let writing = ModelWriting(access)
    try keepAttachments(of: writes.inFlight)
    let released = try released(writes, beside: relinked(writes))
    let obstacles = try released.isEmpty ? [:] : obstacles(to: writes.values + released)
    // An object that still can't be created waits for another condition, which the ledger handles.
    let obstructed = released.filter { obstacles[$0.object] != nil }
    let values = writes.values + released.filter { obstacles[$0.object] == nil }
    var inserted: [PersistentIdentifier] = []
    try writing.run(
      renames: writes.renames, values: values, marks: writes.marks,
      insertsRows: writes.arrivals != nil
    ) { [unowned self] tables in
      guard try tables.lastTransaction() == position,
        try revision(tables) + 1 == writes.progress.revision
      else { throw SyncStale() }
    } end: { [unowned self] tables in
      for (old, _) in writes.renames {
        try tables.run(
          "DELETE FROM \"_sync_object\" WHERE entity = ? AND key = ?",
          [.text(old.entity), .text(old.key)])
      }
      inserted = try write(writes.arrivals, epoch: writes.progress.epoch, tables)
      try write(writes.records, values, rejoined: writes.rejoined, tables)
      for (object, values) in obstructed {
        try keepBack(object, values, obstacles[object], tables)
      }
      try write(writing.waiting, removed: writes.values.filter { $0.values == nil }, tables)
      try write(writes.inFlight, tables)
      try write(writes.resolutions, tables)
      try tables.run(
        "INSERT OR REPLACE INTO \"_sync_progress\" VALUES (1, ?)",
        [SQLValue(json: writes.progress.json)])
      try tables.acknowledgeHistory(
        through: writes.progress.acknowledged, by: ModelSyncStorage.author)
    }
    if !inserted.isEmpty { writing.announce(inserted) }
  }

  /// Holds back an object that waited for a parent and now collides with another object.
  private func keepBack(
    _ object: SyncObjectID, _ values: SyncValues?, _ obstacle: SyncObstacle?, _ tables: SideTables
  ) throws {
    guard let obstacle else { return }
    var record = SyncRecord()
    try tables.forEach(
      "SELECT version, epoch FROM \"_sync_object\" WHERE entity = ? AND key = ?",
      [.text(object.entity), .text(object.key)]
    ) { columns in
      record.held = SyncRemote(object: object, version: columns[0].integer ?? 0, values: values)
      record.epoch = columns[1].integer ?? 0
    }
    record.parking = SyncParking(reason: obstacle.reason, date: .now, change: nil)
    try write([object: record], [], rejoined: [], tables)
    try clearWaiting(of: object, tables)
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

  /// Writes records with the current rows of their objects. The row of an object that was just written and waits for a
  /// parent is set to NULL, whatever it was before: this distinguishes it from a deleted object.
  private func write(
    _ records: [SyncObjectID: SyncRecord], _ values: [(object: SyncObjectID, values: SyncValues?)],
    rejoined: Set<SyncObjectID>, _ tables: SideTables
  ) throws {
    // Rows of annotated classes are recorded when they are merged with their object.
    let written = Set(
      values.lazy.filter { $0.values != nil }.map(\.object)
        .filter { self.access.forms[$0.entity]?.annotations == nil })
    let rows = try access.rows(of: written.union(records.keys), tables)
    var upserts: [String: SideStatement] = [:]
    for (object, record) in records {
      guard !record.isEmpty else {
        try clearWaiting(of: object, tables)
        try tables.run(
          "DELETE FROM \"_sync_object\" WHERE entity = ? AND key = ?",
          [.text(object.entity), .text(object.key)])
        continue
      }
      let base = record.base.map { orders[object.entity]?.json($0) ?? SyncValue.object($0).json }
      let row =
        written.contains(object)
        ? "excluded.row" : rowAfter(object, isRejoined: rejoined.contains(object))
      let upsert = try upserts[row] ?? tables.statement(Self.upsert(row: row))
      upserts[row] = upsert
      let columns: [SQLValue] = [
        .text(object.entity), .text(object.key), SQLValue(integer: rows[object]),
        SQLValue(integer: record.version),
        try base.map { try access.kept($0, about: object.entity) } ?? .null,
        try access.kept(record.parking?.json, about: object.entity),
        .integer(record.isOwed ? 1 : 0), try access.kept(record.held?.json, about: object.entity),
        .integer(record.epoch),
      ]
      for (place, value) in columns.enumerated() { try upsert.bind(value, at: Int32(place + 1)) }
      _ = try upsert.run()
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
          .integer(Int64(place)),
          try access.kept(item.change.json, about: item.change.object.entity),
          .integer(item.through),
          .integer(item.unit),
        ])
    }
  }

  private func write(_ resolutions: [SyncResolution], _ tables: SideTables) throws {
    guard !resolutions.isEmpty else { return }
    for resolution in resolutions {
      try tables.run(
        "INSERT INTO \"_sync_resolution\" (value) VALUES (?)",
        [try access.kept(resolution.json, about: resolution.conflict.object.entity)])
    }
    try tables.run(
      "DELETE FROM \"_sync_resolution\" WHERE number <="
        + " (SELECT max(number) FROM \"_sync_resolution\") - \(SyncTables.maximumResolutions)")
  }
}
