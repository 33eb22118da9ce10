import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The metadata of a file about its schema.
///
/// Opening compares the entities' forms, or their hashes in a file of an earlier version, and SQLite's counter of
/// changes to a file's tables (https://sqlite.org/pragma.html#pragma_schema_version) with the value recorded at the
/// last check: so a store that fits costs one lookup, and tables changed by hand are detected.
struct StoredSchema {
  private enum Key {
    static let description = "schema"
    static let hashes = "schema.hashes"
    static let forms = "schema.forms"
    static let version = "schema.version"
    static let cookie = "schema.cookie"
    static let backup = "migration.backup"
    static let former = "schema.former"
    static let leftFiles = "migration.files"
  }

  private(set) var identifier: String?
  /// The facts for comparison with the schema of a program.
  private(set) var state = StoredSchemaState()
  private(set) var cookie: Int64?
  /// The pending action on the copy of a finished migration.
  private(set) var backup: BackupDisposition?
  /// Whether a migration has left files of large values that no row may name any more.
  private(set) var hasLeftFiles = false

  enum BackupDisposition: String {
    case keep, discard
  }

  /// - Returns: nil for a file without metadata.
  init?(_ connection: Connection) throws {
    let statement: Statement
    do {
      statement = try connection.statement(
        "SELECT key, value FROM \"_metadata\" WHERE key IN"
          + " ('identifier', '\(Key.hashes)', '\(Key.forms)', '\(Key.version)', '\(Key.cookie)',"
          + " '\(Key.backup)', '\(Key.former)', '\(Key.leftFiles)')"
      )
    } catch let error as StoreError where error.code == .other {
      return nil  // The table doesn't exist.
    }
    defer { statement.reset() }
    while try statement.step() {
      switch statement.string(at: 0) {
      case "identifier": identifier = statement.string(at: 1)
      case Key.hashes: state.hashes = StoredSchemaState.hashes(from: statement.string(at: 1))
      case Key.forms: state.forms = StoredSchemaState.forms(from: statement.string(at: 1))
      case Key.version: state.version = StoredSchemaState.version(from: statement.string(at: 1))
      case Key.cookie: cookie = Int64(statement.string(at: 1))
      case Key.backup: backup = BackupDisposition(rawValue: statement.string(at: 1))
      case Key.former:
        state.former = Set(statement.string(at: 1).split(separator: "\n").map(String.init))
      case Key.leftFiles: hasLeftFiles = true
      default: break
      }
    }
  }

  var version: Schema.Version? { state.version }

  /// Whether every entity of a schema has the same form in the file.
  func fits(_ wanted: EntityForms) -> Bool { state.fits(wanted) }

  /// The number that SQLite increments with every change of the file's tables.
  static func cookie(of connection: Connection) throws -> Int64 {
    try connection.integer("PRAGMA schema_version") ?? 0
  }

  // MARK: - The whole description

  static func description(on connection: Connection) throws -> SchemaDescription {
    let text = try connection.text(
      "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(Key.description)])
    do {
      return try JSONDecoder().decode(SchemaDescription.self, from: Data((text ?? "").utf8))
    } catch {
      throw StoreError(
        .damaged, path: connection.path,
        explanation:
          "the description of its schema can't be read (\(error)); restore it from a copy")
    }
  }

  // MARK: - Writing

  static func write(_ description: SchemaDescription, on connection: Connection) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let text = String(decoding: try encoder.encode(description), as: UTF8.self)
    try set(Key.description, text, on: connection)
    let forms = EntityForms(description)
    try set(Key.hashes, StoredSchemaState.text(of: forms.hashes), on: connection)
    try set(Key.forms, StoredSchemaState.text(of: forms), on: connection)
    if let version = description.version {
      try set(Key.version, version.description, on: connection)
    }
  }

  static func write(version: Schema.Version, on connection: Connection) throws {
    try set(Key.version, version.description, on: connection)
  }

  /// Records that the file's tables are as expected.
  static func writeCookie(on connection: Connection) throws {
    if try isCookieRecorded(on: connection) { return }
    try set(Key.cookie, "\(try cookie(of: connection))", on: connection)
  }

  /// Whether the file's tables are unchanged since the last check.
  static func isCookieRecorded(on connection: Connection) throws -> Bool {
    let known = try connection.text(
      "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(Key.cookie)])
    return known == "\(try cookie(of: connection))"
  }

  /// Records the pending action on the copy of the file; nil when it is done.
  static func write(backup: BackupDisposition?, on connection: Connection) throws {
    if let backup { return try set(Key.backup, backup.rawValue, on: connection) }
    try remove(Key.backup, on: connection)
  }

  /// Records whether a migration has left files of large values that no row may name any more.
  static func write(hasLeftFiles: Bool, on connection: Connection) throws {
    if hasLeftFiles { return try set(Key.leftFiles, "1", on: connection) }
    try remove(Key.leftFiles, on: connection)
  }

  private static func remove(_ key: String, on connection: Connection) throws {
    let statement = try connection.statement("DELETE FROM \"_metadata\" WHERE key = ?")
    try statement.bind([.text(key)])
    try statement.run()
  }

  /// Records the former hashes of changed entities.
  static func write(former: Set<String>, on connection: Connection) throws {
    try set(Key.former, former.sorted().joined(separator: "\n"), on: connection)
  }

  private static func set(_ key: String, _ value: String, on connection: Connection) throws {
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
    try statement.bind([.text(key), .text(value)])
    try statement.run()
  }
}

/// A file as the planning of its migration reads it.
struct MigratedFile: MigratedStore {
  let connection: Connection

  var address: String { connection.path }
  var state: StoredSchemaState? { get throws { try StoredSchema(connection)?.state } }
  var description: SchemaDescription {
    get throws { try StoredSchema.description(on: connection) }
  }

  func description(by wanted: SchemaDescription) throws -> SchemaDescription {
    try FileSchema(connection: connection).description(by: wanted)
  }

  func integer(_ sql: String) throws -> Int64? { try connection.integer(sql, []) }
}
