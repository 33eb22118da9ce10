import CSQLite
import Foundation

/// The same rows in a table with the same columns, through SQLite's C interface: a lower bound for the time of any
/// client.
struct RawRows {
  struct Row {
    var key: [UInt8]
    var place: String
    var title: String
    var time: Double
    var guests: Int
    var rating: Double
    var isPublic: Bool
    var remark: String?

    init(_ sighting: Sighting) {
      key = withUnsafeBytes(of: sighting.key.uuid) { Array($0) }
      (place, title, remark) = (sighting.place, sighting.title, sighting.remark)
      time = sighting.time.timeIntervalSinceReferenceDate
      (guests, rating, isPublic) = (sighting.guests, sighting.rating, sighting.isPublic)
    }
  }

  private let database: OpaquePointer
  private let statement: OpaquePointer

  init(_ file: URL) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(file.path, &opened) == SQLITE_OK, let opened else {
      throw SpeedProgram.Failure("\(file.path) can't be opened")
    }
    let schema = """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE sighting (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, place TEXT NOT NULL,
        title TEXT NOT NULL, time REAL NOT NULL, guests INTEGER NOT NULL, rating REAL NOT NULL,
        isPublic INTEGER NOT NULL, remark TEXT)
      """
    let upsert = """
      INSERT INTO sighting (key, place, title, time, guests, rating, isPublic, remark)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET place = excluded.place,
      title = excluded.title, time = excluded.time, guests = excluded.guests, rating = excluded.rating,
      isPublic = excluded.isPublic, remark = excluded.remark
      """
    var prepared: OpaquePointer?
    guard sqlite3_exec(opened, schema, nil, nil, nil) == SQLITE_OK,
      sqlite3_prepare_v2(opened, upsert, -1, &prepared, nil) == SQLITE_OK, let prepared
    else { throw SpeedProgram.Failure(String(cString: sqlite3_errmsg(opened))) }
    (database, statement) = (opened, prepared)
  }

  func close() {
    sqlite3_finalize(statement)
    sqlite3_close(database)
  }

  /// Writes rows in one transaction.
  func upsert(_ rows: some Sequence<Row>) throws {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    try check(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil))
    for row in rows {
      sqlite3_bind_blob(statement, 1, row.key, Int32(row.key.count), transient)
      sqlite3_bind_text(statement, 2, row.place, -1, transient)
      sqlite3_bind_text(statement, 3, row.title, -1, transient)
      sqlite3_bind_double(statement, 4, row.time)
      sqlite3_bind_int64(statement, 5, Int64(row.guests))
      sqlite3_bind_double(statement, 6, row.rating)
      sqlite3_bind_int64(statement, 7, row.isPublic ? 1 : 0)
      if let remark = row.remark {
        sqlite3_bind_text(statement, 8, remark, -1, transient)
      } else {
        sqlite3_bind_null(statement, 8)
      }
      guard sqlite3_step(statement) == SQLITE_DONE else { return try check(SQLITE_ERROR) }
      sqlite3_reset(statement)
    }
    try check(sqlite3_exec(database, "COMMIT", nil, nil, nil))
  }

  private func check(_ status: Int32) throws {
    guard status == SQLITE_OK else {
      throw SpeedProgram.Failure(String(cString: sqlite3_errmsg(database)))
    }
  }
}

extension SpeedProgram {
  /// Inserts rows, a thousand per transaction, and then updates some of them, as many as in a push.
  static func raw(_ count: Int, _ edits: Int, in folder: URL) throws -> [String: Double] {
    let rows = (0..<count).map { RawRows.Row(Sighting($0)) }
    let changed = rows.prefix(edits).map { row in
      var row = row
      row.guests += 1
      return row
    }
    let table = try RawRows(folder.appending(path: "raw.store"))
    defer { table.close() }
    func measured(_ rows: [RawRows.Row], by length: Int) throws -> Double {
      let clock = ContinuousClock()
      let start = clock.now
      for begin in stride(from: 0, to: rows.count, by: length) {
        try table.upsert(rows[begin..<min(begin + length, rows.count)])
      }
      return seconds(clock.now - start)
    }
    let inserted = try measured(rows, by: 1_000)
    let updated = try measured(changed, by: 500)
    return ["insert": Double(count) / inserted, "update": Double(changed.count) / updated]
  }
}
