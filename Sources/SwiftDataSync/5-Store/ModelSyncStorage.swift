import Foundation
import SwiftDataCore

/// A ledger's storage over a container: the models in their tables and the bookkeeping tables beside them, all in one
/// transaction.
package final class ModelSyncStorage: SyncStorage {
  /// The author of the engine's transactions.
  static let author = "sync"

  let access: ModelAccess
  /// Processes pages, also in parallel to the storage's work.
  let reader: IncomingReader
  /// The order in which the base values of each entity are written.
  let orders: [String: MemberOrder]
  /// The entities by name, as the ledger knows them.
  let entities: [String: SyncSchema.Entity]
  /// Whether any references waited when entries were last loaded.
  var hasWaiting = false
  /// The reasons of all quarantined changes, with the revision of the progress as of which they hold.
  var reasons: (revision: Int64, all: [SyncObjectID: SyncQuarantine.Reason])?
  /// The way in which new objects are distinguished from known ones.
  var novelty = Novelty.lookedUp

  /// - Parameter separatesAttachments: Whether the transport transfers attachments.
  /// - Throws: ``SyncError`` when a model can't be synchronized, the store's error when the store can't be used.
  package init(
    _ container: ModelContainer, _ models: [SyncedModel], separatesAttachments: Bool = false
  ) throws {
    access = try ModelAccess(
      container, models, author: Self.author, objectTable: SyncTables.objects,
      attachmentFolder: separatesAttachments ? "sync" : nil)
    reader = try IncomingReader(access)
    orders = access.forms.mapValues(\.memberOrder)
    entities = access.schema.entities
    if access.store.allowsSave {
      try access.store.writeSideTables { try SyncTables.create($0) }
      // The history is kept under this name until it has been sent.
      try container.registerHistoryConsumer(Self.author)
    } else {
      try access.store.readRows { try SyncTables.require($0) }
    }
    access.rowless = { [unowned self] in try waitingValues(of: $0) }
  }

  package func position() throws -> Int64 { try access.position() }

  package func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])]
  {
    try access.edits(after: number)
  }

  package func allObjects() throws -> [SyncObjectID] {
    var objects = Set(try access.allObjects())
    try read(SideTableQuery(SyncTables.objects, ["entity", "key"])) {
      objects.formUnion(Self.object($0))
    }
    return objects.sorted()
  }

  package func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncEntry] {
    hasWaiting = try anyWaits()
    guard !objects.isEmpty else { return [:] }
    var entries: [SyncObjectID: SyncEntry] = [:]
    entries.reserveCapacity(objects.count)
    var rows: [SyncObjectID: Int64?] = [:]
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        of: objects, in: SyncTables.objects,
        ["version", "base", "parking", "owed", "held", "epoch", "row"]
      ) { object, columns in
        entries[object] = fitted(SyncEntry(record: try record(columns)), object)
        rows[object] = .some(columns[6].integer)
      }
    }
    for (object, values) in try withWaiting(access.values(of: objects), entries) {
      entries[object, default: SyncEntry()].values = values
    }
    entries = try withoutGone(entries)
    return try annotated(entries, rows)
  }

  /// Returns an entry that another version of the app may have recorded, with other synchronized properties, for this
  /// version's properties.
  private func fitted(_ entry: SyncEntry, _ object: SyncObjectID) -> SyncEntry {
    guard let base = entry.record.base, let entity = entities[object.entity] else { return entry }
    var entry = entry
    entry.record.base = entity.known(base)
    entry.initial = entity.initial
    if let annotations = access.forms[object.entity]?.annotations, entry.agreed == annotations {
      entry.record.base = nil
    }
    return entry
  }

  package func firstAgreement(of entity: String) throws -> SyncValues? {
    var values: SyncValues?
    try read(
      SideTableQuery(
        SyncTables.objects, ["base"],
        where: .all([.equal("entity", .text(entity)), .isNotNull("base")])
      ).ordered(by: "version").limited(to: 1)
    ) { columns in
      if case .object(let base) = try access.document(columns[0]) { values = base }
    }
    return values
  }

  package func canonical(_ object: SyncObjectID) -> SyncObjectID { access.canonical(object) }

  package func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues? {
    try access.complete(values, of: object, over: known)
  }

  package func value(ofKey key: String, in object: SyncObjectID, property: String) -> SyncValue? {
    guard let form = access.forms[object.entity], let index = form.plan.propertiesByName[property]
    else { return nil }
    guard form.plan.properties[index].relationship == nil,
      let column = form.plan.properties[index].columns.first,
      form.plan.columns[column].kind == .integer
    else { return .text(key) }
    return Int64(key).map { .integer($0) }
  }

  package func dependents(
    of objects: [SyncObjectID], after values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: Set<SyncObjectID>] {
    // Rows of annotated classes are never deleted.
    let objects = objects.filter { access.forms[$0.entity]?.annotations == nil }
    let planned = PlannedValues(values)
    let found = try access.dependents(of: objects, planned)
    // An object that waits for another destination isn't deleted: the deletion waits, too.
    let leaving = try leaving(Set(found.values.joined()).filter { planned[$0] == nil })
    guard !leaving.isEmpty else { return found }
    return try access.dependents(of: objects, PlannedValues(values + leaving))
  }

  package func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    try access.obstacles(to: keepingFormer(values))
      .merging(try missingAttachments(in: values)) { first, _ in first }
      .merging(try earlyDeletions(in: values)) { first, _ in first }
  }

  package func unseen(in epoch: Int64, entities: [String]?) throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    try read(
      SideTableQuery(
        SyncTables.objects, ["entity", "key"],
        where: .all([
          .any([.isNotNull("version"), .isNotNull("held")]), .less("epoch", than: .integer(epoch)),
        ]))
    ) { columns in
      objects += Self.object(columns).filter { entities?.contains($0.entity) ?? true }
    }
    return objects
  }

  package func areRenamed(_ objects: [SyncObjectID]) throws -> Bool {
    let objects = objects.filter { access.excludesFormerKey($0.entity) }
    guard !objects.isEmpty else { return false }
    return try access.store.readRows { transaction in
      let rows = try access.rows(of: objects, transaction)
      var isFound = false
      for (entity, members) in Dictionary(grouping: rows, by: \.key.entity) {
        let keys = Dictionary(members.map { ($0.value, $0.key.key) }, uniquingKeysWith: { $1 })
        try access.forEachRecord(ofRows: Set(keys.keys), of: entity, transaction) { row, key, _ in
          if keys[row] != key { isFound = true }
        }
      }
      return isFound
    }
  }

  package func hasVersions(in ranges: [ClosedRange<Int64>]) throws -> Bool {
    let conditions = ranges.map { range in
      SideTableCondition.all([
        .any([
          .equal("version", .integer(range.lowerBound)),
          .greater("version", than: .integer(range.lowerBound)),
        ]),
        .atMost("version", .integer(range.upperBound)),
      ])
    }
    var isFound = false
    try read(
      SideTableQuery(SyncTables.objects, ["version"], where: .any(conditions)).limited(to: 1)
    ) { _ in isFound = true }
    return isFound
  }

  package func progress() throws -> SyncProgress? {
    var progress: SyncProgress?
    try read(SideTableQuery(SyncTables.progress, ["value"])) { columns in
      progress = try columns[0].json().map { try SyncProgress(json: $0) }
    }
    return progress
  }

  package func inFlight() throws -> [SyncInFlight] {
    var inFlight: [SyncInFlight] = []
    try read(
      SideTableQuery(SyncTables.flights, ["change", "through", "unit"]).ordered(by: "place")
    ) { columns in
      inFlight.append(
        SyncInFlight(
          change: try SyncChange(json: try access.document(columns[0]) ?? .null),
          through: columns[1].integer ?? 0, unit: columns[2].integer ?? 0))
    }
    return inFlight
  }

  package func pendingObjects() throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    try read(SideTableQuery(SyncTables.objects, ["entity", "key"], where: SyncTables.isPending)) {
      objects += Self.object($0)
    }
    return objects
  }

  package func quarantined() throws -> [SyncObjectID: SyncQuarantine] {
    var quarantined: [SyncObjectID: SyncQuarantine] = [:]
    try read(
      SideTableQuery(
        SyncTables.objects, ["entity", "key", "parking"], where: SyncTables.isQuarantined)
    ) { columns in
      guard let object = Self.object(columns).first, let json = try access.document(columns[2])
      else {
        return
      }
      quarantined[object] = try SyncQuarantine(json: json)
    }
    return quarantined
  }

  /// Reads the changes only when another engine has committed since they were last read.
  package func quarantineReasons() throws -> [SyncObjectID: SyncQuarantine.Reason] {
    let revision = try progress()?.revision
    if let reasons, reasons.revision == revision { return reasons.all }
    let all = try quarantined().mapValues(\.reason)
    reasons = revision.map { ($0, all) }
    return all
  }

  func quarantinedCount() throws -> Int {
    try access.store.readRows {
      try $0.count(of: SyncTables.objects, where: SyncTables.isQuarantined)
    }
  }

  /// Returns the most recent conflicts, newest first.
  func resolutions(limit: Int) throws -> [SyncResolution] {
    var resolutions: [SyncResolution] = []
    try read(
      SideTableQuery(SyncTables.resolutions, ["value"]).ordered(by: "number", descending: true)
        .limited(to: limit)
    ) { columns in
      if let json = try access.document(columns[0]) {
        resolutions.append(try SyncResolution(json: json))
      }
    }
    return resolutions
  }

  func forgetResolutions(about object: SyncObjectID, through date: Date?) throws {
    var numbers = SideTableRows("number")
    try read(SideTableQuery(SyncTables.resolutions, ["number", "value"])) { columns in
      guard let json = try access.document(columns[1]) else { return }
      let resolution = try SyncResolution(json: json)
      guard resolution.conflict.object == object else { return }
      if let date, let made = resolution.date, made > date { return }
      numbers.append(columns[0])
    }
    guard !numbers.isEmpty else { return }
    try access.store.writeSideTables { try $0.delete(numbers, from: SyncTables.resolutions) }
  }

  // MARK: Rows

  func read(_ query: SideTableQuery, _ body: ([ColumnValue]) throws -> Void) throws {
    do {
      try access.store.readRows { try $0.forEachRow(query, body) }
    } catch let missing as SyncCoding.Missing {
      throw SyncError(.damaged, "The engine's data in the store can't be read: \(missing)")
    }
  }

  static func object(_ columns: [ColumnValue]) -> [SyncObjectID] {
    guard let entity = columns[0].text, let key = columns[1].text else { return [] }
    return [SyncObjectID(entity, key)]
  }

  private func record(_ columns: [ColumnValue]) throws -> SyncRecord {
    var record = SyncRecord(
      version: columns[0].integer, isPending: columns[3].integer == 1,
      epoch: columns[5].integer ?? 0)
    if case .object(let base) = try access.document(columns[1]) { record.base = base }
    if let quarantine = try access.document(columns[2]) {
      record.quarantine = try SyncQuarantine(json: quarantine)
    }
    if let deferred = try access.document(columns[4]) {
      record.deferred = try SyncRemote(json: deferred)
    }
    return record
  }
}
