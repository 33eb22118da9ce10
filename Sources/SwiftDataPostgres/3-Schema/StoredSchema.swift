import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The metadata of a store about its schema.
///
/// Opening compares the entities' hashes, so a store that fits costs one look-up.
struct StoredSchema: MigratedStore {
  private enum Key {
    static let description = "schema"
    static let hashes = "schema.hashes"
    static let former = "schema.former"
    static let version = "schema.version"
  }

  let connection: PostgresConnection
  let address: String

  // MARK: - Reading

  var state: StoredSchemaState? {
    get throws {
      var state = StoredSchemaState()
      let rows = try connection.run(
        "SELECT key, convert_from(value, 'UTF8') FROM \"_metadata\""
          + " WHERE key IN ('\(Key.hashes)', '\(Key.former)', '\(Key.version)')")
      for row in 0..<rows.rowCount {
        let text = rows.text(row, 1) ?? ""
        switch rows.text(row, 0) {
        case Key.hashes: state.hashes = StoredSchemaState.hashes(from: text)
        case Key.former: state.former = Set(text.split(separator: "\n").map(String.init))
        default: state.version = StoredSchemaState.version(from: text)
        }
      }
      // The description is there with any hashes.
      if state.hashes.isEmpty { state.hashes = EntityForms(try description).hashes }
      return state
    }
  }

  var description: SchemaDescription {
    get throws {
      let rows = try connection.run(
        "SELECT value FROM \"_metadata\" WHERE key = $1", [.text(Key.description)])
      do {
        let bytes = rows.rowCount == 1 ? Data(rows.bytes(0, 0)) : Data()
        return try JSONDecoder().decode(SchemaDescription.self, from: bytes)
      } catch {
        throw StoreError(
          .damaged, path: address,
          explanation:
            "the description of its schema can't be read (\(error)); restore it from a copy")
      }
    }
  }

  /// Every store has a description of its own.
  func description(by wanted: SchemaDescription) throws -> SchemaDescription { try description }

  func integer(_ sql: String) throws -> Int64? {
    let result = try connection.run(PostgresStatementText.finished(sql))
    return result.rowCount > 0 ? result.integer(0, 0) : nil
  }

  // MARK: - Writing

  /// - Parameter former: The hashes that entities had before; nil to leave them.
  func write(_ description: SchemaDescription, former: Set<String>? = nil) throws {
    for (key, value) in try Self.values(of: description) { try set(key, Array(value)) }
    if let former { try set(Key.former, Array(former.sorted().joined(separator: "\n").utf8)) }
  }

  /// The statement that writes the metadata of a new store.
  static func creation(_ description: SchemaDescription) throws -> String {
    let rows = try values(of: description).map { key, value in
      "(\(SQLIdentifier.literal(key)), 0, decode('\(value.base64EncodedString())', 'base64'))"
    }
    return "INSERT INTO \"_metadata\" (key, kind, value) VALUES " + rows.joined(separator: ", ")
  }

  private static func values(of description: SchemaDescription) throws -> [(String, Data)] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let hashes = StoredSchemaState.text(of: EntityForms(description).hashes)
    var values = [
      (Key.description, try encoder.encode(description)), (Key.hashes, Data(hashes.utf8)),
    ]
    if let version = description.version {
      values.append((Key.version, Data(version.description.utf8)))
    }
    return values
  }

  private func set(_ key: String, _ value: [UInt8]) throws {
    try connection.run(
      "INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 0, $2)"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [.text(key), .blob(value)])
  }
}
