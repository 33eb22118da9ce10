import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Brings a store to the schema of its program: creates the tables of a new store, and migrates an older one.
///
/// A migration is one transaction, including custom stages. So a program or a server that ends leaves either the old or
/// the new state, others read the old state meanwhile, and if two programs open the store at the same time, the second
/// waits and finds it migrated.
struct StoreOpening {
  /// The number of times that a migration is begun which others disturb.
  private static let maximumAttempts = 5

  private let configuration: PostgresConfiguration
  private let tables: PostgresSchema
  private let stages: MigrationStages<StoreCipher>
  /// The store, for errors.
  private let address: String

  /// - Throws: ``SchemaError`` for a name that a table or column can't have, ``MigrationError`` for a plan that
  ///   contradicts itself.
  init(
    _ configuration: PostgresConfiguration, _ schema: Schema, _ plans: [EntityPlan],
    _ cipher: StoreCipher, _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    let address =
      "\(try configuration.options.url.description), schema \(configuration.databaseSchema)"
    let wanted = PlannedVersion(
      schema, plans, cipher, version: schema.version, dialect: PostgresDialect())
    stages = try MigrationStages(
      wanted: wanted, plan: migrationPlan, dialect: PostgresDialect()
    ) { try StoreCipher($0, key: configuration.encryptionKey, address: address) }
    self.address = address
    var tables = try PostgresSchema(
      named: configuration.databaseSchema, plans, version: stages.version)
    tables.opensUnfinishedCopies = configuration.isCopyTarget
    tables.features = configuration.features
    tables.additions = HistoryLayoutTable.creation(plans)
    self.tables = tables
  }

  /// - Returns: The store's identifier.
  func run(_ connection: PostgresConnection) throws -> String {
    let identifier = try opened(connection)
    try stages.wanted.attributes.check(
      connection, identifier: identifier, isReadOnly: !configuration.allowsSave)
    return identifier
  }

  private func opened(_ connection: PostgresConnection) throws -> String {
    let (identifier, isNew) = try tables.open(connection, creates: configuration.allowsSave)
    let stored = StoredSchema(connection: connection, address: address)
    if isNew { return identifier }
    if try connection.reading({ try isUsable(stored) }) { return identifier }
    guard configuration.allowsSave else { throw try readOnly(stored) }
    var attempt = 1
    while true {
      do {
        try migrate(connection, identifier)
        return identifier
      } catch let error as StoreError where error.isRepeatable && error.sqlState != "55P03" {
        attempt += 1
        if attempt > Self.maximumAttempts { throw error }
      }
    }
  }

  /// The stages that opening the store would run, without changing anything; none for a store that doesn't exist.
  func preview(_ connection: PostgresConnection) throws -> [MigrationPreview.Stage] {
    guard try tables.exists(connection) else { return [] }
    let stored = StoredSchema(connection: connection, address: address)
    return try connection.transaction(.reading) {
      if try isUsable(stored) { return [] }
      return try MigrationPreview.stages(
        stages.stages(of: stored), dialect: PostgresDialect(), { try stored.integer($0) },
        problems: { stage in
          try StepChecks(
            stage.step, plans: stage.to.plans, cipher: stage.to.attributes, address: address,
            on: connection
          ).failures()
        })
    }
  }

  var version: Schema.Version { stages.version }

  // MARK: - Comparison

  /// Whether the models can be used as they are.
  private func isUsable(_ stored: StoredSchema) throws -> Bool {
    guard let state = try stored.state else { return false }
    return try stages.fits(state) || isTolerated(state, stored)
  }

  /// Whether the store was migrated from these models to newer ones, which have additional classes and properties
  /// only. So servers with older and newer versions of a program can use it at once.
  private func isTolerated(_ state: StoredSchemaState, _ stored: StoredSchema) throws -> Bool {
    let outgrown = Set(state.changedEntities(stages.forms))
    let changed = stages.forms.allHashes.filter { !state.has($0.key, $0.value) }.keys
    guard !changed.isEmpty, changed.allSatisfy(outgrown.contains) else { return false }
    let description = try stored.description
    let required = try SchemaObjects(stored.connection).requiredColumns()
    return changed.allSatisfy { name in
      guard let old = stages.wanted.description[name], let new = description[name] else {
        return false
      }
      return Self.isAddition(old, new, required)
    }
  }

