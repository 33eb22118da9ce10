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
  package let plansByType: [ObjectIdentifier: EntityPlan]
  /// Counts the statements of all connections.
  package let counter: StatementCounter
  let cipher: StoreCipher
  let rowIDs: RowIDSource
  let accepted = AcceptedStatements()
  /// Translations of earlier requests.
  let forms = QueryForms()
  let connections: PostgresConnections
  /// The copies of the server that answer reads; nil without them.
  let copies: ReadCopies?
  let origins: [String: PersistentIdentifier.Origin]
  private let queries: [ObjectIdentifier: EntityQueries]
  private let queriesByName: [String: EntityQueries]
  let options: PostgresConnectionOptions
  let databaseSchema: String
  /// The server, the database and its schema, for errors.
  let address: String
  /// A random number by which the transactions of this instance are known.
  let source = UInt64.random(in: .min ... .max)
  let historyPlans: HistoryPlans
  /// The present forms of the entities in the history.
  let layouts: StoredLayouts
  /// The last transactions of this instance.
  let recent = RecentTransactions()
  let references: StoreReferences
  let pruning: HistoryPruning
  let newValues = NewValueExpectations()
  /// The known commits.
  let monitor = CommitMonitor()
  let checks: CommitChecks
  /// Notices the commits of others, once there is a listener.
  let watcher = Mutex<PostgresWatcher?>(nil)
  /// The announcements of commits; nil for a server that has none.
  let announcements: CommitAnnouncements?
  let stateStatement: String
  let identifierBytes: [UInt8]

  /// The components of a store.
  struct Parts {
    let configuration: PostgresConfiguration
    let options: PostgresConnectionOptions
    let schema: Schema
    let plans: [EntityPlan]
    /// The numbers of their forms in the history, by entity.
    let layouts: [String: Int64]
    let cipher: StoreCipher
    let identifier: String
    let connections: PostgresConnections
    var copies: ReadCopies?
    var counter: StatementCounter?
    var rowIDs = RowIDSource()
  }

  /// Connects, and creates the store's tables if there are none, or migrates them when they have an older form.
  ///
  /// - Throws: ``SchemaError`` for a class that can't be persisted, ``StoreError`` for a server or a store that can't
  ///   be used, ``MigrationError``, ``SwiftDataError/unknownDataStoreSchema`` and ``SwiftDataError/backwardMigration``
  ///   for a store that can't be migrated.
  public convenience init(
    _ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let schema = configuration.schema ?? Schema()
    let plans = try EntityPlan.plans(of: schema.types)
    let options = try configuration.options
    let cipher = try StoreCipher(
      plans, key: configuration.encryptionKey, address: options.url.description)
    let rowIDs = RowIDSource()
    let pool = PostgresConnectionPool(
      options, maximumCount: configuration.maximumConnectionCount,
      acquisitionTimeout: configuration.acquisitionTimeout,
      idleTimeout: configuration.idleTimeout, whenSessionsChange: { rowIDs.forget() })
    let opening = try StoreOpening(configuration, schema, plans, cipher, migrationPlan)
    let allowsSave = configuration.allowsSave
    let databaseSchema = PostgresStatementText.shortened(configuration.databaseSchema)
    let (identifier, layouts) = try pool.withConnection { connection in
      let identifier = try opening.run(connection)
      try connection.use(schema: databaseSchema)
      return (
        identifier,
        try HistoryLayoutTable.numbers(of: plans, connection, isReadOnly: !allowsSave)
      )
    }
    self.init(
      Parts(
        configuration: configuration, options: options, schema: schema, plans: plans,
        layouts: layouts, cipher: cipher, identifier: identifier, connections: .pool(pool),
        copies: try configuration.readOptions.map {
          ReadCopies(
            $0, maximumCount: configuration.maximumConnectionCount,
            idleTimeout: configuration.idleTimeout)
        }, rowIDs: rowIDs))
    try withConnection { try observe($0) }
    commits.onFirstSubscription { [weak self] in self?.watch() }
  }

  /// Creates a store for code inside a transaction, with the same models.
  convenience init(_ store: PostgresStore, lending connection: LentPostgresConnection) {
    self.init(
      Parts(
        configuration: store.configuration, options: store.options, schema: store.schema,
        plans: store.plans, layouts: store.historyPlans.layouts, cipher: store.cipher,
        identifier: store.identifier, connections: .lent(connection), counter: store.counter))
  }

  init(_ parts: Parts) {
    configuration = parts.configuration
    options = parts.options
    schema = parts.schema
    plans = parts.plans
    cipher = parts.cipher
    identifier = parts.identifier
    checks = CommitChecks(store: parts.identifier)
    connections = parts.connections
    copies = parts.copies
    counter = parts.counter ?? StatementCounter(store: parts.configuration.name)
    rowIDs = parts.rowIDs
    databaseSchema = PostgresStatementText.shortened(parts.configuration.databaseSchema)
    address = "\(parts.connections.address), schema \(databaseSchema)"
    let plansByType = Dictionary(
      parts.plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    self.plansByType = plansByType
    historyPlans = HistoryPlans(parts.plans, layouts: parts.layouts)
    layouts = StoredLayouts(parts.plans, present: parts.layouts)
    references = StoreReferences(parts.plans, plansByType)
    pruning = HistoryPruning(parts.configuration.historyRetention)
    stateStatement = StoreState.statement(schema: databaseSchema)
    identifierBytes =
      UUID(uuidString: parts.identifier).map { uuid in
        withUnsafeBytes(of: uuid.uuid) { Array($0) }
      } ?? []
    announcements =
      configuration.features.contains(.notifications)
      ? CommitAnnouncements(
        channel: StoreTables.channel(of: parts.identifier), identifier: identifierBytes) : nil
    let made = plans.map { EntityQueries($0, parts.cipher) }
    queries = Dictionary(
      made.map { (ObjectIdentifier($0.plan), $0) }, uniquingKeysWith: { first, _ in first })
    queriesByName = Dictionary(
      made.map { ($0.plan.name, $0) }, uniquingKeysWith: { first, _ in first })
    let identifier = parts.identifier
    origins = Dictionary(
      plans.map { ($0.name, .init(storeIdentifier: identifier, entityName: $0.name)) },
      uniquingKeysWith: { first, _ in first })
  }

  deinit {
    stopWatching()
    connections.close()
    copies?.close()
  }

  /// The name of the configuration.
  public var name: String { configuration.name }
  package var configurationName: String { configuration.name }

  package func origin(of entity: String) -> PersistentIdentifier.Origin? { origins[entity] }

  func queries(of plan: EntityPlan) throws -> EntityQueries {
    if let known = queries[ObjectIdentifier(plan)] ?? queriesByName[plan.name] { return known }
    throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(plan.name).")
  }

  // MARK: - Connections

  /// Calls `body` with a connection to the store's schema.
  @discardableResult
  func withConnection<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try connections.withConnection(schema: databaseSchema) { connection in
      connection.counter = counter
      return try body(connection)
    }
  }

  /// Prepares a connection that was taken from the pool.
  func use(_ connection: PostgresConnection) throws {
    try connection.use(schema: databaseSchema)
    connection.counter = counter
  }

  /// Calls `body` with a connection for one statement that reads, and the generation that the rows have at least. When
  /// a copy of the server stops answering, or cancels the statement, `body` is called again with the server itself, and
  /// the copy is left alone for a while.
  ///
  /// - Parameter canRepeat: Whether `body` can be called again, because it hasn't passed anything on.
  func withReader<Result>(
    canRepeat: () -> Bool = { true },
    _ body: (PostgresConnection, _ generation: UInt64) throws -> Result
  ) throws -> Result {
    if let copies, let copy = try connectionToCopy(copies) {
      do {
        defer { copies.giveBack(copy.connection) }
        return try copy.connection.reading { try body(copy.connection, copy.generation) }
      } catch let error as StoreError where error.isRepeatable {
        copies.rest(after: error)
        guard canRepeat() else {
          throw StoreError(
            error.code, path: address,
            explanation:
              "a copy of the server ended a read whose first rows had arrived; try again",
            sqlState: error.sqlState, sql: error.sql)
        }
      }
    }
    return try withConnection { connection in
      try noticeCommits(connection)
      return try connection.reading { try body(connection, generation) }
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

/// The statements of which it is known whether the server accepts them.
final class AcceptedStatements: Sendable {
  private static let maximumCount = 1024

  enum Answer {
    case refused
    /// The server has inferred these types of the parameters.
    case accepted([PostgresType])
  }

  private let answers = Mutex<[String: Answer]>([:])

  /// The server's answer to a statement; nil when that isn't known.
  subscript(text: String) -> Answer? { answers.withLock { $0[text] } }

  func set(_ text: String, to answer: Answer) {
    answers.withLock { answers in
      if answers.count >= Self.maximumCount { answers.removeAll() }
      answers[text] = answer
    }
  }
}
