import SwiftData
import SwiftDataSQL

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
  /// Whether any references waited when entries were last loaded.
  var hasWaiting = false
  /// The way in which new objects are distinguished from known ones.
  var novelty = Novelty.lookedUp

  /// - Parameter separatesAttachments: Whether the transport transfers attachments.
  /// - Throws: ``SyncError`` when a model can't be synchronized, the store's error when the store can't be used.
  package init(
    _ container: ModelContainer, _ models: [SyncedModel], separatesAttachments: Bool = false
  ) throws {
    access = try ModelAccess(
      container, models, author: Self.author, objectTable: "_sync_object",
      attachmentFolder: separatesAttachments ? "sync" : nil)
    reader = try IncomingReader(access)
    orders = access.forms.mapValues(\.memberOrder)
    try access.store.writeSideTables { tables in
      try SyncTables.create(tables)
    }
    // The history is kept under this name until it has been sent.
    try container.registerHistoryConsumer(Self.author)
    access.rowless = { [unowned self] in try waitingValues(of: $0) }
  }

  package func position() throws -> Int64 { try access.position() }

  package func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])]
  {
    try access.edits(after: number)
  }

  package func allObjects() throws -> [SyncObjectID] {
    var objects = Set(try access.allObjects())
    try read("SELECT entity, key FROM \"_sync_object\"") { objects.formUnion(Self.object($0)) }
    return objects.sorted()
  }

  package func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncEntry] {
    hasWaiting = try anyWaits()
    guard !objects.isEmpty else { return [:] }
    var entries: [SyncObjectID: SyncEntry] = [:]
    entries.reserveCapacity(objects.count)
    let columns = "version, base, parking, owed, held, epoch, key, row"
    var rows: [SyncObjectID: Int64?] = [:]
    try access.store.readSideTables { tables in
      for (entity, members) in Dictionary(grouping: objects, by: \.entity) {
        try tables.forEach(
          "SELECT \(columns) FROM \"_sync_object\" WHERE entity = ? AND key IN", [.text(entity)],
          in: members.map { .text($0.key) }
        ) { columns in
          guard let key = columns[6].text else { return }
          let object = SyncObjectID(entity, key)
          entries[object] = SyncEntry(record: try record(columns))
          rows[object] = .some(columns[7].integer)
        }
      }
    }
    for (object, values) in try access.values(of: objects) {
      entries[object, default: SyncEntry()].values = try withWaiting(values, of: object)
    }
    for object in objects where access.destinations[object.entity] != nil {
      if let entry = entries[object] { entries[object] = try withoutGone(entry, of: object) }
    }
    return try annotated(entries, rows)
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

  package func dependents(of object: SyncObjectID) throws -> [SyncObjectID] {
    // Rows of annotated classes are never deleted.
    access.forms[object.entity]?.annotations == nil ? try access.dependents(of: object) : []
  }

  package func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    try access.obstacles(to: values).merging(try missingAttachments(in: values)) { first, _ in first
    }
  }

  package func unseen(in epoch: Int64, entities: [String]?) throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    try read(
      "SELECT entity, key FROM \"_sync_object\""
        + " WHERE (version IS NOT NULL OR held IS NOT NULL) AND epoch < ?",
      [.integer(epoch)]
    ) { columns in
      objects += Self.object(columns).filter { entities?.contains($0.entity) ?? true }
    }
    return objects
  }

  package func progress() throws -> SyncProgress? {
    var progress: SyncProgress?
    try read("SELECT value FROM \"_sync_progress\"") { columns in
      progress = try columns[0].json().map { try SyncProgress(json: $0) }
    }
    return progress
  }

  package func inFlight() throws -> [SyncInFlight] {
    var inFlight: [SyncInFlight] = []
    try read("SELECT change, through, unit FROM \"_sync_flight\" ORDER BY place") { columns in
      inFlight.append(
        SyncInFlight(
          change: try SyncChange(json: try access.document(columns[0]) ?? .null),
          through: columns[1].integer ?? 0, unit: columns[2].integer ?? 0))
    }
    return inFlight
  }

  package func owed() throws -> [SyncObjectID] {
    var objects: [SyncObjectID] = []
    try read(
      "SELECT entity, key FROM \"_sync_object\" WHERE (owed OR parking IS NOT NULL) AND owed"
    ) { objects += Self.object($0) }
    return objects
  }

  package func parked() throws -> [SyncObjectID: SyncParking] {
    var parked: [SyncObjectID: SyncParking] = [:]
    try read(
      "SELECT entity, key, parking FROM \"_sync_object\""
        + " WHERE (owed OR parking IS NOT NULL) AND parking IS NOT NULL"
    ) { columns in
      guard let object = Self.object(columns).first, let json = try access.document(columns[2])
      else {
        return
      }
      parked[object] = try SyncParking(json: json)
    }
    return parked
  }

  func parkedCount() throws -> Int {
    var count: Int64 = 0
    try read(
      "SELECT count(*) FROM \"_sync_object\""
        + " WHERE (owed OR parking IS NOT NULL) AND parking IS NOT NULL"
    ) { count = $0[0].integer ?? 0 }
    return Int(count)
  }

  /// Returns the most recent conflicts, newest first.
  func resolutions(limit: Int) throws -> [SyncResolution] {
    var resolutions: [SyncResolution] = []
    try read(
      "SELECT value FROM \"_sync_resolution\" ORDER BY number DESC LIMIT ?",
      [.integer(Int64(limit))]
    ) { columns in
      if let json = try access.document(columns[0]) {
        resolutions.append(try SyncResolution(json: json))
      }
    }
    return resolutions
  }

  func forgetResolutions(about object: SyncObjectID) throws {
    var numbers: [SQLValue] = []
    try read("SELECT number, value FROM \"_sync_resolution\"") { columns in
      guard let json = try access.document(columns[1]) else { return }
      if try SyncResolution(json: json).conflict.object == object { numbers.append(columns[0]) }
    }
    guard !numbers.isEmpty else { return }
    try access.store.writeSideTables { tables in
      for number in numbers {
        try tables.run("DELETE FROM \"_sync_resolution\" WHERE number = ?", [number])
      }
    }
  }

  // MARK: Rows

  func read(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: ([SQLValue]) throws -> Void
  ) throws {
    do {
      try access.store.readSideTables { try $0.forEach(sql, bindings, body) }
    } catch let missing as SyncCoding.Missing {
      throw SyncError(.damaged, "What the engine keeps in the store can't be read: \(missing)")
    }
  }

  static func object(_ columns: [SQLValue]) -> [SyncObjectID] {
    guard let entity = columns[0].text, let key = columns[1].text else { return [] }
    return [SyncObjectID(entity, key)]
  }

  private func record(_ columns: [SQLValue]) throws -> SyncRecord {
    var record = SyncRecord(
      version: columns[0].integer, isOwed: columns[3].integer == 1, epoch: columns[5].integer ?? 0)
    if case .object(let base) = try access.document(columns[1]) { record.base = base }
    if let parking = try access.document(columns[2]) {
      record.parking = try SyncParking(json: parking)
    }
    if let held = try access.document(columns[4]) { record.held = try SyncRemote(json: held) }
    return record
  }
}
