import Foundation
import SwiftDataCore

/// A server's storage over a container: the models belong to the server, and the bookkeeping tables are in the same
/// file.
final class ModelServerStorage: SyncServerStorage {
  /// The author of changes that clients push.
  static let author = "sync.server"
  /// The time in seconds during which outcomes are stored: after a longer absence, a client's last batch is processed
  /// as new.
  private static let answerAge: Double = 30 * 86_400
  /// The maximum number of objects that are read at a time while a page is filled.
  private static let portion = 500
  /// The number of objects that are read first when they may have attachments, whose bytes are read, too.
  private static let firstPortion = 8

  let access: ModelAccess
  /// The approximate maximum number of bytes of attachments in a page.
  private let maximumWeight: Int

  init(
    _ container: ModelContainer, _ models: [SyncedModel],
    maximumWeight: Int = SyncAttachmentLimits().batchByteCount
  ) throws {
    self.maximumWeight = maximumWeight
    if let model = models.first(where: \.isAnnotated) {
      throw SyncError(
        .unsupported,
        "\(model.type) is annotated here, which is for clients: on the server the annotations are"
          + " models of their own")
    }
    access = try ModelAccess(
      container, models, author: Self.author, objectTable: SyncServerTables.objects,
      attachmentFolder: "sync-server")
    guard access.store.allowsSave else {
      throw SyncError(
        .unsupported,
        "The store \(access.store.configurationName) was opened with allowsSave: false"
      )
    }
    try access.store.writeSideTables { transaction in
      for table in SyncServerTables.all {
        _ = try table.missingColumns(transaction)
        try transaction.create(table)
      }
    }
    try container.registerHistoryConsumer(Self.author)
  }

  var schema: SyncSchema { access.schema }

  func position() throws -> Int64 { try access.position() }

  func edits(
    after number: Int64, limit: Int
  ) throws -> (edits: [(transaction: Int64, objects: [SyncObjectID])], through: Int64?) {
    try access.edits(after: number, limit: limit)
  }

  func allObjects() throws -> [SyncObjectID] {
    try Set(access.allObjects()).union(objectsWithVersions()).sorted()
  }

  func objectsWithoutVersions() throws -> [SyncObjectID] {
    // Read before the versions: none that gets one in between is among them.
    var objects = try access.allObjects()
    try access.store.readRows { transaction in
      var end = 0
      for start in stride(from: 0, to: objects.count, by: Self.portion) {
        let part = Array(objects[start..<min(start + Self.portion, objects.count)])
        var versions: Set<SyncObjectID> = []
        try transaction.forEachRow(of: part, in: SyncServerTables.objects, ["version"]) {
          object, _ in versions.insert(object)
        }
        for object in part where !versions.contains(object) {
          objects[end] = object
          end += 1
        }
      }
      objects.removeSubrange(end...)
    }
    return objects
  }

