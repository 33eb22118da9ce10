import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The schema of the database that is one store: its tables are created when they don't exist.
package struct PostgresSchema: Sendable {
  /// The name of the schema.
  private let name: String
  private let tables: EntityTables
  private let version: Schema.Version?
  /// Whether a store is opened to which a copy isn't complete.
  var opensUnfinishedCopies = false
  /// The features of the server.
  var features = PostgresFeatures.all
  /// Statements that follow those which create the tables of a new store.
  var additions: [String] = []

  /// - Throws: ``SchemaError`` for a name that a table or column can't have.
  package init(named name: String, _ plans: [EntityPlan], version: Schema.Version?) throws {
    self.name = PostgresStatementText.shortened(name)
    self.version = version
    tables = try EntityTables(plans)
  }

  /// Creates the store's tables if there are none.
  ///
  /// - Parameter creates: Whether the store may be created.
  /// - Returns: The identifier of the store, and whether it was created. The tables of one that existed may be those of
  ///   other models.
  /// - Throws: ``StoreError/Code/newerFormat``, and ``StoreError/Code/cannotOpen`` where there is no store and none may
  ///   be created.
  package func open(
    _ connection: PostgresConnection, creates: Bool = true
  ) throws -> (identifier: String, isNew: Bool) {
    if let identifier = try existing(connection) { return (identifier, false) }
    guard creates else {
      throw StoreError(
        .cannotOpen, path: connection.address,
        explanation:
          "there is no store in the schema \(name), and allowsSave: false doesn't permit to create it"
      )
    }
    do { return (try create(connection), true) } catch let error as StoreError
      where Self.isDuplicate(error)
    {
      // Another process has created the same store meanwhile.
      guard let identifier = try existing(connection) else { throw error }
      return (identifier, false)
    }
  }

  /// Whether there is a store, whose tables the connection then finds.
  func exists(_ connection: PostgresConnection) throws -> Bool {
    try existing(connection) != nil
  }

  /// Whether an object was there already, or another transaction had created it in the meantime.
  private static func isDuplicate(_ error: StoreError) -> Bool {
    ["42P06", "42P07", "42710", "23505"].contains(error.sqlState)
  }

  // MARK: - A new store

  /// Sends all statements with one wait, because a server may be far away.
  private func create(_ connection: PostgresConnection) throws -> String {
    let identifier = UUID()
    let commands = try creation(of: identifier).map { PostgresCommand($0) }
    try connection.use(schema: name)
    do {
      _ = try connection.begin(.writing, with: commands)
      try connection.commit()
    } catch {
      connection.rollBackAll()
      throw error
    }
    return identifier.uuidString
  }

  /// The statements that create a store. They have no parameters, whose types the server would have to be asked for.
  private func creation(of identifier: UUID) throws -> [String] {
    var objects = StoreTables.creation + tables.creation
    if features.contains(.triggers) {
      let channel = StoreTables.channel(of: identifier.uuidString)
      let note = StoreTables.noteFunction(
        channel: features.contains(.notifications) ? channel : nil)
      objects += [note] + tables.noteTriggers()
    }
    return ["CREATE SCHEMA IF NOT EXISTS \(SQLIdentifier.quoted(name))"]
      + objects.map { PostgresStatementText.finished($0) }
      + [
        StoreTables.row(of: identifier),
        try StoredSchema.creation(tables.description(version: version)),
      ] + additions
  }

  // MARK: - A store that exists

  private func existing(_ connection: PostgresConnection) throws -> String? {
    let store: PostgresResult
    do {
      store = try connection.run(
        "SELECT identifier, format FROM \(SQLIdentifier.quoted(name)).\"_store\" WHERE id = 1")
    } catch let error as StoreError where ["3F000", "42P01"].contains(error.sqlState) {
      // There is no schema of this name, or it has no store.
      return nil
    }
    try connection.use(schema: name)
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
    guard format != StoreTables.unfinishedFormat || opensUnfinishedCopies else {
      throw StoreError(
        .cannotOpen, path: connection.address,
        explanation:
          "a copy into the schema \(name) isn't complete; run it again, or drop the schema")
    }
    let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    return uuid.uuidString
  }
}