  private static func isAddition(
    _ old: EntityDescription, _ new: EntityDescription, _ required: Set<String>
  ) -> Bool {
    guard old.table == new.table, old.superentity == new.superentity,
      old.sharesTable == new.sharesTable, old.uniqueness == new.uniqueness,
      old.properties.allSatisfy({ new.properties.contains(where: $0.isSame) })
    else { return false }
    let known = Set(old.columns.map(\.name))
    let table = PostgresStatementText.shortened(new.table)
    return new.columns.allSatisfy { column in
      known.contains(column.name)
        || !required.contains("\(table).\(PostgresStatementText.shortened(column.name))")
    }
  }

  private func readOnly(_ stored: StoredSchema) throws -> any Error {
    let changes = try stored.description.changes(to: stages.wanted.description)
    return MigrationError(
      .readOnly, path: address, entity: changes.first?.entity ?? "",
      property: changes.first?.property ?? "",
      explanation:
        "it was opened with allowsSave: false, and has another schema than the models. Open it"
        + " once so that it can be written. Compared with the store, in the models: "
        + changes.prefix(12).map(\.description).joined(separator: "; ") + ".")
  }

  // MARK: - Migration

  private func migrate(_ connection: PostgresConnection, _ identifier: String) throws {
    try connection.transaction {
      try lock(connection)
      let stored = StoredSchema(connection: connection, address: address)
      guard let state = try stored.state, try !isUsable(stored) else { return }
      let planned = try stages.stages(of: stored)
      for stage in planned { try run(stage, connection, identifier) }
      try finish(planned, state, stored)
      try announce(connection, identifier)
    }
  }

