import ContentFiles
import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore
import Synchronization

/// The store that keeps models in an SQLite database.
///
/// Its connections, its entities, the tracking of commits and the recording of changes are types of their own.
public final class DefaultStore: Sendable {
  public let configuration: ModelConfiguration
  public let identifier: String
  let entities: StoreEntities
  let attributes: StoreAttributes
  let hasSearchTables: Bool
  /// Translations of earlier requests.
  let queries = QueryCache()
  let connections: StoreConnections
  /// The commits of this process and others.
  let tracker: StoreCommitTracker
  let recording: ChangeRecording

  /// The components of a store.
  struct Parts {
    let configuration: ModelConfiguration
    let schema: Schema
    let plans: [EntityPlan]
    let location: StoreLocation
    let attributes: StoreAttributes
    let identifier: String
    let hasSearchTables: Bool
    let isReadOnly: Bool
    /// The forms of the entities; none for the store of a stage.
    let forms: EntityForms
    var monitor = CommitMonitor()
    /// nil in memory and for the store of a stage.
    var files: StoreFiles?
    var stage: MigrationStageConnection?
  }

  /// Opens the file, migrating it when it has an older form, or creates it.
  ///
  /// - Throws: ``SchemaError`` for a class that can't be persisted, ``StoreError`` for a file that can't be used,
  ///   ``MigrationError``, ``SwiftDataError/unknownDataStoreSchema`` and ``SwiftDataError/backwardMigration`` for a
  ///   file that can't be migrated.
  public convenience init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let schema = configuration.schema ?? Schema()
    let plans = try EntityPlan.plans(of: schema.types)
    let location: StoreLocation =
      configuration.isStoredInMemoryOnly
      ? .memory(name: "swiftdata-" + configuration.url.lastPathComponent + "-" + UUID().uuidString)
      : try .resolving(configuration.url)
    // A store in memory starts empty, so it must be writable to create its tables.
    let isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    try Self.prepareFolder(location, isReadOnly: isReadOnly)
    let attributes = try StoreAttributes(
      plans, key: configuration.encryptionKey, location: location, isReadOnly: isReadOnly)
    let connection = try Connection(
      location, role: .writer, isReadOnly: isReadOnly, memory: configuration.memory,
      creates: !isReadOnly)
    let monitor = CommitMonitor()
    let files =
      location.isInMemory
      ? nil
      : try StoreFiles(
        given: configuration.url.path, connection, isReadOnly: isReadOnly,
        fits: { try StoredSchema($0)?.fits($1) ?? false },
        onReplacement: { monitor.recordReplacement() })
    let opening = try StoreOpening(
      connection: connection, configuration: configuration, location: location, schema: schema,
      plans: plans, attributes: attributes, migrationPlan: migrationPlan, isReadOnly: isReadOnly,
      files: files)
    let (identifier, cookie, hasLeftFiles) = try opening.run()
    let hasSearchTables = try attributes.prepare(
      connection, identifier: identifier, isReadOnly: isReadOnly)
    if hasLeftFiles, !isReadOnly, try attributes.removeFormerFiles(on: connection) {
      try connection.transaction { try StoredSchema.write(hasLeftFiles: false, on: connection) }
    }
    if !isReadOnly { try opening.recordTables(lastCookie: cookie) }
    try files?.recordLog(of: connection, forms: opening.forms)
    try self.init(
      Parts(
        configuration: configuration, schema: schema, plans: plans, location: location,
        attributes: attributes, identifier: identifier, hasSearchTables: hasSearchTables,
        isReadOnly: isReadOnly, forms: opening.forms, monitor: monitor, files: files),
      writer: connection)
  }

  /// Creates a store for the code of a migration's stage, on the migration's connection.
  convenience init(
    stage: MigrationStageConnection, _ connection: Connection, _ configuration: ModelConfiguration,
    _ version: PlannedVersion<StoreAttributes>, location: StoreLocation
  ) throws {
    guard let identifier = try StoredSchema(connection)?.identifier else {
      throw StoreError(
        .damaged, path: location.path, explanation: "its metadata has no identifier; restore it")
    }
    var configuration = configuration
    configuration.schema = version.schema
    try self.init(
      Parts(
        configuration: configuration, schema: version.schema, plans: version.plans,
        location: location, attributes: version.attributes, identifier: identifier,
        hasSearchTables: false, isReadOnly: false, forms: .none, stage: stage), writer: connection)
  }

  init(_ parts: Parts, writer connection: Connection) throws {
    configuration = parts.configuration
    identifier = parts.identifier
    attributes = parts.attributes
    hasSearchTables = parts.hasSearchTables
    let monitor = parts.monitor
    let textIndices =
      parts.hasSearchTables && !parts.isReadOnly
      ? SearchTables.tables(for: parts.plans).filter(\.isText) : []
    connection.textIndices = textIndices
    entities = StoreEntities(
      parts.schema, parts.plans, parts.attributes, storeIdentifier: parts.identifier)
    recording = ChangeRecording(
      layouts: parts.isReadOnly ? nil : try HistoryLayouts(parts.plans, on: connection),
      retention: parts.configuration.historyRetention, textIndices: textIndices,
      forms: parts.forms, monitor: monitor)
    recording.begin(on: connection)
    tracker = StoreCommitTracker(
      monitor, hasHistory: try HistoryTables.exist(on: connection),
      storeIdentifier: parts.identifier)
    try tracker.observe(connection)
    let counter = StatementCounter(store: parts.configuration.name)
    connection.counter = counter
    if !parts.isReadOnly { connection.files = parts.files }
    if parts.stage == nil, !parts.isReadOnly {
      recording.guardTables(of: connection, cookie: try StoredSchema.cookie(of: connection))
    }
    let forms = parts.forms
    connections = StoreConnections(
      parts.location, writer: connection, isReadOnly: parts.isReadOnly,
      memory: parts.configuration.memory, counter: counter, files: parts.files, stage: parts.stage,
      makeGuard: { SchemaVersionGuard(forms, cookie: nil) })
    guard !location.isInMemory, stage == nil else { return }
    commits.onFirstSubscription { [weak self] in self?.watch() }
  }

  deinit {
    // Explicitly, because a thread that is writing the log back may hold a pool or the writer somewhat longer.
    stopWatching()
    connections.close()
  }

  private static func prepareFolder(_ location: StoreLocation, isReadOnly: Bool) throws {
    guard case .file(let url) = location, !isReadOnly else { return }
    let folder = url.deletingLastPathComponent()
    do {
      try DurableFolder.make(folder)
    } catch {
      throw StoreError(
        .cannotOpen, path: url.path,
        explanation: "its folder \(folder.path) can't be made: \(error.localizedDescription)")
    }
  }

  /// The name of the configuration.
  public var name: String { configuration.name }
  public var schema: Schema { entities.schema }
  package var plans: [EntityPlan] { entities.plans }
  package var allowsSave: Bool { configuration.allowsSave }
  package var configurationName: String { name }

  package func origin(of entity: String) -> PersistentIdentifier.Origin? {
    entities.origins[entity]
  }

  @inline(__always)
  package var plansByType: [ObjectIdentifier: EntityPlan] { entities.plansByType }

  func statements(of plan: EntityPlan) throws -> EntityStatements {
    if let statements = entities.statements(of: plan) { return statements }
    throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(plan.name).")
  }

  // MARK: - Connections

  var location: StoreLocation { connections.location }
  var files: StoreFiles? { connections.files }
  var stage: MigrationStageConnection? { connections.stage }
  var readers: ConnectionPool { connections.readers }
  var writer: StoreWriter { connections.writer }
  package var counter: StatementCounter { connections.counter }

  /// The time that a read transaction waits for the next read of rows, in nanoseconds.
  package var readingSpan: UInt64 {
    get { readers.readingSpan }
    set { readers.readingSpan = newValue }
  }

  /// The number of read transactions that wait for the next read.
  package var openReadCount: Int { readers.openReadCount }

  /// Runs `body` with the write connection; one caller at a time.
  func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard allowsSave else {
      throw StoreError(
        .readOnly, path: location.path,
        explanation: "it was opened with allowsSave: false, so nothing can be saved")
    }
    guard !monitor.isReplaced else {
      throw StoreError(
        .replaced, path: location.path,
        explanation: "another file was put in its place while it was open; make a new container")
    }
    // A stage's store must not be used after the stage.
    _ = try stage?.connection
    try refuseReentrance()
    return try connections.write(body)
  }

  /// Runs `body` with a read connection, after checking whether another process has committed.
  ///
  /// - Parameter sharesTransaction: Whether reads that follow closely may share a transaction with this one; then
  ///   `body` must not begin one.
  func withReader<Result>(
    sharesTransaction: Bool = false, _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard let files = attributes.files else {
      return try connections.read(sharesTransaction: sharesTransaction, tracker, body)
    }
    return try files.reading {
      try connections.read(sharesTransaction: sharesTransaction, tracker, body)
    }
  }

  /// Checks for reentrance. Call it before writing.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` where this thread would wait for itself.
  func refuseReentrance() throws {
    try connections.refuseReentrance()
    try commits.refuseRecursion()
  }

  /// Refuses writes of the calling thread until ``endBatchOnThread()``: they would wait for its batch, and the batch
  /// for them.
  package func beginBatchOnThread() { connections.batches.begin() }
  package func endBatchOnThread() { connections.batches.end() }

  /// A writing connection for a batch, besides the one of saves.
  func batchConnection() throws -> Connection { try connections.makeBatchConnection() }

  // MARK: - Commits

  package var commits: StoreCommits { tracker.commits }
  var monitor: CommitMonitor { tracker.monitor }
  /// Whether the file has a history; a read-only file may be older.
  var hasHistory: Bool { tracker.hasHistory }
  /// Increases with every commit known to this process.
  var generation: UInt64 { monitor.position.generation }

  /// Records all later changes of a connection in the history, and prevents changes when the file has other tables by
  /// then.
  func record(on connection: Connection) {
    recording.guardTables(of: connection, cookie: nil)
    recording.begin(on: connection)
  }

  /// Counts a commit and posts it. Call it when the write connection is free again.
  func recordCommit(_ written: HistoryRecorder.RecordedTransaction?, author: String?) {
    tracker.recordCommit(written, author: author)
  }

  func token(after number: Int64) -> DefaultHistoryToken { tracker.token(after: number) }
}
