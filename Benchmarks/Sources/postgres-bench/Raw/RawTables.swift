import BenchmarkSupport

/// The tables that the C interface's implementations use, with the columns, keys and indices of the library's.
enum RawTables {
  static let columns = [
    "code", "magnitude", "time", "place", "longitude", "latitude", "updated", "felt", "alert",
    "status", "tsunami", "sig", "magtype", "type",
  ]
  static let list = columns.joined(separator: ", ")

  private static let schema = """
    CREATE TABLE quake (
      id bigint PRIMARY KEY, code text COLLATE "C" NOT NULL, magnitude double precision,
      time double precision NOT NULL, place text COLLATE "C", longitude double precision NOT NULL,
      latitude double precision NOT NULL, updated double precision NOT NULL, felt bigint,
      alert text COLLATE "C", status text COLLATE "C" NOT NULL, tsunami boolean NOT NULL,
      sig bigint NOT NULL, magtype text COLLATE "C", type text COLLATE "C" NOT NULL);
    CREATE UNIQUE INDEX quake_code ON quake (code);
    CREATE INDEX quake_time ON quake (time);
    CREATE TABLE station (id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL);
    CREATE TABLE reading (
      id bigint PRIMARY KEY, value double precision NOT NULL, label text COLLATE "C" NOT NULL,
      station bigint REFERENCES station ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
    CREATE INDEX reading_station ON reading (station);
    CREATE TABLE store (id smallint PRIMARY KEY, number bigint NOT NULL, total bigint NOT NULL)
      WITH (fillfactor = 10);
    CREATE TABLE history_transaction (
      number bigint PRIMARY KEY, key uuid NOT NULL UNIQUE, timestamp double precision NOT NULL,
      author text, program text NOT NULL, host text NOT NULL, process integer NOT NULL,
      total bigint NOT NULL);
    CREATE TABLE history_change (
      number bigint, layout bigint, part integer, changes bytea NOT NULL,
      PRIMARY KEY (number, layout, part));
    INSERT INTO store VALUES (1, 0, 0);
    """

  /// Creates a new schema with empty tables.
  static func create(_ name: String) throws -> RawPostgres {
    let connection = try RawPostgres(schema: name)
    try connection.execute("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE; CREATE SCHEMA \"\(name)\"")
    try connection.execute(schema)
    return connection
  }

  static func copy(
    _ rows: some Sequence<QuakeRow>, into table: String = "quake", _ connection: RawPostgres
  ) throws {
    try connection.copy(into: "\(table) (id, \(list))") { copy in
      var id: Int64 = 0
      for row in rows {
        id += 1
        try copy.beginRow(15)
        copy.append(id)
        append(row, to: &copy)
      }
    }
  }

  @inline(__always)
  static func append(_ row: QuakeRow, to values: inout RawParameters) {
    values.append(row.code)
    values.append(row.magnitude)
    values.append(row.time)
    values.append(row.place)
    values.append(row.longitude)
    values.append(row.latitude)
    values.append(row.updated)
    values.append(row.felt.map(Int64.init))
    values.append(row.alert)
    values.append(row.status)
    values.append(row.tsunami)
    values.append(Int64(row.significance))
    values.append(row.magnitudeType)
    values.append(row.type)
  }

  /// Reads the row of ``selection``.
  @inline(__always)
  static func row(_ result: borrowing RawResult, _ row: Int32) -> QuakeRow {
    QuakeRow(
      code: result.text(row, 1),
      magnitude: result.isNull(row, 2) ? nil : result.real(row, 2), time: result.real(row, 3),
      place: result.textIfAny(row, 4), longitude: result.real(row, 5),
      latitude: result.real(row, 6), updated: result.real(row, 7),
      felt: result.isNull(row, 8) ? nil : Int(result.integer(row, 8)),
      alert: result.textIfAny(row, 9), status: result.text(row, 10),
      tsunami: result.isTrue(row, 11), significance: Int(result.integer(row, 12)),
      magnitudeType: result.textIfAny(row, 13), type: result.text(row, 14))
  }

  static let selection = "SELECT id, \(list) FROM quake"

  private static let differences = columns.dropFirst()
  static let merge =
    "INSERT INTO quake AS t (id, \(list)) SELECT id, \(list) FROM batch ON CONFLICT (code) DO UPDATE SET "
    + differences.map { "\($0) = excluded.\($0)" }.joined(separator: ", ") + " WHERE ("
    + differences.map { "t.\($0)" }.joined(separator: ", ") + ") IS DISTINCT FROM ("
    + differences.map { "excluded.\($0)" }.joined(separator: ", ") + ")"

  /// The end of a transaction with a number and its history.
  static let record = """
    WITH n AS (UPDATE store SET number = number + 1, total = total + $1::bigint WHERE id = 1
      RETURNING number, total),
    t AS (INSERT INTO history_transaction SELECT n.number, gen_random_uuid(), $2::double precision,
      NULL, 'postgres-bench', 'localhost', 1, n.total FROM n)
    INSERT INTO history_change SELECT n.number, 1, 0, $3::bytea FROM n
    """

  /// A checksum of a table's contents, computed from the database's own sums.
  static func checksum(
    _ schema: String, table: String = "quake", significance: String = "sig"
  ) throws -> UInt64 {
    let sum = try RawPostgres(schema: schema).integer(
      "SELECT (count(*) * 1000003 + coalesce(sum(length(place)), 0)"
        + " + coalesce(sum(\"\(significance)\"), 0)"
        + " + trunc(coalesce(sum(magnitude::numeric), 0) * 1000)"
        + " + trunc(coalesce(sum(updated::numeric), 0)))::bigint FROM \"\(table)\"")
    return UInt64(bitPattern: sum)
  }
}