  /// Returns the objects that have versions, and the tombstones, of what this server synchronizes.
  private func objectsWithVersions() throws -> Set<SyncObjectID> {
    var objects: Set<SyncObjectID> = []
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        SideTableQuery(SyncServerTables.objects, ["entity", "key"])
      ) { columns in
        let found = ModelSyncStorage.object(columns)
        objects.formUnion(found.filter { access.forms[$0.entity] != nil })
      }
    }
    return objects
  }

  func begin() throws -> Int64 {
    try access.store.writeSideTables { transaction in
      var (begun, named) = try Self.starts(transaction)
      begun = max(begun, named) &+ 1
      try Self.write(begun: begun, named: named, transaction)
      return begun
    }
  }

  func claim() throws -> SyncServerClaim {
    try access.store.readRows { transaction in
      var properties: [String: [String]] = [:]
      var former: Set<String> = []
      try transaction.forEachRow(
        SideTableQuery(SyncServerTables.properties, ["entity", "property"])
      ) { columns in
        guard let entity = columns[0].text, let property = columns[1].text else { return }
        if property.isEmpty {
          former.insert(entity)
        } else {
          properties[entity, default: []].append(property)
        }
      }
      return SyncServerClaim(
        properties: properties.isEmpty ? nil : properties.mapValues { $0.sorted() },
        former: former,
        number: try Self.starts(transaction).named)
    }
  }

  private static func starts(
    _ transaction: any RowReadTransaction
  ) throws -> (begun: Int64, named: Int64) {
    var starts: (begun: Int64, named: Int64) = (0, 0)
    try transaction.forEachRow(SideTableQuery(SyncServerTables.starts, ["begun", "named"])) {
      starts = ($0[0].integer ?? 0, $0[1].integer ?? 0)
    }
    return starts
  }

  private static func write(
    begun: Int64, named: Int64, _ transaction: any RowWriteTransaction
  ) throws {
    try transaction.insert(
      SideTableRows(
        "id", "begun", "named", rows: [[.integer(1), .integer(begun), .integer(named)]]),
      into: SyncServerTables.starts, existing: .replace)
  }

  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncServerEntry] {
    var entries: [SyncObjectID: SyncServerEntry] = [:]
    for (object, values) in try access.values(of: objects) {
      entries[object] = SyncServerEntry(values: values)
    }
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        of: objects, in: SyncServerTables.objects, ["version", "scope"]
      ) { object, columns in
        entries[object, default: SyncServerEntry()].version = columns[0].integer
        entries[object]?.scope = columns[1].text
      }
    }
    return entries
  }

  func scopes(of objects: Set<SyncObjectID>) throws -> [SyncObjectID: SyncScope] {
    var scopes: [SyncObjectID: SyncScope] = [:]
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        of: objects, in: SyncServerTables.objects, ["scope"], where: .isNull("deleted")
      ) { object, columns in
        scopes[object] = columns[0].text.map { .user($0) } ?? .everybody
      }
    }
    return scopes
  }

  func canonical(_ object: SyncObjectID) -> SyncObjectID { access.canonical(object) }

  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues? {
    try access.complete(values, of: object, over: known)
  }

  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    // An object with a missing reference can't be stored in any case, so this obstacle takes precedence.
    try access.obstacles(to: values, isChained: true)
      .merging(try access.missing(for: values)) { $1 }
  }

  func dependents(
    after values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    let planned = PlannedValues(values)
    return try access.dependents(of: planned.order.filter(planned.isGone), planned)
  }

  func newDestinations(
    in values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) -> Set<SyncObjectID> {
    access.newDestinations(in: values, of: object, over: known)
  }

  func concealing(
    _ hidden: Set<SyncObjectID>, in values: SyncValues, of object: SyncObjectID,
    over known: SyncValues?
  ) -> SyncValues {
    access.concealing(hidden, in: values, of: object, over: known)
  }

  func remembered(_ changes: [String], client: String) throws -> [String: SyncOutcome] {
    var outcomes: [String: SyncOutcome] = [:]
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        SideTableQuery(
          SyncServerTables.answers, ["change", "outcome"],
          where: .equal("client", .text(client))),
        where: "change", in: changes.map { .text($0) }
      ) { columns in
        guard let change = columns[0].text, let json = try access.document(columns[1]) else {
          return
        }
        outcomes[change] = try SyncOutcome.parse(json).outcome
      }
    }
    return outcomes
  }

  func changes(
    after version: Int64, scope: String?, limit: Int
  ) throws -> (changes: [SyncRemote], through: Int64, hasMore: Bool) {
    var place = version
    while true {
      let (found, hasMore) = try access.store.readRows {
        try SyncServerChanges(scope: scope).page(after: place, limit: max(1, limit), $0)
      }
      place = found.last?.version ?? place
      // Objects that this server doesn't synchronize aren't deleted; those that left the user's scope are known.
      let known = found.filter { $0.isDeparture || access.forms[$0.object.entity] != nil }
      if known.isEmpty, hasMore { continue }
      let changes = try self.changes(known)
      let isWhole = changes.count == known.count
      return (
        changes, isWhole ? place : changes.last?.version ?? place, hasMore || !isWhole
      )
    }
  }

  /// Returns the objects with their values, as many as fit into a page. Versions aren't divided, and at least one is
  /// returned.
  private func changes(
    _ found: [SyncServerChanges.Change]
  ) throws -> [SyncRemote] {
    var changes: [SyncRemote] = []
    var weight = 0
    var start = 0
    let haveAttachments = found.contains { change in
      !change.isDeparture && access.forms[change.object.entity]?.attachments.isEmpty == false
    }
    var length = haveAttachments ? Self.firstPortion : Self.portion
    while start < found.count {
      let part = found[start..<min(start + length, found.count)]
      start = part.endIndex
      let values = try access.values(of: part.filter { !$0.isDeparture }.map(\.object))
      for item in part {
        if weight > maximumWeight, item.version > changes.last?.version ?? 0 {
          return changes
        }
        let values = item.isDeparture ? nil : values[item.object]
        let (sum, isBeyond) = weight.addingReportingOverflow(
          values.map { SyncAttachment.weight(of: $0) } ?? 0)
        weight = isBeyond ? .max : sum
        changes.append(SyncRemote(object: item.object, version: item.version, values: values))
      }
      // As many as the rest of the page may take, by the weight of those so far.
      let rest = max(0, maximumWeight - weight) / max(1, weight / start)
      length = min(max(rest, Self.firstPortion), 2 * length, Self.portion)
    }
    return changes
  }

  func progress() throws -> SyncServerProgress? {
    var progress: SyncServerProgress?
    try access.store.readRows { progress = try Self.progress($0) }
    return progress
  }

  private static func progress(
    _ transaction: any RowReadTransaction
  ) throws -> SyncServerProgress? {
    var progress: SyncServerProgress?
    try transaction.forEachRow(
      SideTableQuery(
        SyncServerTables.progress, ["absorbed", "version", "forgotten", "revision"])
    ) { columns in
      var found = SyncServerProgress()
      found.checkpoint = columns[0].integer ?? 0
      found.version = columns[1].integer ?? 0
      found.forgotten = columns[2].integer ?? 0
      found.revision = columns[3].integer ?? 0
      guard (0...SyncServerProgress.maximumVersion).contains(found.version) else {
        throw SyncError(
          .damaged,
          "The last version in the server's store is \(found.version), which can't be: the file was changed or is"
            + " damaged. Restore it from a copy.")
      }
      progress = found
    }
    return progress
  }

  func skippedVersions() throws -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        SideTableQuery(SyncServerTables.skipped, ["first", "last"])
          .ordered(by: "first", descending: true).limited(to: SyncPage.maximumSkipped)
      ) { columns in
        guard let first = columns[0].integer, let last = columns[1].integer, first <= last else {
          return
        }
        ranges.append(first...last)
      }
    }
    return ranges.reversed()
  }

  // MARK: Writing

  func commit(_ writes: SyncServerWrites, at position: Int64?) throws {
    try ModelWriting(access).run(
      renames: [], values: writes.values, marks: [:]
    ) { transaction in
      if let position {
        guard try transaction.lastTransaction() == position else { throw SyncStale() }
      }
      guard (try Self.progress(transaction)?.revision ?? 0) &+ 1 == writes.progress.revision
      else { throw SyncStale() }
    } end: { [self] transaction in
      try write(writes.entries, transaction)
      var departures = SideTableRows("version", "entity", "key", "scope")
      for departure in writes.departures {
        departures.append([
          .integer(departure.version), .text(departure.object.entity),
          .text(departure.object.key), ColumnValue(text: departure.scope),
        ])
      }
      try transaction.insert(departures, into: SyncServerTables.departures, existing: .replace)
      try write(writes.answers, transaction)
      if let skipped = writes.skipped { try Self.write(skipped, transaction) }
      if let claim = writes.claim { try Self.write(claim, transaction) }
      try Self.write(writes.progress, transaction)
    }
  }

  private static func write(
    _ claim: SyncServerClaim, _ transaction: any RowWriteTransaction
  ) throws {
    try transaction.delete(from: SyncServerTables.properties, where: nil)
    var rows = SideTableRows("entity", "property")
    for (entity, names) in claim.properties ?? [:] {
      for name in names { rows.append([.text(entity), .text(name)]) }
    }
    for entity in claim.former { rows.append([.text(entity), .text("")]) }
    try transaction.insert(rows, into: SyncServerTables.properties, existing: .replace)
    let begun = try starts(transaction).begun
    try write(begun: begun, named: claim.number, transaction)
  }

  /// Records a range of skipped versions, and removes those that are told no more.
  private static func write(
    _ skipped: ClosedRange<Int64>, _ transaction: any RowWriteTransaction
  ) throws {
    try transaction.insert(
      SideTableRows(
        "first", "last", rows: [[.integer(skipped.lowerBound), .integer(skipped.upperBound)]]),
      into: SyncServerTables.skipped, existing: .replace)
    var count = 0
    var oldest: Int64?
    try transaction.forEachRow(
      SideTableQuery(SyncServerTables.skipped, ["first"])
        .ordered(by: "first", descending: true).limited(to: SyncPage.maximumSkipped)
    ) {
      count += 1
      oldest = $0[0].integer
    }
    guard count == SyncPage.maximumSkipped, let oldest else { return }
    try transaction.delete(
      from: SyncServerTables.skipped, where: .less("first", than: .integer(oldest)))
  }

  private func write(
    _ entries: [SyncObjectID: SyncServerEntry], _ transaction: any RowWriteTransaction
  ) throws {
    let present = try access.rows(of: entries.keys, transaction)
    let now = Date.now.timeIntervalSinceReferenceDate
    var rows = SideTableRows(SyncServerTables.objects.columns.map(\.name))
    rows.reserveCapacity(entries.count)
    for (object, entry) in entries {
      let row = present[object]
      rows.append(.text(object.entity))
      rows.append(.text(object.key))
      rows.append(ColumnValue(integer: row))
      rows.append(.integer(entry.version ?? 0))
      rows.append(ColumnValue(text: entry.scope))
      rows.append(row == nil ? .real(now) : .null)
    }
    try transaction.insert(
      rows, into: SyncServerTables.objects, existing: .merge(["row": .newUnlessNull]))
  }

  private func write(
    _ answers: [(client: String, change: String, outcome: SyncOutcome)],
    _ transaction: any RowWriteTransaction
  ) throws {
    guard !answers.isEmpty else { return }
    let now = Date.now.timeIntervalSinceReferenceDate
    var rows = SideTableRows(SyncServerTables.answers.columns.map(\.name))
    for (client, change, outcome) in answers {
      rows.append([
        .text(client), .text(change), try access.kept(outcome.json(id: change), about: nil),
        .real(now),
      ])
    }
    try transaction.insert(rows, into: SyncServerTables.answers, existing: .replace)
    try Self.forget(answersBefore: now - Self.answerAge, transaction)
  }

  private static func forget(
    answersBefore time: Double, _ transaction: any RowWriteTransaction
  ) throws {
    try transaction.delete(
      from: SyncServerTables.answers, where: .less("time", than: .real(time)))
  }

  /// Deletes the outcomes that were stored before a date.
  func forgetAnswers(before date: Date) throws {
    try access.store.writeSideTables { transaction in
      try Self.forget(answersBefore: date.timeIntervalSinceReferenceDate, transaction)
    }
  }

  private static func write(
    _ progress: SyncServerProgress, _ transaction: any RowWriteTransaction
  ) throws {
    try transaction.insert(
      SideTableRows(
        "id", "absorbed", "version", "forgotten", "revision",
        rows: [
          [
            .integer(1), .integer(progress.checkpoint), .integer(progress.version),
            .integer(progress.forgotten), .integer(progress.revision),
          ]
        ]), into: SyncServerTables.progress, existing: .replace)
    try transaction.acknowledgeHistory(through: progress.checkpoint, by: author)
  }

  /// Deletes tombstones from before a date, which invalidates every cursor older than one of them. Those of entities
  /// that aren't synchronized stay: clients don't get them.
  func forgetTombstones(before date: Date) throws {
    guard !access.forms.isEmpty else { return }
    try access.store.writeSideTables { transaction in
      guard var progress = try Self.progress(transaction) else { return }
      let isOld = SideTableCondition.all([
        .less("deleted", than: .real(date.timeIntervalSinceReferenceDate)),
        .any(access.forms.keys.sorted().map { .equal("entity", .text($0)) }),
      ])
      var newest: Int64?
      try transaction.forEachRow(
        SideTableQuery(SyncServerTables.objects, ["version"], where: isOld)
          .ordered(by: "version", descending: true).limited(to: 1)
      ) { newest = $0[0].integer }
      guard let newest else { return }
      try transaction.delete(from: SyncServerTables.objects, where: isOld)
      try transaction.delete(
        from: SyncServerTables.departures, where: .atMost("version", .integer(newest)))
      progress.forgotten = max(progress.forgotten, newest)
      progress.revision &+= 1
      try Self.write(progress, transaction)
    }
  }
}
