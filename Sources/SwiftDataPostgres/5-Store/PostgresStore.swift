import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore
import Synchronization

/// The store that keeps models in a schema of a PostgreSQL database.
public final class PostgresStore: Sendable {
  public let configuration: PostgresConfiguration
  public let identifier: String
  public let schema: Schema
  package let plans: [EntityPlan]
  package let commits = StoreCommits()
  let plansByType: [ObjectIdentifier: EntityPlan]
  let rowIDs = RowIDSource()
  let accepted = AcceptedStatements()
  private let queries: [ObjectIdentifier: EntityQueries]
  private let queriesByName: [String: EntityQueries]
  private let origins: [String: PersistentIdentifier.Origin]
  private let pool: PostgresConnectionPool
  let options: PostgresConnectionOptions
  let databaseSchema: String
  /// A random number by which the transactions of this instance are known.
  let source = UInt64.random(in: .min ... .max)
  let historyPlans: HistoryPlans
  let references: StoreReferences
  let pruning: HistoryPruning
  /// The known commits.
  let monitor = CommitMonitor()
  let checks = CommitChecks()
  /// Notices the commits of others, once there is a listener.
  let watcher = Mutex<PostgresWatcher?>(nil)
  /// The channel on which commits are announced, and the statement that does it.
  let channel: String
  let notice: PostgresCommand
  let stateStatement: String
  let identifierBytes: [UInt8]

  /// Connects, and creates the store's tables if there are none.
  ///
  /// - Throws: ``SchemaError`` for a class that can't be persisted, ``StoreError`` for a server or a store that can't be
  ///   used.
  public init(
    _ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    let plans = try EntityPlan.plans(of: schema.types)
    self.plans = plans
    plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    let options = try configuration.options
    self.options = options
    try Self.refuseUnsupported(plans, address: options.url.description)
    databaseSchema = PostgresStatementText.shortened(configuration.databaseSchema)
    pool = PostgresConnectionPool(
      options, maximumCount: configuration.maximumConnectionCount,
      acquisitionTimeout: configuration.acquisitionTimeout)
    let tables = try PostgresSchema(
      named: configuration.databaseSchema, plans, version: schema.version)
    let (allowsSave, databaseSchema) = (configuration.allowsSave, self.databaseSchema)
    let (identifier, layouts) = try pool.withConnection { connection in
      let identifier = try tables.open(connection, creates: allowsSave)
      try connection.use(schema: databaseSchema)
      let layouts = try HistoryLayoutTable.numbers(of: plans, connection, isReadOnly: !allowsSave)
      return (identifier, layouts)
    }
    self.identifier = identifier
    historyPlans = HistoryPlans(plans, layouts: layouts)
    references = StoreReferences(plans, plansByType)
    pruning = HistoryPruning(configuration.historyRetention)
    channel = StoreTables.channel(of: identifier)
    notice = PostgresConnection.notice(to: channel)
    stateStatement = StoreState.statement(schema: databaseSchema)
    identifierBytes =
      UUID(uuidString: identifier).map { uuid in
        withUnsafeBytes(of: uuid.uuid) { Array($0) }
      } ?? []
    let made = plans.map(EntityQueries.init)
    queries = Dictionary(
      made.map { (ObjectIdentifier($0.plan), $0) }, uniquingKeysWith: { first, _ in first })
    queriesByName = Dictionary(
      made.map { ($0.plan.name, $0) }, uniquingKeysWith: { first, _ in first })
    origins = Dictionary(
      plans.map { ($0.name, .init(storeIdentifier: identifier, entityName: $0.name)) },
      uniquingKeysWith: { first, _ in first })
    try withConnection { try observe($0) }
    commits.onFirstSubscription { [weak self] in self?.watch() }
  }

  deinit {
    stopWatching()
    pool.close()
  }

  /// Refuses models whose values would be stored in another form than they ask for.
  private static func refuseUnsupported(_ plans: [EntityPlan], address: String) throws {
    for plan in plans {
      for property in plan.properties {
        let option: String
        if property.storage.isEncrypted {
          option = "encrypted"
        } else if property.relationship?.isOrdered == true {
          option = "an ordered relationship"
        } else {
          continue
        }
        throw StoreError(
          .schemaMismatch, path: address,
          explanation:
            "\(plan.name).\(property.name) is \(option), which stores on PostgreSQL don't support"
            + " yet; leave the option out")
      }
    }
  }

  public var name: String { configuration.name }
  package var configurationName: String { configuration.name }

  /// The server, the database and its schema, for errors.
  var address: String { "\(pool.address), schema \(databaseSchema)" }

  package func origin(of entity: String) -> PersistentIdentifier.Origin? { origins[entity] }

  func queries(of plan: EntityPlan) throws -> EntityQueries {
    if let known = queries[ObjectIdentifier(plan)] ?? queriesByName[plan.name] { return known }
    throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(plan.name).")
  }

  // MARK: - Connections

  /// Calls `body` with a connection to the store's schema.
  @discardableResult
  func withConnection<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try pool.withConnection { connection in
      try connection.use(schema: databaseSchema)
      return try body(connection)
    }
  }

  /// Calls `body` with a connection for one statement that reads.
  func withReader<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try withConnection { connection in
      try noticeCommits(connection)
      return try connection.reading { try body(connection) }
    }
  }

  // MARK: - Commits

  /// Increases with every commit that this process knows.
  var generation: UInt64 { monitor.position.generation }

  func requireWritable() throws {
    guard configuration.allowsSave else {
      throw StoreError(
        .readOnly, path: address,
        explanation: "it was opened with allowsSave: false, so nothing can be saved")
    }
    try commits.refuseRecursion()
  }
}

extension PostgresStore: DataStore {
  public typealias Configuration = PostgresConfiguration
  public typealias Snapshot = DefaultSnapshot

  /// Not supported: contexts use rows.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    throw DataStoreError.unsupportedFeature
  }

  /// Not supported: contexts use rows.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    throw DataStoreError.unsupportedFeature
  }
}

/// The statements of which it is known whether the server accepts them.
final class AcceptedStatements: Sendable {
  private static let maximumCount = 1024

  private let texts = Mutex<[String: Bool]>([:])

  /// Whether the server accepts a statement; nil when that isn't known.
  subscript(text: String) -> Bool? { texts.withLock { $0[text] } }

  func set(_ text: String, to isAccepted: Bool) {
    texts.withLock { texts in
      if texts.count >= Self.maximumCount { texts.removeAll() }
      texts[text] = isAccepted
    }
  }
}
