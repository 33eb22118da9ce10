import Foundation
import SwiftDataCore

extension ModelSyncStorage {
  package func commit(_ writes: SyncWrites, at position: Int64) throws {
    let writing = ModelWriting(access)
    try keepAttachments(of: writes.inFlight)
    let released = try released(writes, beside: relinked(writes))
    let obstacles = try released.isEmpty ? [:] : obstacles(to: writes.values + released)
    // One that is here and can't go to its new destination yet stays where it is: the server has moved it on.
    let held = Set(
      try leaving(released.map(\.object).filter { obstacles[$0] != nil }).map(\.object))
    // An object that still can't be created waits for another condition, which the ledger handles.
    let obstructed = released.filter {
      obstacles[$0.object] != nil && !held.contains($0.object)
    }
    let values = writes.values + released.filter { obstacles[$0.object] == nil }
    var inserted: [PersistentIdentifier] = []
    try writing.run(
      renames: writes.renames, values: values, marks: writes.marks,
      insertsRows: writes.arrivals != nil
    ) { [unowned self] transaction in
      guard try transaction.lastTransaction() == position,
        try revision(transaction) &+ 1 == writes.progress.revision
      else { throw SyncStale() }
    } end: { [unowned self] transaction in
      try transaction.delete(
        SideTableRows(writes.renames.map(\.from)), from: SyncTables.objects)
      inserted = try write(writes.arrivals, epoch: writes.progress.epoch, transaction)
      try write(writes.records, values, rejoined: writes.rejoined, transaction)
      try recordRows(of: writes.settled, transaction)
      try deferChange(obstructed, obstacles, transaction)
      try write(
        writing.waiting, removed: writes.values.filter { $0.values == nil }.map(\.object),
        transaction)
      try write(writes.inFlight, transaction)
      try write(writes.resolutions, transaction)
      let progress = ColumnValue(json: writes.progress.json)
      try transaction.insert(
        SideTableRows("id", "value", rows: [[.integer(1), progress]]),
        into: SyncTables.progress, existing: .replace)
      try transaction.acknowledgeHistory(
        through: writes.progress.acknowledged, by: ModelSyncStorage.author)
    }
    noteReasons(writes, isComplete: obstructed.isEmpty)
    if !inserted.isEmpty { writing.announce(inserted) }
  }

  /// Keeps the known reasons of quarantined changes up to date.
  ///
  /// - Parameter isComplete: Whether no other records than those of the writes were written.
  private func noteReasons(_ writes: SyncWrites, isComplete: Bool) {
    guard let revision = reasons?.revision, revision &+ 1 == writes.progress.revision, isComplete,
      writes.renames.isEmpty, writes.arrivals == nil
    else {
      reasons = nil
      return
    }
    for (object, record) in writes.records {
      reasons?.all[object] = record.quarantine?.reason
    }
    reasons?.revision = writes.progress.revision
  }

  /// Defers objects that waited for a parent and now collide with other objects.
  private func deferChange(
    _ objects: [(object: SyncObjectID, values: SyncValues?)],
    _ obstacles: [SyncObjectID: SyncObstacle], _ transaction: any RowWriteTransaction
  ) throws {
    guard !objects.isEmpty else { return }
    let values = Dictionary(objects.map { ($0.object, $0.values) }, uniquingKeysWith: { $1 })
    var records: [SyncObjectID: SyncRecord] = [:]
    for object in values.keys {
      guard let obstacle = obstacles[object] else { continue }
      var record = SyncRecord()
      record.quarantine = SyncQuarantine(reason: obstacle.reason, date: .now, change: nil)
      records[object] = record
    }
    try transaction.forEachRow(
      of: Array(records.keys), in: SyncTables.objects, ["version", "epoch"]
    ) { object, columns in
      records[object]?.deferred = SyncRemote(
        object: object, version: columns[0].integer ?? 0, values: values[object] ?? nil)
      records[object]?.epoch = columns[1].integer ?? 0
    }
    try write(records, [], rejoined: [], transaction)
    try clearWaiting(of: records.keys, transaction)
  }

  private func revision(_ transaction: any RowReadTransaction) throws -> Int64 {
    var revision: Int64 = 0
    try transaction.forEachRow(SideTableQuery(SyncTables.progress, ["value"])) { columns in
      if let json = try columns[0].json() { revision = try SyncProgress(json: json).revision }
    }
    return revision
  }

