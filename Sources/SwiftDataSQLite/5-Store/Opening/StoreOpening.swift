import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Prepares a newly opened database for its models, or reports why it can't be used.
///
/// The database is marked with an application ID and a format number. Besides a table for each entity it has a table
/// `_metadata`: the store's identifier, the schema's description, and values of the toolkits.
struct StoreOpening {
  /// `OSDB` in ASCII (https://sqlite.org/pragma.html#pragma_application_id).
  static let applicationID: Int64 = 0x4F53_4442
  static let format: Int64 = 1

  let connection: Connection
  let configuration: ModelConfiguration
  let plans: [EntityPlan]
  let isReadOnly: Bool
  private let location: StoreLocation
  /// The files by identity; nil for a store in memory, and for one that isn't changed.
  private let files: StoreFiles?
  private let stages: MigrationStages<StoreAttributes>

  init(
    connection: Connection, configuration: ModelConfiguration, location: StoreLocation,
    schema: Schema, plans: [EntityPlan], attributes: StoreAttributes,
    migrationPlan: (any SchemaMigrationPlan.Type)?, isReadOnly: Bool, files: StoreFiles? = nil
  ) throws {
    self.connection = connection
    self.configuration = configuration
    self.plans = plans
    self.isReadOnly = isReadOnly
    self.location = location
    self.files = files
    let plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    let wanted = PlannedVersion(
      schema, plans, attributes, version: schema.version, dialect: SQLiteDialect())
    try SchemaNames.check(plans, plansByType: plansByType, dialect: SQLiteDialect())
    stages = try MigrationStages(
      wanted: wanted, plan: migrationPlan, dialect: SQLiteDialect()
    ) { plans in
      // Nothing may be created beside a file whose stages are only looked at.
      try StoreAttributes(
        plans, key: configuration.encryptionKey, location: location, isReadOnly: isReadOnly)
    }
  }

  /// - Returns: The store's identifier, the counter of table changes at the last check, and whether a migration has
  ///   left files of large values.
  func run() throws -> (identifier: String, cookie: Int64?, hasLeftFiles: Bool) {
    try SQLiteLibrary.check(SearchTables.modules(for: plans), on: connection)
    let isEmpty = try isEmpty()
    if !isReadOnly { try configure() }
    var stored = isEmpty ? nil : try StoredSchema(connection)
    if let found = stored, stages.fits(found.state) {
      if try found.cookie != StoredSchema.cookie(of: connection) { try checkColumns() }
      if found.backup != nil, !isReadOnly {
        try StoreMigration.settle(StoreBackup(configuration), of: found, on: connection)
      }
    } else if isReadOnly {
      try checkReadable(stored)
    } else {
      try StoreMigration(
        connection: connection, location: location, configuration: configuration, files: files,
        path: stages, prepareFile: prepareFile, checkColumns: checkColumns
      ).run()
      stored = try StoredSchema(connection)
    }
    guard let stored, let identifier = stored.identifier else {
      throw failure(.damaged, "its metadata has no identifier; restore it from a copy")
    }
    return (identifier, stored.cookie, stored.hasLeftFiles)
  }

  /// The stages of a migration, without changing anything.
  func plannedStages() throws -> [PlannedStage<StoreAttributes>] {
    // Opening it would create the tables.
    if try hasNothing() { return [] }
    if let stored = try StoredSchema(connection), stages.fits(stored.state) { return [] }
    return try stages.stages(of: MigratedFile(connection: connection))
  }

  var version: Schema.Version { stages.version }
  var forms: EntityForms { stages.forms }

  /// Records that the tables are as expected, when they have changed since the last check.
  func recordTables(lastCookie: Int64?) throws {
    guard try StoredSchema.cookie(of: connection) != lastCookie else { return }
    try connection.transaction { try StoredSchema.writeCookie(on: connection) }
  }

  private func hasNothing() throws -> Bool {
    if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 { return true }
    try checkOwnership()
    return false
  }

  private func isEmpty() throws -> Bool {
    guard try hasNothing() else { return false }
    guard !isReadOnly else {
      throw failure(
        .schemaMismatch, "it is empty and was opened read-only, so there is nothing to read")
    }
    return true
  }

