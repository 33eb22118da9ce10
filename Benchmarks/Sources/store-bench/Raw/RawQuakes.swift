import BenchmarkSupport
import CSQLiteDirect
import Foundation

/// The table that the C interface's implementations and GRDB's use.
enum RawQuakes {
  static let columns =
    "code, magnitude, time, place, longitude, latitude, updated, felt, alert, status, tsunami, sig, magType, type"

  static let schema = """
    CREATE TABLE quake (
      id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, magnitude REAL, time REAL NOT NULL, place TEXT,
      longitude REAL NOT NULL, latitude REAL NOT NULL, updated REAL NOT NULL, felt INTEGER, alert TEXT,
      status TEXT NOT NULL, tsunami INTEGER NOT NULL, sig INTEGER NOT NULL, magType TEXT, type TEXT NOT NULL);
    CREATE INDEX quake_time ON quake (time)
    """

  static let insertion =
    "INSERT INTO quake (\(columns)) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)"

  private static let assignments = columns.split(separator: ", ").dropFirst()
    .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")

  static let upsert = "\(insertion) ON CONFLICT (code) DO UPDATE SET \(assignments)"

  /// The same statement, which doesn't write rows that are equal.
  static let upsertOfChanged =
    upsert + " WHERE ("
    + columns.split(separator: ", ").dropFirst().map { "quake.\($0)" }.joined(separator: ", ")
    + ") IS NOT ("
    + columns.split(separator: ", ").dropFirst().map { "excluded.\($0)" }
    .joined(separator: ", ") + ")"

  static func create(_ place: Place) throws {
    let database = try RawDatabase(place.file)
    try database.execute(schema)
    try insert(QuakeRows(place.rows), into: database, insertion)
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes rows in one transaction with one prepared statement.
  static func insert(_ rows: some Sequence<QuakeRow>, into database: RawDatabase, _ sql: String)
    throws
  {
    try database.execute("BEGIN IMMEDIATE")
    let statement = try database.prepare(sql)
    for row in rows { try insert(row, statement) }
    try database.execute("COMMIT")
  }

  @inline(__always)
  static func insert(_ row: QuakeRow, _ statement: RawStatement) throws {
    statement.bind(row.magnitude, at: 2)
    statement.bind(row.time, at: 3)
    statement.bind(row.longitude, at: 5)
    statement.bind(row.latitude, at: 6)
    statement.bind(row.updated, at: 7)
    statement.bind(row.felt, at: 8)
    statement.bind(row.tsunami ? 1 : 0, at: 11)
    statement.bind(row.significance, at: 12)
    try statement.withText(row.code, at: 1) {
      try statement.withText(row.place, at: 4) {
        try statement.withText(row.alert, at: 9) {
          try statement.withText(row.status, at: 10) {
            try statement.withText(row.magnitudeType, at: 13) {
              try statement.withText(row.type, at: 14) { _ = try statement.step() }
            }
          }
        }
      }
    }
    statement.reset()
  }

  /// Returns a checksum of the table's contents, computed from the database's own sums.
  static func checksum(_ file: URL, table: String = "quake", significance: String = "sig") throws
    -> UInt64
  {
    let database = try RawDatabase(file)
    let sum = try database.integer(
      "SELECT count(*) * 1000003 + ifnull(sum(length(place)), 0) + ifnull(sum(\(significance)), 0)"
        + " + CAST(total(magnitude) * 1000 AS INTEGER) + CAST(total(updated) AS INTEGER) FROM \"\(table)\""
    )
    return UInt64(bitPattern: Int64(sum))
  }

  static let selection = "SELECT id, \(columns) FROM quake"

  @inline(__always)
  static func row(_ statement: RawStatement) -> QuakeRow {
    QuakeRow(
      code: statement.text(1), magnitude: statement.doubleIfAny(2), time: statement.double(3),
      place: statement.textIfAny(4), longitude: statement.double(5), latitude: statement.double(6),
      updated: statement.double(7), felt: statement.intIfAny(8), alert: statement.textIfAny(9),
      status: statement.text(10), tsunami: statement.int(11) != 0, significance: statement.int(12),
      magnitudeType: statement.textIfAny(13), type: statement.text(14))
  }
}

/// An event as a final class, as a minimal object layer would have it.
final class PlainQuake {
  let id: Int
  var row: QuakeRow

  init(_ statement: RawStatement) {
    id = statement.int(0)
    row = RawQuakes.row(statement)
  }
}