  /// Writes records with the current rows of their objects. The row of an object that was just written and waits for a
  /// parent is set to NULL, whatever it was before: this distinguishes it from a deleted object.
  private func write(
    _ records: [SyncObjectID: SyncRecord], _ values: [(object: SyncObjectID, values: SyncValues?)],
    rejoined: Set<SyncObjectID>, _ transaction: any RowWriteTransaction
  ) throws {
    // Rows of annotated classes are recorded when they are merged with their object.
    let written = Set(
      values.lazy.filter { $0.values != nil }.map(\.object)
        .filter { self.access.forms[$0.entity]?.annotations == nil })
    let rows = try access.rows(of: written.union(records.keys), transaction)
    let empty = records.filter(\.value.isEmpty).keys
    try clearWaiting(of: empty, transaction)
    try transaction.delete(SideTableRows(empty), from: SyncTables.objects)
    var merged: [SideTableMerge?: SideTableRows] = [:]
    let columns = SyncTables.objects.columns.map(\.name)
    for (object, record) in records where !record.isEmpty {
      let rule =
        written.contains(object)
        ? nil : rowMerge(object, isRejoined: rejoined.contains(object))
      try append(
        record, of: object, row: rows[object],
        to: &merged[rule, default: SideTableRows(columns)])
    }
    for (rule, rows) in merged {
      try transaction.insert(
        rows, into: SyncTables.objects, existing: .merge(rule.map { ["row": $0] } ?? [:]))
    }
    var moved = SideTableRows("row", "entity", "key")
    for object in written where records[object] == nil {
      moved.append([
        ColumnValue(integer: rows[object]), .text(object.entity), .text(object.key),
      ])
    }
    try transaction.update(moved, of: SyncTables.objects, matching: ["entity", "key"])
  }

  /// Records the rows of objects that are in other ones than when their records were written.
  private func recordRows(
    of objects: Set<SyncObjectID>, _ transaction: any RowWriteTransaction
  ) throws {
    let objects = objects.filter { access.forms[$0.entity]?.annotations == nil }
    guard !objects.isEmpty else { return }
    let rows = try access.rows(of: objects, transaction)
    var moved = SideTableRows("row", "entity", "key")
    try transaction.forEachRow(of: objects, in: SyncTables.objects, ["row"]) { object, columns in
      guard let row = rows[object], columns[0].integer != row else { return }
      moved.append([.integer(row), .text(object.entity), .text(object.key)])
    }
    try transaction.update(moved, of: SyncTables.objects, matching: ["entity", "key"])
  }

  private func append(
    _ record: SyncRecord, of object: SyncObjectID, row: Int64?, to rows: inout SideTableRows
  ) throws {
    let base = record.base.map { orders[object.entity]?.json($0) ?? SyncValue.object($0).json }
    rows.append(.text(object.entity))
    rows.append(.text(object.key))
    rows.append(ColumnValue(integer: row))
    rows.append(ColumnValue(integer: record.version))
    rows.append(try base.map { try access.kept($0, about: object.entity) } ?? .null)
    rows.append(try access.kept(record.quarantine?.json, about: object.entity))
    rows.append(.integer(record.isPending ? 1 : 0))
    rows.append(try access.kept(record.deferred?.json, about: object.entity))
    rows.append(.integer(record.epoch))
  }

  private func write(
    _ inFlight: [SyncInFlight]?, _ transaction: any RowWriteTransaction
  ) throws {
    guard let inFlight else { return }
    try transaction.delete(from: SyncTables.flights, where: nil)
    var rows = SideTableRows(SyncTables.flights.columns.map(\.name))
    for (place, item) in inFlight.enumerated() {
      rows.append([
        .integer(Int64(place)), try access.kept(item.change.json, about: item.change.object.entity),
        .integer(item.through), .integer(item.unit),
      ])
    }
    try transaction.insert(rows, into: SyncTables.flights, existing: nil)
  }

  private func write(
    _ resolutions: [SyncResolution], _ transaction: any RowWriteTransaction
  ) throws {
    guard !resolutions.isEmpty else { return }
    var rows = SideTableRows("value")
    for resolution in resolutions {
      rows.append(try access.kept(resolution.json, about: resolution.conflict.object.entity))
    }
    try transaction.insert(rows, into: SyncTables.resolutions, existing: nil)
    var last: Int64 = 0
    try transaction.forEachRow(
      SideTableQuery(SyncTables.resolutions, ["number"]).ordered(by: "number", descending: true)
        .limited(to: 1)
    ) { last = $0[0].integer ?? 0 }
    try transaction.delete(
      from: SyncTables.resolutions,
      where: .atMost("number", .integer(last - SyncTables.maximumResolutions)))
  }
}
