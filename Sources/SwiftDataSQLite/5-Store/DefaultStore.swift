import Foundation
import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// The store that keeps models in an SQLite database.
///
/// One connection writes, under a lock; readers have their own connections and see the last commit during a write
/// (write-ahead logging).
public final class DefaultStore: Sendable {
  public let name: String
  public let schema: Schema
  public let configuration: ModelConfiguration
  public let identifier: String
  /// The common part of the identifiers of each entity.
  let origins: [String: PersistentIdentifier.Origin]
  package let plans: [EntityPlan]
  let plansByType: [ObjectIdentifier: EntityPlan]
  let statements: [String: EntityStatements]
  /// The same statements by plan, which is a quicker lookup.
  private let statementsByPlan: [ObjectIdentifier: EntityStatements]
  /// The statements that read entities as values, by their statements, built on first use.
  let madeSnapshotStatements = Mutex<[ObjectIdentifier: SnapshotStatements]>([:])
  let location: StoreLocation
  let attributes: StoreAttributes
  let hasSearchTables: Bool
  /// The text indices, which every writing connection of the store updates.
  let textIndices: [SearchTables.Table]
  /// Translations of earlier requests.
  let queries = QueryCache()
  let readers: ConnectionPool
  /// Connections for SQL from outside the framework; they can only read.
  let sqlReaders: ConnectionPool
  let counter: StatementCounter
  package let commits = StoreCommits()
  /// nil when the store is read-only.
  let historyLayouts: HistoryLayouts?
  /// Whether the file has a history; a read-only file may be older.
  let hasHistory: Bool
  /// The known commits of this process and others.
  let monitor: CommitMonitor
  /// The file and the files beside it, as they were opened; nil in memory and for the store of a migration's stage.
  let files: StoreFiles?
  let watcher = Mutex<StoreWatcher?>(nil)
  /// The connection of a migration, for the store of one of its stages; nil for all others.
  let stage: MigrationStageConnection?
  /// The hashes of the entities as they are in the file.
  let hashes: [String: String]
  let writer: StoreWriter
  /// The threads that read a store in memory.
  let memoryReaders = ActiveThreads()
  /// The threads that insert a batch whose transaction is open.
  let batches = ActiveThreads()

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
    /// The hashes of the entities; empty for the store of a stage.
    let hashes: [String: String]
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
    let (identifier, cookie) = try opening.run()
    let hasSearchTables = try attributes.prepare(
      connection, identifier: identifier, isReadOnly: isReadOnly)
    if !isReadOnly { try opening.recordTables(lastCookie: cookie) }
    try files?.recordLog(of: connection, hashes: opening.hashes)
    try self.init(
      Parts(
        configuration: configuration, schema: schema, plans: plans, location: location,
        attributes: attributes, identifier: identifier, hasSearchTables: hasSearchTables,
        isReadOnly: isReadOnly, hashes: opening.hashes, monitor: monitor, files: files),
      writer: connection)
  }

  init(_ parts: Parts, writer connection: Connection) throws {
    configuration = parts.configuration
    schema = parts.schema
    name = parts.configuration.name
    counter = StatementCounter(store: parts.configuration.name)
    plans = parts.plans
    plansByType = Dictionary(
      parts.plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    location = parts.location
    attributes = parts.attributes
    identifier = parts.identifier
    origins = Dictionary(
      parts.plans.map { plan in
        (plan.name, .init(storeIdentifier: parts.identifier, entityName: plan.name))
      }, uniquingKeysWith: { first, _ in first })
    hasSearchTables = parts.hasSearchTables
    textIndices =
      parts.hasSearchTables && !parts.isReadOnly
      ? SearchTables.tables(for: parts.plans).filter(\.isText) : []
    connection.textIndices = textIndices
    stage = parts.stage
    monitor = parts.monitor
    files = parts.files
    hashes = parts.hashes
    let made = parts.plans.map { EntityStatements($0, codec: parts.attributes.codec(of: $0)) }
    statements = Dictionary(
      made.map { ($0.plan.name, $0) }, uniquingKeysWith: { first, _ in first })
    statementsByPlan = Dictionary(
      made.map { (ObjectIdentifier($0.plan), $0) }, uniquingKeysWith: { first, _ in first })
    let layouts = parts.isReadOnly ? nil : try HistoryLayouts(parts.plans, on: connection)
    historyLayouts = layouts
    connection.recorder = layouts.map { [monitor] layouts in
      HistoryRecorder(
        layouts, retention: parts.configuration.historyRetention, monitor: monitor, on: connection)
    }
    hasHistory = try HistoryTables.exist(on: connection)
    monitor.observe(try connection.commitState(hasHistory: hasHistory))
    connection.counter = counter
    if !parts.isReadOnly { connection.files = parts.files }
    if parts.stage == nil, !parts.isReadOnly {
      connection.schemaGuard = SchemaVersionGuard(
        parts.hashes, cookie: try StoredSchema.cookie(of: connection))
    }
    let memory = parts.configuration.memory
    readers = ConnectionPool(
      parts.location, isReadOnly: parts.isReadOnly, memory: memory, counter: counter,
      stage: parts.stage, files: parts.files)
    sqlReaders = ConnectionPool(
      parts.location, isReadOnly: parts.isReadOnly, memory: memory, counter: counter,
      isGuarded: true, stage: parts.stage, files: parts.files)
    nonisolated(unsafe) let writing = connection
    let isPlainFile = !parts.location.isInMemory && parts.stage == nil && !parts.isReadOnly
    writer = StoreWriter(writing, checkpointsLater: isPlainFile)
    guard !location.isInMemory, stage == nil else { return }
    commits.onFirstSubscription { [weak self] in self?.watch() }
  }

  deinit {
    // Explicitly, because a thread that is writing the log back may hold a pool or the writer somewhat longer.
    stopWatching()
    files?.forget()
    readers.closeAll()
    sqlReaders.closeAll()
    writer.close()
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

  package var allowsSave: Bool { configuration.allowsSave }
  package var configurationName: String { name }

  package func origin(of entity: String) -> PersistentIdentifier.Origin? { origins[entity] }

  func statements(of plan: EntityPlan) throws -> EntityStatements {
    if let statements = statementsByPlan[ObjectIdentifier(plan)] { return statements }
    guard let statements = statements[plan.name] else {
      throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(plan.name).")
    }
    return statements
  }

  /// Increases with every commit known to this process.
  var generation: UInt64 { monitor.position.generation }

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
    readers.endReadTransactions()
    guard let result = try writer.use(body) else {
      throw StoreError(.other, path: location.path, explanation: "it has been closed")
    }
    return result
  }

  /// Runs `body` with a read connection, after checking whether another process has committed.
  ///
  /// - Parameter sharesTransaction: Whether reads that follow closely may share a transaction with this one; then
  ///   `body` must not begin one.
  func withReader<Result>(
    sharesTransaction: Bool = false, _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard let files = attributes.files else { return try read(sharesTransaction, body) }
    return try files.reading { try read(sharesTransaction, body) }
  }

  private func read<Result>(
    _ sharesTransaction: Bool, _ body: (Connection) throws -> Result
  ) throws -> Result {
    if location.isInMemory { return try readMemory(body) }
    return try readers.withConnection { connection, span in
      // No other process reaches a database in memory, and a stage is already in a transaction.
      if stage == nil {
        let mark = connection.commitMark
        try connection.continueReading(mark, within: sharesTransaction ? span : 0)
        try checkForCommits(connection, mark)
      } else {
        try checkForCommits(connection, connection.commitMark)
      }
      return try body(connection)
    }
  }

  /// Whether the store itself reads in a transaction that hasn't written anything yet.
  @TaskLocal static var readsBeforeWriting = false

  /// Reads a store in memory, which has no log: readers lock out writers, and writers lock out readers. Code called
  /// meanwhile on the same thread would wait for itself.
  private func readMemory<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if Self.readsBeforeWriting, let connection = writer.connectionUsedHere {
      return try body(connection)
    }
    if writer.isUsedHere {
      throw Self.reentrance("Reading a store in memory", during: "encoding values for a save")
    }
    memoryReaders.begin()
    defer { memoryReaders.end() }
    return try readers.withConnection { try body($0) }
  }

  /// Checks for reentrance. Call it before writing.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` where this thread would wait for itself.
  func refuseReentrance() throws {
    if writer.isUsedHere { throw Self.reentrance("Writing", during: "encoding values for a save") }
    if location.isInMemory, memoryReaders.containsCurrent {
      throw Self.reentrance("Writing to a store in memory", during: "decoding values of a fetch")
    }
    if batches.containsCurrent {
      throw Self.reentrance("Writing", during: "making models for a batch")
    }
    try commits.refuseRecursion()
  }

  private static func reentrance(_ what: String, during work: String) -> SwiftDataError {
    .reentrantOperation.explained(
      "\(what) was called from code that is \(work) of the same store, and would wait for that without end."
        + " Do it afterwards.")
  }

  /// Checks whether another process has committed. If the index of the write-ahead log shows no commit, the check needs
  /// no transaction.
  func checkForCommits(_ connection: Connection, _ mark: LogCommit?) throws {
    if let mark, mark == connection.observedCommit { return }
    let version = try connection.integer("PRAGMA data_version") ?? 0
    if version != connection.dataVersion {
      // A state that can't be read is tried again by the next call.
      monitor.observe(try connection.commitState(hasHistory: hasHistory))
      connection.dataVersion = version
    }
    connection.observedCommit = mark
  }
}
