import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The progress of a copy, which is stored with each of its batches.
struct CopyState: Codable {
  /// A foreign key that is created again at the end, because rows come in any order.
  struct Reference: Codable {
    let table: String
    let name: String
    let definition: String
  }

  /// The copied rows of a class.
  struct Rows: Codable, Equatable {
    var count = 0
    /// The sum of the rows' checksums.
    var checksum: UInt64 = 0
  }

  private static let key = "copy"

  /// The identifier and the last transaction of the store that is copied.
  let source: String
  let transaction: Int64
  let references: [Reference]
  /// The copied rows, by class.
  var rows: [String: Rows] = [:]
  /// The last row of each step, by the step's name.
  var last: [String: Int64] = [:]
  var finished: Set<String> = []
  /// The copied values under keys, and the last of these keys. Nil in a copy that an earlier version began.
  var values: Rows?
  var lastKey: String?

  static func stored(_ connection: PostgresConnection, address: String) throws -> CopyState? {
    let row = try connection.run("SELECT value FROM \"_metadata\" WHERE key = $1", [.text(key)])
    guard row.rowCount == 1, let bytes = row.data(0, 0) else { return nil }
    do { return try JSONDecoder().decode(CopyState.self, from: Data(bytes)) } catch {
      throw StoreError(
        .damaged, path: address,
        explanation: "the progress of a copy into it can't be read; drop the schema, and copy again"
      )
    }
  }

  func store(_ connection: PostgresConnection) throws {
    try connection.run(
      "INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 0, $2)"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [.text(Self.key), .blob(Array(try JSONEncoder().encode(self)))])
  }

  static func remove(_ connection: PostgresConnection) throws {
    try connection.run("DELETE FROM \"_metadata\" WHERE key = $1", [.text(key)])
  }

  /// All foreign keys of the store's tables.
  static func references(_ connection: PostgresConnection) throws -> [Reference] {
    let found = try connection.run(
      """
      SELECT t.relname::text, k.conname::text, pg_get_constraintdef(k.oid)
      FROM pg_catalog.pg_constraint AS k JOIN pg_catalog.pg_class AS t ON t.oid = k.conrelid
      WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace
      ORDER BY t.relname, k.conname
      """)
    return (0..<found.rowCount).compactMap { row in
      guard let table = found.text(row, 0), let name = found.text(row, 1),
        let definition = found.text(row, 2)
      else { return nil }
      return Reference(table: table, name: name, definition: definition)
    }
  }
}

extension CopyState.Reference {
  private var alteration: String { "ALTER TABLE \(SQLIdentifier.quoted(table))" }
  var removal: String { "\(alteration) DROP CONSTRAINT \(SQLIdentifier.quoted(name))" }
  var creation: String {
    "\(alteration) ADD CONSTRAINT \(SQLIdentifier.quoted(name)) \(definition)"
  }
}
