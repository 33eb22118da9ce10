import SwiftData
import SwiftDataSQL

/// The bookkeeping tables in the store's file, and the encoding of their values.
enum SyncTables {
  static let statements = [
    // `row` identifies the object of a row after the row has been deleted. Keys arrive in random order and base values
    // are long: with row IDs, only the index is written in random order.
    """
    CREATE TABLE IF NOT EXISTS "_sync_object" (
      entity TEXT NOT NULL, key TEXT NOT NULL, row INTEGER, version INTEGER, base BLOB, parking BLOB,
      owed INTEGER NOT NULL, held BLOB, epoch INTEGER NOT NULL, PRIMARY KEY (entity, key))
    """,
    "CREATE INDEX IF NOT EXISTS \"_sync_object_row\" ON \"_sync_object\" (entity, row)",
    """
    CREATE INDEX IF NOT EXISTS "_sync_object_open" ON "_sync_object" (entity, key)
      WHERE owed OR parking IS NOT NULL
    """,
    """
    CREATE TABLE IF NOT EXISTS "_sync_flight" (
      place INTEGER PRIMARY KEY, change BLOB NOT NULL, through INTEGER NOT NULL, unit INTEGER NOT NULL)
    """,
    "CREATE TABLE IF NOT EXISTS \"_sync_progress\" (id INTEGER PRIMARY KEY, value BLOB NOT NULL)",
    // References whose destination doesn't exist yet; `place` is the position in a list, or negative.
    """
    CREATE TABLE IF NOT EXISTS "_sync_waiting" (
      entity TEXT NOT NULL, key TEXT NOT NULL, property TEXT NOT NULL, destinationEntity TEXT NOT NULL,
      destinationKey TEXT NOT NULL, place INTEGER NOT NULL,
      PRIMARY KEY (entity, key, property, destinationKey)) WITHOUT ROWID
    """,
    """
    CREATE INDEX IF NOT EXISTS "_sync_waiting_destination"
      ON "_sync_waiting" (destinationEntity, destinationKey)
    """,
    "CREATE TABLE IF NOT EXISTS \"_sync_resolution\" (number INTEGER PRIMARY KEY, value BLOB NOT NULL)",
  ]

  /// The maximum number of stored conflicts.
  static let maximumResolutions = 1_000

  /// Creates missing tables and migrates those of an older engine.
  static func create(_ tables: SideTables) throws {
    var columns: Set<String> = []
    try tables.forEach("SELECT name FROM pragma_table_info('_sync_waiting')") {
      if let name = $0[0].text { columns.insert(name) }
    }
    let isOld = !columns.isEmpty && !columns.contains("place")
    if isOld {
      try tables.run("ALTER TABLE \"_sync_waiting\" RENAME TO \"_sync_waiting_old\"")
      try tables.run("DROP INDEX IF EXISTS \"_sync_waiting_destination\"")
    }
    for statement in statements { try tables.run(statement) }
    guard isOld else { return }
    try tables.run(
      "INSERT INTO \"_sync_waiting\" SELECT w.*, CASE WHEN o.row IS NULL THEN -1 ELSE 0 END"
        + " FROM \"_sync_waiting_old\" AS w LEFT JOIN \"_sync_object\" AS o"
        + " ON o.entity = w.entity AND o.key = w.key")
    try tables.run("DROP TABLE \"_sync_waiting_old\"")
  }
}

// MARK: - Queries with lists

extension SideTables {
  private static let listLength = 250

  /// Calls `body` with each row of a query that ends with a list of values.
  ///
  /// - Parameters:
  ///   - sql: The query up to the list, as in `SELECT … WHERE key IN`.
  ///   - bindings: The values before the list.
  ///   - values: The list. It is divided into parts of one of two fixed lengths, so that there are only two statements
  ///     whatever its length.
  func forEach(
    _ sql: String, _ bindings: [SQLValue] = [], in values: [SQLValue],
    _ body: ([SQLValue]) throws -> Void
  ) throws {
    try inParts(sql, bindings, values) { try forEach($0, $1, body) }
  }

  /// Calls `body` with the cells of each row, which are valid only during the call.
  func forEachRow(
    _ sql: String, _ bindings: [SQLValue] = [], in values: [SQLValue],
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    try inParts(sql, bindings, values) { try forEachRow($0, $1, body) }
  }

  private func inParts(
    _ sql: String, _ bindings: [SQLValue], _ values: [SQLValue],
    _ ask: (String, [SQLValue]) throws -> Void
  ) throws {
    var start = 0
    while start < values.count {
      let length = values.count - start > 8 ? Self.listLength : 8
      let end = min(start + length, values.count)
      let part = values[start..<end]
      // NULL is equal to no value.
      let padding = repeatElement(SQLValue.null, count: length - part.count)
      let places = repeatElement("?", count: length).joined(separator: ",")
      try ask("\(sql) (\(places))", bindings + part + padding)
      start = end
    }
  }
}

// MARK: - Reading SQLite values

extension SQLValue {
  var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var bytes: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }

  /// Decodes a JSON value of the bookkeeping tables.
  func json() throws -> SyncValue? {
    guard let bytes else { return nil }
    do { return try SyncJSON.parse(bytes) } catch {
      throw SyncError(.damaged, "What the engine keeps in the store can't be read: \(error)")
    }
  }

  init(json value: SyncValue?) { self = value.map { .blob($0.json) } ?? .null }
  init(integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}
