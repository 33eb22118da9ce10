import Foundation
import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// The store that keeps models in an SQLite database.
///
/// One connection writes, under a lock; readers have connections of their own and see the last commit while
/// a write is under way (write-ahead logging).
public final class DefaultStore: Sendable {
  public let name: String
  public let schema: Schema
  public let configuration: ModelConfiguration
  public let identifier: String
  package let plans: [EntityPlan]
  let plansByType: [ObjectIdentifier: EntityPlan]
  let statements: [String: EntityStatements]
  let location: StoreLocation
  let attributes: StoreAttributes
  let hasSearchTables: Bool
  let readers: ConnectionPool
  /// For SQL from outside; they may do nothing but read.
  let sqlReaders: ConnectionPool
  let counter: StatementCounter
  package let commits = StoreCommits()
  /// nil when the store is read-only.
  let historyLayouts: HistoryLayouts?
  /// Whether the file keeps a history; one that is read-only may be older.
  let hasHistory: Bool
  /// What is known of commits, this process's and others'.
  let monitor = CommitMonitor()
  let watcher = Mutex<StoreWatcher?>(nil)
  private let writer: Mutex<Writer>

  private struct Writer: ~Copyable, @unchecked Sendable {
    // Unchecked: the connection is used under the lock only.
    let connection: Connection
  }

  /// Opens the file, or makes it.
  ///
  /// - Throws: ``SchemaError`` for a class that can't be persisted, ``StoreError`` for a file that can't be used.
  public init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let schema = configuration.schema ?? Schema()
    self.configuration = configuration
    self.schema = schema
    name = configuration.name
    counter = StatementCounter(store: configuration.name)
    plans = try EntityPlan.plans(of: schema.types)
    plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    location =
      configuration.isStoredInMemoryOnly
      ? .memory(name: "swiftdata-" + configuration.url.lastPathComponent + "-" + UUID().uuidString)
      : .file(configuration.url)
    // A store in memory starts empty, so it has to be writable to get its tables.
    let isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    try Self.prepareFolder(location, isReadOnly: isReadOnly)
    let attributes = try StoreAttributes(
      plans, key: configuration.encryptionKey, location: location, isReadOnly: isReadOnly)
    self.attributes = attributes
    statements = Dictionary(
      plans.map { ($0.name, EntityStatements($0, codec: attributes.codec(of: $0))) },
      uniquingKeysWith: { first, _ in first })
    let connection = try Connection(location, role: .writer, isReadOnly: isReadOnly)
    identifier = try StoreOpening(
      connection: connection, plans: plans, plansByType: plansByType, isReadOnly: isReadOnly
    ).run()
    hasSearchTables = try attributes.prepare(
      connection, identifier: identifier, isReadOnly: isReadOnly)
    let layouts = isReadOnly ? nil : try HistoryLayouts(plans, on: connection)
    historyLayouts = layouts
    connection.recorder = layouts.map { [monitor] layouts in
      HistoryRecorder(
        layouts, retention: configuration.historyRetention, monitor: monitor, on: connection)
    }
    hasHistory = try HistoryTables.exist(on: connection)
    monitor.observe(try connection.sighting(hasHistory: hasHistory))
    connection.counter = counter
    readers = ConnectionPool(location, isReadOnly: isReadOnly, counter: counter)
    sqlReaders = ConnectionPool(
      location, isReadOnly: isReadOnly, counter: counter, isGuarded: true)
    writer = Mutex(Writer(connection: connection))
    if !location.isInMemory { commits.onFirstSubscription { [weak self] in self?.watch() } }
  }

  deinit { watcher.withLock { $0 }?.stop() }

  private static func prepareFolder(_ location: StoreLocation, isReadOnly: Bool) throws {
    guard case .file(let url) = location, !isReadOnly else { return }
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw StoreError(
        .cannotOpen, path: url.path,
        explanation: "its folder \(folder.path) can't be made: \(error.localizedDescription)")
    }
  }

  package var allowsSave: Bool { configuration.allowsSave }
  package var configurationName: String { name }

  /// Grows with every commit that this process knows of.
  var generation: UInt64 { monitor.position.generation }

  /// Runs `body` with the write connection; one caller at a time.
  func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard allowsSave else {
      throw StoreError(
        .readOnly, path: location.path,
        explanation: "it was opened with allowsSave: false, so nothing can be saved")
    }
    guard !monitor.isReplaced else {
      throw StoreError(
        .other, path: location.path,
        explanation: "another file was put in its place while it was open; make a new container")
    }
    return try writer.withLock { writer in
      nonisolated(unsafe) var result: Result?
      result = try body(writer.connection)
      guard let result else {
        throw StoreError(.other, path: location.path, explanation: "no result")
      }
      return result
    }
  }

  /// Runs `body` with a read connection, after looking whether another process has committed.
  func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let files = attributes.files else { return try read(body) }
    return try files.reading { try read(body) }
  }

  private func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try readers.withConnection { connection in
      // Nobody else reaches a database in memory.
      if !location.isInMemory {
        let version = try connection.integer("PRAGMA data_version") ?? 0
        if version != connection.dataVersion {
          connection.dataVersion = version
          monitor.observe(try connection.sighting(hasHistory: hasHistory))
        }
      }
      return try body(connection)
    }
  }
}
