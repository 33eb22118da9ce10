import SwiftData
import SwiftDataSQL

/// A server's storage over a container: the models belong to the server, and the bookkeeping tables are in the same
/// file.
final class ModelServerStorage: SyncServerStorage {
  /// The author of changes that clients push.
  static let author = "sync.server"
  /// The time in seconds during which outcomes are stored: after a longer absence, a client's last batch is processed
  /// as new.
  private static let answerAge: Double = 30 * 86_400
  /// The number of objects that are read at a time while a page is filled.
  private static let portion = 500

  let access: ModelAccess
  /// The approximate maximum number of bytes of attachments in a page.
  private let maximumWeight: Int

  private static let statements = [
    """
    CREATE TABLE IF NOT EXISTS "_syncserver_object" (
      entity TEXT NOT NULL, key TEXT NOT NULL, row INTEGER, version INTEGER NOT NULL, scope TEXT,
      deleted REAL, PRIMARY KEY (entity, key)) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS \"_syncserver_version\" ON \"_syncserver_object\" (version)",
    "CREATE INDEX IF NOT EXISTS \"_syncserver_row\" ON \"_syncserver_object\" (entity, row)",
    """
    CREATE TABLE IF NOT EXISTS "_syncserver_departure" (
      version INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, scope TEXT,
      PRIMARY KEY (version, entity, key)) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS "_syncserver_answer" (
      client TEXT NOT NULL, change TEXT NOT NULL, outcome BLOB NOT NULL, time REAL NOT NULL,
      PRIMARY KEY (client, change)) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS \"_syncserver_answer_time\" ON \"_syncserver_answer\" (time)",
    """
    CREATE TABLE IF NOT EXISTS "_syncserver_progress" (
      id INTEGER PRIMARY KEY, absorbed INTEGER NOT NULL, version INTEGER NOT NULL,
      forgotten INTEGER NOT NULL, revision INTEGER NOT NULL)
    """,
  ]

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
      container, models, author: Self.author, objectTable: "_syncserver_object",
      attachmentFolder: "sync-server")
    try access.store.writeSideTables { tables in
      for statement in Self.statements { try tables.run(statement) }
    }
    try container.registerHistoryConsumer(Self.author)
  }

  var schema: SyncSchema { access.schema }

  func position() throws -> Int64 { try access.position() }

  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])] {
    try access.edits(after: number)
  }

  func allObjects() throws -> [SyncObjectID] {
    var objects = Set(try access.allObjects())
    try read("SELECT entity, key FROM \"_syncserver_object\"") {
      objects.formUnion(ModelSyncStorage.object($0))
    }
    return objects.sorted()
  }

  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncServerEntry] {
    var entries: [SyncObjectID: SyncServerEntry] = [:]
    for (object, values) in try access.values(of: objects) {
      entries[object] = SyncServerEntry(values: values)
    }
    try access.store.readSideTables { tables in
      for object in objects {
        try tables.forEach(
          "SELECT version, scope FROM \"_syncserver_object\" WHERE entity = ? AND key = ?",
          [.text(object.entity), .text(object.key)]
        ) { columns in
          entries[object, default: SyncServerEntry()].version = columns[0].integer
          entries[object]?.scope = columns[1].text
        }
      }
    }
    return entries
  }

  func scope(of object: SyncObjectID) throws -> SyncScope {
    var scope = SyncScope.nobody
    try read(
      "SELECT scope FROM \"_syncserver_object\" WHERE entity = ? AND key = ? AND deleted IS NULL",
      [.text(object.entity), .text(object.key)]
    ) { columns in scope = columns[0].text.map { .user($0) } ?? .everybody }
    return scope
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
    try access.obstacles(to: values).merging(try access.missing(for: values)) { $1 }
  }

  func remembered(_ changes: [String], client: String) throws -> [String: SyncOutcome] {
    var outcomes: [String: SyncOutcome] = [:]
    try access.store.readSideTables { tables in
      for change in changes {
        try tables.forEach(
          "SELECT outcome FROM \"_syncserver_answer\" WHERE client = ? AND change = ?",
          [.text(client), .text(change)]
        ) { columns in
          if let json = try access.document(columns[0]) {
            outcomes[change] = try SyncOutcome.parse(json).outcome
          }
        }
      }
    }
    return outcomes
  }

  func changes(
    after version: Int64, scope: String?, limit: Int
  ) throws -> (changes: [SyncRemote], through: Int64, hasMore: Bool) {
    let source =
      "(SELECT entity, key, version, 0 AS left FROM \"_syncserver_object\" WHERE version > ?1"
      + " AND (scope IS NULL OR scope = ?2) UNION ALL"
      // An object that has come back into the scope is among the objects.
      + " SELECT d.entity, d.key, d.version, 1 FROM \"_syncserver_departure\" AS d WHERE d.version > ?1"
      + " AND (d.scope IS NULL OR d.scope = ?2) AND NOT EXISTS (SELECT 1 FROM"
      + " \"_syncserver_object\" AS o WHERE o.entity = d.entity AND o.key = d.key"
      + " AND (o.scope IS NULL OR o.scope = ?2)))"
    let bindings: [SQLValue] = [.integer(version), scope.map { .text($0) } ?? .null]
    var found: [(object: SyncObjectID, version: Int64, isDeparture: Bool)] = []
    var through = Int64.max
    var hasMore = false
    try access.store.readSideTables { tables in
      try tables.forEach(
        "SELECT version FROM \(source) ORDER BY version LIMIT 1 OFFSET \(max(0, limit - 1))",
        bindings
      ) { through = $0[0].integer ?? .max }
      try tables.forEach(
        "SELECT entity, key, version, left FROM \(source) WHERE version <= ?3 ORDER BY version",
        bindings + [.integer(through)]
      ) { columns in
        guard let object = ModelSyncStorage.object(columns).first else { return }
        found.append((object, columns[2].integer ?? 0, columns[3].integer == 1))
      }
      guard through < .max else { return }
      try tables.forEach(
        "SELECT 1 FROM \(source) WHERE version > ?3 LIMIT 1", bindings + [.integer(through)]
      ) { _ in hasMore = true }
    }
    let changes = try self.changes(found)
    return (changes, changes.last?.version ?? version, hasMore || changes.count < found.count)
  }

  /// Returns the objects with their values, as many as fit into a page. Versions aren't divided, and at least one is
  /// returned.
  private func changes(
    _ found: [(object: SyncObjectID, version: Int64, isDeparture: Bool)]
  ) throws -> [SyncRemote] {
    var changes: [SyncRemote] = []
    var weight = 0
    var start = 0
    while start < found.count {
      let part = found[start..<min(start + Self.portion, found.count)]
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
    }
    return changes
  }

  func progress() throws -> SyncServerProgress? {
    var progress: SyncServerProgress?
    try access.store.readSideTables { progress = try Self.progress($0) }
    return progress
  }

  private static func progress(_ tables: SideTables) throws -> SyncServerProgress? {
    var progress: SyncServerProgress?
    try tables.forEach(
      "SELECT absorbed, version, forgotten, revision FROM \"_syncserver_progress\""
    ) { columns in
      var found = SyncServerProgress()
      found.absorbed = columns[0].integer ?? 0
      found.version = columns[1].integer ?? 0
      found.forgotten = columns[2].integer ?? 0
      found.revision = columns[3].integer ?? 0
      progress = found
    }
    return progress
  }

  private func read(
    _ sql: String, _ bindings: [SQLValue] = [], _ body: ([SQLValue]) throws -> Void
  ) throws {
    try access.store.readSideTables { try $0.forEach(sql, bindings, body) }
  }

  // MARK: Writing

  func commit(_ writes: SyncServerWrites, at position: Int64) throws {
    try ModelWriting(access).run(renames: [], values: writes.values, marks: [:]) { tables in
      guard try tables.lastTransaction() == position,
        (try Self.progress(tables)?.revision ?? 0) + 1 == writes.progress.revision
      else { throw SyncStale() }
    } end: { [self] tables in
      for (object, entry) in writes.entries {
        let row = try access.row(of: object, tables)
        let deleted: SQLValue = row == nil ? .real(Date.now.timeIntervalSinceReferenceDate) : .null
        try tables.run(
          "INSERT INTO \"_syncserver_object\" VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (entity, key)"
            + " DO UPDATE SET row = coalesce(excluded.row, row), version = excluded.version,"
            + " scope = excluded.scope, deleted = excluded.deleted",
          [
            .text(object.entity), .text(object.key), SQLValue(integer: row),
            .integer(entry.version ?? 0), entry.scope.map { .text($0) } ?? .null, deleted,
          ])
      }
      for departure in writes.departures {
        try tables.run(
          "INSERT OR REPLACE INTO \"_syncserver_departure\" VALUES (?, ?, ?, ?)",
          [
            .integer(departure.version), .text(departure.object.entity),
            .text(departure.object.key), departure.scope.map { .text($0) } ?? .null,
          ])
      }
      try self.write(writes.answers, tables)
      try Self.write(writes.progress, tables)
    }
  }

  private func write(
    _ answers: [(client: String, change: String, outcome: SyncOutcome)], _ tables: SideTables
  ) throws {
    guard !answers.isEmpty else { return }
    let now = Date.now.timeIntervalSinceReferenceDate
    for (client, change, outcome) in answers {
      try tables.run(
        "INSERT OR REPLACE INTO \"_syncserver_answer\" VALUES (?, ?, ?, ?)",
        [
          .text(client), .text(change), try access.kept(outcome.json(id: change), about: nil),
          .real(now),
        ])
    }
    try Self.forget(answersBefore: now - Self.answerAge, tables)
  }

  private static func forget(answersBefore time: Double, _ tables: SideTables) throws {
    try tables.run("DELETE FROM \"_syncserver_answer\" WHERE time < ?", [.real(time)])
  }

  /// Deletes the outcomes that were stored before a date.
  func forgetAnswers(before date: Date) throws {
    try access.store.writeSideTables { tables in
      try Self.forget(answersBefore: date.timeIntervalSinceReferenceDate, tables)
    }
  }

  private static func write(_ progress: SyncServerProgress, _ tables: SideTables) throws {
    try tables.run(
      "INSERT OR REPLACE INTO \"_syncserver_progress\" VALUES (1, ?, ?, ?, ?)",
      [
        .integer(progress.absorbed), .integer(progress.version), .integer(progress.forgotten),
        .integer(progress.revision),
      ])
    try tables.acknowledgeHistory(through: progress.absorbed, by: author)
  }

  /// Deletes tombstones from before a date, which invalidates every cursor older than one of them.
  func forgetTombstones(before date: Date) throws {
    try access.store.writeSideTables { tables in
      guard var progress = try Self.progress(tables) else { return }
      let limit: SQLValue = .real(date.timeIntervalSinceReferenceDate)
      var newest: Int64?
      try tables.forEach(
        "SELECT max(version) FROM \"_syncserver_object\" WHERE deleted < ?", [limit]
      ) { newest = $0[0].integer }
      guard let newest else { return }
      try tables.run("DELETE FROM \"_syncserver_object\" WHERE deleted < ?", [limit])
      try tables.run(
        "DELETE FROM \"_syncserver_departure\" WHERE version <= ?", [.integer(newest)])
      progress.forgotten = max(progress.forgotten, newest)
      progress.revision += 1
      try Self.write(progress, tables)
    }
  }
}
