import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Brings a file to the schema of its program: creates the tables of a new file, and migrates an older one.
///
/// Everything happens in one transaction on the file itself, including custom stages. So a process that dies leaves
/// either the old or the new state, other processes read the old state meanwhile, and if two processes open the file at
/// the same time, the second waits and finds it migrated.
struct StoreMigration {
  let connection: Connection
  let location: StoreLocation
  let configuration: ModelConfiguration
  /// The files by identity; nil for a store in memory.
  let files: StoreFiles?
  let path: MigrationStages<StoreAttributes>
  /// Creates the tables that every file has besides those of entities.
  let prepareFile: () throws -> Void
  /// Checks that the tables match the entities.
  let checkColumns: () throws -> Void

  func run() throws {
    try lock()
    let backup = StoreBackup(configuration)
    var hasBackup = false
    do {
      if let stored = try StoredSchema(connection), path.fits(stored.state) {
        connection.rollback()
        return
      }
      let stages = try path.stages(of: MigratedFile(connection: connection))
      MigrationProbe.begin(connection.handle)
      if needsBackup(stages) {
        try backup.make()
        hasBackup = true
        MigrationProbe.reach("backup")
      }
      try prepareFile()
      let losses = try execute(stages)
      let keeps = !losses.isEmpty || configuration.migrationBackup == .kept
      try finish(stages, hasBackup ? (keeps ? .keep : .discard) : nil)
    } catch {
      connection.rollback()
      if hasBackup { discard(backup) }
      throw error
    }
    MigrationProbe.reach("committed")
    do { try files?.check(connection) } catch {
      // The migrated rows may be in a file that is no longer at its path; the copy has the former rows.
      if hasBackup { keep(backup) }
      throw error
    }
    try Self.settle(backup, of: try StoredSchema(connection), on: connection)
  }

  /// Keeps or discards the copy after a committed migration. The migration itself does this or, if its process has
  /// ended, the next opening.
  static func settle(
    _ backup: StoreBackup, of stored: StoredSchema?, on connection: Connection
  ) throws {
    guard let fate = stored?.backup else { return }
    switch fate {
    case .keep: try backup.keep()
    case .discard: try backup.discard(.after)
    }
    do {
      try connection.transaction { try StoredSchema.write(backup: nil, on: connection) }
    } catch let error as StoreError {
      throw migrated(error)
    }
  }

  /// The error of a transaction that follows a committed migration: the whole opening has changed the store.
  private static func migrated(_ error: StoreError) -> StoreError {
    let explanation =
      error.code == .diskFull
      ? "it was migrated, but now the disk is full; free some room, and open the store again"
      : "it was migrated, but the end of the work on its copy can't be recorded: \(error.explanation)."
        + " Correct that, and open the store again"
    return StoreError(
      error.code, path: error.path, explanation: explanation, resultCode: error.resultCode,
      sql: error.sql)
  }

  private func lock() throws {
    let milliseconds = max(0, min(configuration.migrationTimeout * 1_000, 2_000_000_000))
    sqlite3_busy_timeout(connection.handle, Int32(milliseconds))
    defer { connection.waitsForWriters = true }
    do {
      try connection.beginTransaction("BEGIN IMMEDIATE")
    } catch let error as StoreError where error.code == .busy {
      throw MigrationError(
        .busy, path: connection.path,
        explanation:
          "another program has been writing to it for \(configuration.migrationTimeout) seconds,"
          + " perhaps because it migrates it. Try again, or raise migrationTimeout.",
        underlyingError: error)
    }
    do { try files?.recordLog(of: connection, forms: .none) } catch {
      connection.rollback()
      throw error
    }
  }

  // MARK: - The copy

  private func needsBackup(_ stages: [PlannedStage<StoreAttributes>]) -> Bool {
    guard configuration.migrationBackup != .none, !location.isInMemory else { return false }
    return stages.contains { $0.isCustom || $0.step.rewritesRows }
  }