  /// Waits for other migrations and for saves. Saves lock the store's row after they have written others, so the tables
  /// are locked before it. Plain reads go on.
  private func lock(_ connection: PostgresConnection) throws {
    try connection.execute(
      "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
    let objects = SchemaObjects(connection)
    try wait(for: { try objects.writableTables() }, mode: "EXCLUSIVE", connection) {
      try connection.run("SELECT 1 FROM \"_store\" WHERE id = 1 FOR UPDATE")
    }
  }

  /// The longest wait for locks, in milliseconds, before those that have been obtained are given back: less than the
  /// server's `deadlock_timeout` (1 s by default), after which it ends the migration.
  private static let lockAttempt = 500
  /// The pause, in seconds, before a table that another migration has removed is looked for again.
  private static let missingTablePause = 0.02

  /// Locks tables, and runs `body`. A save that has one of the tables and waits for another gets it between two
  /// attempts.
  ///
  /// - Parameter tables: Returns the names of the tables; another migration may have removed some between two attempts.
  private func wait(
    for tables: () throws -> Set<String>, mode: String, _ connection: PostgresConnection,
    then body: () throws -> Void = {}
  ) throws {
    let timeout = PostgresConnectionOptions.milliseconds(configuration.migrationTimeout)
    let end = ContinuousClock.now + .milliseconds(timeout)
    var locksTables = true
    try connection.execute("SET LOCAL lock_timeout = \(min(max(timeout, 1), Self.lockAttempt))")
    while true {
      do {
        try connection.transaction {
          let names = locksTables ? try tables().sorted().map(SQLIdentifier.quoted) : []
          if !names.isEmpty {
            try connection.execute(
              "LOCK TABLE \(names.joined(separator: ", ")) IN \(mode) MODE")
          }
          try body()
        }
        break
      } catch let error as StoreError where ["55P03", "40P01", "42P01"].contains(error.sqlState) {
        guard ContinuousClock.now < end else { throw busy(error) }
        // The server waits for locks itself; a table that is missing is looked for again soon.
        if error.sqlState == "42P01" { Thread.sleep(forTimeInterval: Self.missingTablePause) }
      } catch let error as StoreError where error.sqlState == "0A000" && locksTables {
        // YugabyteDB and CockroachDB have no locks of tables: there, a save may make the migration fail.
        locksTables = false
      }
    }
    try connection.execute("SET LOCAL lock_timeout = \(timeout)")
  }

  /// The stored tables that a step changes.
  private func tables(of step: SchemaStep, _ connection: PostgresConnection) throws -> Set<String> {
    let changed = step.tables.map(\.name) + step.pairs.map(\.name) + step.dropped
    return try SchemaObjects(connection).names(ofKind: "r").intersection(
      changed.map(PostgresStatementText.shortened))
  }

  /// Tells others that any row may have changed.
  private func announce(_ connection: PostgresConnection, _ identifier: String) throws {
    var commands = [PostgresCommand(StoreTables.foreignNote)]
    if configuration.features.contains(.notifications) {
      commands.append(PostgresConnection.notice(to: StoreTables.channel(of: identifier)))
    }
    try connection.run(commands)
  }

  private func busy(_ error: StoreError) -> MigrationError {
    MigrationError(
      .busy, path: address,
      explanation:
        "another program has been writing to it for \(configuration.migrationTimeout) seconds,"
        + " perhaps because it migrates it. Try again, or raise migrationTimeout.",
      underlyingError: error)
  }

  private func run(
    _ stage: PlannedStage<StoreCipher>, _ connection: PostgresConnection,
    _ identifier: String
  ) throws {
    if let from = stage.from, let body = stage.willMigrate {
      try run(body, in: from, "willMigrate of \(stage.name)", connection, identifier)
    }
    // A save that has read one of the tables waits for a lock of the migration.
    try wait(
      for: { try tables(of: stage.step, connection) }, mode: "ACCESS EXCLUSIVE", connection)
    do {
      try SchemaExecution(
        connection: connection, step: stage.step, plans: stage.to.plans,
        cipher: stage.to.attributes, address: address, features: configuration.features
      ).run()
    } catch let error as StoreError where error.sqlState == "55P03" {
      throw busy(error)
    } catch let error as StoreError where error.sqlState == PostgresFailure.foreignKey {
      throw MigrationError(
        .danglingReference, path: address,
        explanation: "references would lead nowhere (\(error.explanation)). Give these models other"
          + " destinations in the `willMigrate` of a custom stage.", underlyingError: error)
    }
    if stage.step.expiresHistory {
      // Older transactions can't be read with the new schema.
      let history = HistoryMetadata(connection: connection, address: address)
      try history.delete(through: try history.ends().last)
    }
    if let body = stage.didMigrate {
      try run(body, in: stage.to, "didMigrate of \(stage.name)", connection, identifier)
    }
  }

  private func run(
    _ body: (ModelContext) throws -> Void, in version: PlannedVersion<StoreCipher>,
    _ name: String, _ connection: PostgresConnection, _ identifier: String
  ) throws {
    let lent = LentPostgresConnection(connection)
    defer { lent.end() }
    var configuration = configuration
    configuration.schema = version.schema
    let layouts = try HistoryLayoutTable.numbers(
      of: version.plans, connection, isReadOnly: false)
    let store = PostgresStore(
      PostgresStore.Parts(
        configuration: configuration, options: try configuration.options, schema: version.schema,
        plans: version.plans, layouts: layouts, cipher: version.attributes, identifier: identifier,
        connections: .lent(lent)))
    let context = ModelContext(
      ModelContainer(schema: version.schema, migrationPlan: nil, stores: [store]))
    do {
      try body(context)
      if context.hasChanges { try context.save() }
    } catch let error as StoreError where error.isRepeatable || error.code == .diskFull {
      throw error
    } catch {
      throw MigrationError(
        .stageFailed, path: address,
        explanation: "the code of the \(name) threw an error: \(error)", underlyingError: error)
    }
  }

  private func finish(
    _ planned: [PlannedStage<StoreCipher>], _ state: StoredSchemaState, _ stored: StoredSchema
  ) throws {
    guard let last = planned.last else { return }
    var result = last.step.result
    result.version =
      last.isDowngrade ? stages.version : max(stages.version, state.version ?? stages.version)
    try stored.write(result, former: state.former(after: EntityForms(result).hashes))
    _ = try HistoryLayoutTable.numbers(of: last.to.plans, stored.connection, isReadOnly: false)
  }
}
