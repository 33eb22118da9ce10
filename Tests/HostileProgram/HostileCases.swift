import Foundation

/// The families of cases, each in a fixed order.
enum HostileCases {
  static let families = ["numbers", "texts", "blobs", "header", "objects"]

  static func cases(_ family: String, of file: URL) throws -> [HostileCase] {
    let database = try Database(file)
    defer { database.close() }
    switch family {
    case "numbers": return try values(numbers, in: database) + missingRows(database)
    case "texts": return try values(texts, in: database)
    case "blobs": return try blobs(database)
    case "header": return headers
    default: return try objects(database)
    }
  }

  // MARK: - Values

  private static let numbers = [
    "-9223372036854775808", "-9223372036854775807", "-1", "0", "1", "2147483648",
    "9223372036854775806", "9223372036854775807", "1e308", "-1e308", "9e999", "NULL", "'text'",
    "x'626c6f62'",
  ]

  private static let texts = [
    "''", "printf('%.*c', 100000, 'x')", "CAST(x'ff80fe41c3' AS TEXT)", "CAST(x'610062' AS TEXT)",
    "'\u{202E}x\u{2066}y\u{200F}'", "'{}'", "'[]'", "'{\"number\": 1e400}'",
    "printf('%.*c', 20000, '[')", "'9223372036854775807'", "'a b c'", "'Relic'",
  ]

  /// Returns a case for every value in every cell.
  private static func values(_ values: [String], in database: Database) throws -> [HostileCase] {
    try database.cells().flatMap { cell in
      values.map { value in
        HostileCase(
          name: "\(cell.table).\(cell.column) = \(value) WHERE \(cell.row)",
          change: .sql(
            "UPDATE \"\(cell.table)\" SET \"\(cell.column)\" = \(value) WHERE \(cell.row)"),
          keepsRows: cell.isOwn)
      }
    }
  }

  private static func missingRows(_ database: Database) throws -> [HostileCase] {
    var known: Set<String> = []
    return try database.cells().filter(\.isOwn).compactMap { cell in
      let sql = "DELETE FROM \"\(cell.table)\" WHERE \(cell.row)"
      guard known.insert(sql).inserted else { return nil }
      return HostileCase(name: sql, change: .sql(sql), keepsRows: true)
    }
  }

  /// Returns every text and blob cut off at each byte, and with each bit of its first 64 bytes
  /// flipped.
  private static func blobs(_ database: Database) throws -> [HostileCase] {
    var cases: [HostileCase] = []
    for cell in try database.cells() where !cell.bytes.isEmpty {
      let count = cell.bytes.utf8.count / 2
      let value = { (hex: String) in cell.isText ? "CAST(x'\(hex)' AS TEXT)" : "x'\(hex)'" }
      func add(_ name: String, _ hex: String) {
        cases.append(
          HostileCase(
            name: "\(cell.table).\(cell.column) \(name) WHERE \(cell.row)",
            change: .sql(
              "UPDATE \"\(cell.table)\" SET \"\(cell.column)\" = \(value(hex)) WHERE \(cell.row)"),
            keepsRows: cell.isOwn))
      }
      for length in 0..<count { add("cut to \(length)", String(cell.bytes.prefix(length * 2))) }
      let digits = Array(cell.bytes.utf8)
      for byte in 0..<min(64, count) {
        let number = UInt8(
          String(decoding: digits[byte * 2...byte * 2 + 1], as: UTF8.self), radix: 16)
        for bit in 0..<8 {
          let flipped = (number ?? 0) ^ (1 << UInt8(bit))
          let text = (flipped < 16 ? "0" : "") + String(flipped, radix: 16)
          var changed = digits
          changed.replaceSubrange(byte * 2...byte * 2 + 1, with: Array(text.utf8))
          add("bit \(bit) of byte \(byte)", String(decoding: changed, as: UTF8.self))
        }
      }
    }
    return cases
  }

  // MARK: - Header

  private static var headers: [HostileCase] {
    var cases: [HostileCase] = []
    for pragma in ["user_version", "application_id", "schema_version", "default_cache_size"] {
      for value in ["-2147483648", "-1", "0", "1", "2", "2147483647"] {
        cases.append(
          HostileCase(
            name: "\(pragma) = \(value)", change: .sql("PRAGMA \(pragma) = \(value)"),
            keepsRows: true))
      }
    }
    for place in 0..<100 {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        cases.append(
          HostileCase(
            name: "byte \(place) of the header is \(value)",
            change: .bytes { bytes in bytes[place] = value }, keepsRows: false))
      }
    }
    return cases
  }

  // MARK: - Added and removed objects

  private static func objects(_ database: Database) throws -> [HostileCase] {
    var statements: [String] = []
    for row in try database.rows(
      "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    {
      statements.append("DROP \(row[0]) \"\(row[1])\"")
    }
    let tables = [
      "Relic", "Keeper", "_metadata", "_history_transaction", "_history_change", "_rowNumbers",
      "_search_stale", "_external_garbage",
    ]
    for table in tables {
      for event in ["BEFORE INSERT", "AFTER UPDATE", "BEFORE DELETE", "AFTER DELETE"] {
        for body in bodies {
          statements.append(
            "CREATE TRIGGER \"their trigger\" \(event) ON \"\(table)\" BEGIN \(body); END")
        }
      }
      statements.append("ALTER TABLE \"\(table)\" ADD COLUMN theirs")
      statements.append("ALTER TABLE \"\(table)\" RENAME TO theirs")
      statements.append("CREATE INDEX theirs ON \"\(table)\" (1 + 1)")
    }
    statements += [
      "DROP VIEW Relic_readable; CREATE VIEW Relic_readable AS SELECT * FROM Relic_readable",
      "DROP VIEW Relic_readable; CREATE TABLE Relic_readable (a)",
      "DROP TABLE Hall; CREATE VIEW Hall AS SELECT 1 AS \"_id\", 'x' AS name",
      "DROP INDEX Relic_code_unique; CREATE INDEX Relic_code_unique ON Relic (rank)",
      "CREATE UNIQUE INDEX theirs ON Relic (y)",
      "CREATE TABLE theirs (a REFERENCES Relic (\"_id\")); INSERT INTO theirs VALUES (1)",
      "DELETE FROM Relic WHERE rank = 1", "DELETE FROM Keeper",
      "UPDATE Relic SET \"_id\" = 9223372036854775807 WHERE rank = 5",
      "UPDATE Relic SET \"_id\" = -9223372036854775808 WHERE rank = 5",
      "UPDATE Keeper SET \"_entity\" = 'Nobody'",
    ]
    return statements.map { HostileCase(name: $0, change: .sql($0), keepsRows: false) }
  }

  private static let bodies = [
    "SELECT RAISE(ABORT, 'no')", "SELECT RAISE(FAIL, 'no')", "SELECT RAISE(ROLLBACK, 'no')",
    "SELECT RAISE(IGNORE)", "DELETE FROM \"_metadata\"",
    "UPDATE \"_metadata\" SET value = 9223372036854775807",
    "INSERT OR REPLACE INTO \"_history_transaction\" VALUES (9223372036854775807, 0, '', '', 0, 9223372036854775807)",
    "DELETE FROM \"_history_change\"", "UPDATE Hall SET name = name || 'x'",
    "INSERT INTO Hall (name) VALUES ('theirs')", "SELECT no_such_function(1)",
  ]
}