  private func keep(_ backup: StoreBackup) {
    do { try backup.keep() } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "the copy \(backup.url.path) couldn't be put in its place", error)
    }
  }

  private func discard(_ backup: StoreBackup) {
    do { try backup.discard(.before) } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "the copy \(backup.url.path) couldn't be removed", error)
    }
  }

  // MARK: - Stages

  /// - Returns: Descriptions of the data that had no place in the new schema.
  private func execute(_ stages: [PlannedStage<StoreAttributes>]) throws -> [String] {
    let before = try connection.danglingReferences()
    var losses: [String] = []
    for stage in stages {
      if let from = stage.from, let body = stage.willMigrate {
        try run(body, in: from, "willMigrate of \(stage.name)")
      }
      MigrationProbe.reach("step")
      for loss in stage.step.losses where try (connection.integer(loss.count) ?? 0) > 0 {
        losses.append(loss.description)
      }
      try SchemaExecution(
        connection: connection, step: stage.step, plans: stage.to.plans,
        attributes: stage.to.attributes, location: location
      ).run()
      try check(before)
      if let body = stage.didMigrate {
        try run(body, in: stage.to, "didMigrate of \(stage.name)")
        try check(before)
      }
    }
    return losses
  }

  private func check(_ before: Set<String>) throws {
    let dangling = try connection.danglingReferences().subtracting(before).sorted()
    guard let first = dangling.first else { return }
    throw MigrationError(
      .danglingReference, path: connection.path, rowCount: dangling.count,
      explanation: "\(dangling.count) references would lead nowhere, the first from \(first)."
        + " Give these models other destinations in the `willMigrate` of a custom stage.")
  }

  private func run(
    _ body: (ModelContext) throws -> Void, in version: PlannedVersion<StoreAttributes>,
    _ name: String
  ) throws {
    let lent = MigrationStageConnection(connection)
    defer {
      lent.end()
      connection.stopRecording()
    }
    try connection.enclosing {
      try HistoryTables.create(for: version.plans, on: connection)
      let store = try DefaultStore(
        stage: lent, connection, configuration, version, location: location)
      let context = ModelContext(
        ModelContainer(schema: version.schema, migrationPlan: nil, stores: [store]))
      do {
        try body(context)
        if context.hasChanges { try context.save() }
      } catch let error as StoreError where error.code == .diskFull {
        throw error
      } catch {
        throw MigrationError(
          .stageFailed, path: connection.path,
          explanation: "the code of the \(name) threw an error: \(error)", underlyingError: error)
      }
    }
  }

  // MARK: - Finishing

  /// Whether the store has had values in files, and has none now: the triggers that record which files rows give up are
  /// removed with the columns, and opening looks for such files only where attributes have some.
  private var mayLeaveFiles: Bool {
    guard case .file(let url) = location, path.wanted.attributes.files == nil else { return false }
    return FileManager.default.fileExists(atPath: ExternalFiles.folder(besides: url).path)
  }

  private func finish(
    _ stages: [PlannedStage<StoreAttributes>], _ backup: StoredSchema.BackupDisposition?
  ) throws {
    let stored = try StoredSchema(connection)
    let isMigrated = stored?.state.isDescribed ?? false
    if let last = stages.last {
      var result = last.step.result
      result.version =
        last.isDowngrade ? path.version : max(path.version, stored?.version ?? path.version)
      if let stored {
        let former = stored.state.former(after: EntityForms(result).hashes)
        try StoredSchema.write(former: former, on: connection)
      }
      try StoredSchema.write(result, on: connection)
    }
    try checkColumns()
    if let backup { try StoredSchema.write(backup: backup, on: connection) }
    if isMigrated, mayLeaveFiles { try StoredSchema.write(hasLeftFiles: true, on: connection) }
    try StoredSchema.writeCookie(on: connection)
    // A file that was moved or replaced meanwhile must not be changed, nor the copy of an earlier migration.
    try files?.check(connection)
    MigrationProbe.reach("commit")
    try connection.commitTransaction()
  }
}