  /// Checks that a read-only file has the schema that the models need.
  private func checkReadable(_ stored: StoredSchema?) throws {
    let file =
      stored?.state.isDescribed == true
      ? try StoredSchema.description(on: connection)
      : try FileSchema(connection: connection).description(by: stages.wanted.description)
    let changes = file.changes(to: stages.wanted.description).filter {
      $0.kind != .removedEntity && $0.kind != .layout
    }
    guard let first = changes.first else {
      // The models fit; a reader doesn't need stages that only change values.
      return try checkColumns()
    }
    throw MigrationError(
      .readOnly, path: connection.path, entity: first.entity, property: first.property,
      explanation:
        "it was opened with allowsSave: false, and has another schema than the models. Open it"
        + " once so that it can be written. Compared with the file, in the models: "
        + changes.prefix(12).map(\.description).joined(separator: "; ") + ".")
  }

  private func failure(_ code: StoreError.Code, _ explanation: String) -> StoreError {
    StoreError(code, path: connection.path, explanation: explanation)
  }

  private func checkOwnership() throws {
    do { try checkHeader() } catch {
      // Otherwise closing a file with a write-ahead log would write the log into it.
      _ = osd_keep_log(connection.handle)
      throw error
    }
  }

  private func checkHeader() throws {
    guard try connection.integer("PRAGMA application_id") == Self.applicationID else {
      throw failure(
        .foreignFile, "it is an SQLite file of another application; choose another path")
    }
    let format = try connection.integer("PRAGMA user_version") ?? 0
    guard format <= Self.format else {
      throw failure(
        .newerFormat,
        "it has the format \(format) of a newer version of this library, which knows up to"
          + " \(Self.format); update the program")
    }
  }

  private func configure() throws {
    // WAL mode persists in the file; a database in memory has no journal on disk.
    try connection.execute("PRAGMA journal_mode = \(connection.path.isEmpty ? "MEMORY" : "WAL")")
    try connection.execute("PRAGMA synchronous = FULL")
  }

  /// Creates the tables that every file has besides those of entities, where they are missing.
  private func prepareFile() throws {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \"_metadata\" (key TEXT PRIMARY KEY, value) WITHOUT ROWID")
    if try StoredSchema(connection)?.identifier == nil {
      try connection.execute("PRAGMA application_id = \(Self.applicationID)")
      try connection.execute("PRAGMA user_version = \(Self.format)")
      let insert = try connection.statement("INSERT INTO \"_metadata\" VALUES ('identifier', ?)")
      try insert.bind([.text(UUID().uuidString)])
      try insert.run()
    }
    try connection.execute(RowNumbers.table)
    for statement in HistoryTables.statements { try connection.execute(statement) }
  }

  private func tableExists(_ name: String) throws -> Bool {
    try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(name)]) == 1
  }

  /// Checks the tables: columns that differ from the model's mean that another version of the program created them.
  private func checkColumns() throws {
    for plan in plans {
      guard try tableExists(plan.table) else {
        throw failure(.schemaMismatch, "it has no table for \(plan.name)")
      }
      var wanted = Set((plan.family?.plans ?? [plan]).flatMap { $0.columns.map(\.name) })
      if plan.family != nil { wanted.insert(EntityFamily.discriminator) }
      wanted.formUnion(plan.orderColumnsOfTable)
      try compare(plan.table, with: wanted.union([SQLIdentifier.rowIDName]), of: plan.name)
      for index in plan.ownRelationships {
        guard let join = plan.properties[index].relationship?.joinTable,
          try tableExists(join.name)
        else { continue }
        let orders = [join.ownerOrderColumn, join.destinationOrderColumn].compactMap { $0 }
        try compare(
          join.name, with: Set([join.ownerColumn, join.destinationColumn] + orders),
          of: "\(plan.name).\(plan.properties[index].name)")
      }
    }
  }

  private func compare(_ table: String, with wanted: Set<String>, of model: String) throws {
    let stored = Set(try connection.columns(of: table))
    let missing = wanted.subtracting(stored).sorted()
    let surplus = stored.subtracting(wanted).sorted()
    guard missing.isEmpty && surplus.isEmpty else {
      throw failure(
        .schemaMismatch,
        "its table \(table) doesn't fit the model \(model):"
          + (missing.isEmpty ? "" : " missing \(missing.joined(separator: ", "));")
          + (surplus.isEmpty ? "" : " unknown \(surplus.joined(separator: ", "));")
          + " another program has changed it; undo that, or restore the file from a copy")
    }
  }
}
