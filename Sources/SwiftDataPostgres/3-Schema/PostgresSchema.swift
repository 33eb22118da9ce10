import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The schema of the database that is one store: its tables are created when they don't exist.
package struct PostgresSchema: Sendable {
  private static let descriptionKey = "schema"

  /// The name of the schema.
  private let name: String
  private let tables: EntityTables
  private let version: Schema.Version?

  /// - Throws: ``SchemaError`` for a name that a table or column can't have.
  package init(named name: String, _ plans: [EntityPlan], version: Schema.Version?) throws {
    self.name = PostgresStatementText.shortened(name)
    self.version = version
    tables = try EntityTables(plans)
  }

  /// Creates the store's tables, or checks that those that exist fit.
  ///
  /// - Parameter creates: Whether the store may be created.
  /// - Returns: The identifier of the store.
  /// - Throws: ``StoreError/Code/schemaMismatch`` for tables of other models, ``StoreError/Code/newerFormat``, and
  ///   ``StoreError/Code/cannotOpen`` where there is no store and none may be created.
  package func open(_ connection: PostgresConnection, creates: Bool = true) throws -> String {
    if let identifier = try existing(connection) { return identifier }
    guard creates else {
      throw StoreError(
        .cannotOpen, path: connection.address,
        explanation:
          "there is no store in the schema \(name), and allowsSave: false doesn't permit to create it"
      )
    }
    do { return try create(connection) } catch let error as StoreError
      where Self.isDuplicate(error)
    {
      // Another process has created the same store meanwhile.
      guard let identifier = try existing(connection) else { throw error }
      return identifier
    }
  }

  /// Whether an object was there already, or another transaction had created it in the meantime.
  private static func isDuplicate(_ error: StoreError) -> Bool {
    ["42P06", "42P07", "42710", "23505"].contains(error.sqlState)
  }

  // MARK: - A new store

  private func create(_ connection: PostgresConnection) throws -> String {
    let identifier = UUID()
    try connection.use(schema: name)
    try connection.transaction {
      try connection.run("CREATE SCHEMA IF NOT EXISTS \(SQLIdentifier.quoted(name))")
      let note = StoreTables.noteFunction(
        channel: StoreTables.channel(of: identifier.uuidString))
      let statements = StoreTables.creation + tables.creation + [note] + tables.noteTriggers
      try connection.run(
        statements.map { PostgresCommand(PostgresStatementText.finished($0)) })
      try connection.run(
        "INSERT INTO \"_store\" (id, identifier, format, number, total, deleted)"
          + " VALUES (1, $1, $2, 0, 0, 0)",
        [
          .blob(withUnsafeBytes(of: identifier.uuid) { Array($0) }),
          .integer(Int64(StoreTables.format)),
        ])
      try connection.run(
        "INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 0, $2)",
        [.text(Self.descriptionKey), .blob(try encodedDescription())])
    }
    return identifier.uuidString
  }

  private func encodedDescription() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(tables.description(version: version)))
  }

  // MARK: - A store that exists

  private func existing(_ connection: PostgresConnection) throws -> String? {
    let found = try connection.run(
      "SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n"
        + " ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = '_store'",
      [.text(name)])
    guard found.rowCount > 0 else { return nil }
    try connection.use(schema: name)
    return try connection.reading {
      let store = try connection.run("SELECT identifier, format FROM \"_store\" WHERE id = 1")
      guard store.rowCount == 1, let bytes = store.values(0)[0].bytes, bytes.count == 16 else {
        throw StoreError(
          .damaged, path: connection.address,
          explanation: "the schema \(name) has no row in its table _store; restore it from a copy")
      }
      let format = store.integer(0, 1) ?? 0
      guard format <= StoreTables.format else {
        throw StoreError(
          .newerFormat, path: connection.address,
          explanation:
            "the schema \(name) was written by a newer version of this library; update it")
      }
      try check(connection)
      let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      return uuid.uuidString
    }
  }

  /// Compares the entities with those that the tables were made for.
  private func check(_ connection: PostgresConnection) throws {
    let rows = try connection.run(
      "SELECT value FROM \"_metadata\" WHERE key = $1", [.text(Self.descriptionKey)])
    guard rows.rowCount == 1, let bytes = rows.values(0)[0].bytes else { return }
    let stored = try JSONDecoder().decode(SchemaDescription.self, from: Data(bytes))
    let wanted = tables.description(version: version)
    let changed = wanted.entities.filter { stored.entities[$0.key] != $0.value }.keys.sorted()
    guard !changed.isEmpty else { return }
    throw StoreError(
      .schemaMismatch, path: connection.address,
      explanation:
        "the schema \(name) was made for another form of \(changed.joined(separator: ", ")); stores"
        + " on PostgreSQL aren't migrated yet, so use another schema")
  }
}
