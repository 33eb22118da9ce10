import Foundation
import SwiftDataCore
import SwiftDataSQL
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
  let rowIDs = RowIDSource()
  let accepted = AcceptedStatements()
  /// Translations of earlier requests.
  let forms = QueryForms()
  let connections: PostgresConnections
  let origins: [String: PersistentIdentifier.Origin]
  private let queries: [ObjectIdentifier: EntityQueries]
  private let queriesByName: [String: EntityQueries]
  private let databaseSchema: String
  private let generations = Atomic<UInt64>(1)

  /// The components of a store.
  struct Parts {
    let configuration: PostgresConfiguration
    let schema: Schema
    let plans: [EntityPlan]
    let cipher: StoreCipher
    let identifier: String
    let connections: PostgresConnections
    var counter: StatementCounter?
  }

  /// Connects, and creates the store's tables if there are none, or migrates them when they have an older form.
  ///
  /// - Throws: ``SchemaError`` for a class that can't be persisted, ``StoreError`` for a server or a store that can't be
  ///   used, ``MigrationError``, ``SwiftDataError/unknownDataStoreSchema`` and ``SwiftDataError/backwardMigration`` for
  ///   a store that can't be migrated.
  public convenience init(
    _ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let schema = configuration.schema ?? Schema()
    let plans = try EntityPlan.plans(of: schema.types)
    let options = try configuration.options
    let cipher = try StoreCipher(
      plans, key: configuration.encryptionKey, address: options.url.description)
    let pool = PostgresConnectionPool(
      options, maximumCount: configuration.maximumConnectionCount,
      acquisitionTimeout: configuration.acquisitionTimeout)
    let opening = try StoreOpening(configuration, schema, plans, cipher, migrationPlan)
    let identifier = try pool.withConnection { try opening.run($0) }
    self.init(
      Parts(
        configuration: configuration, schema: schema, plans: plans, cipher: cipher,
        identifier: identifier, connections: .pool(pool)))
  }

  /// Creates a store for code inside a transaction, with the same models.
  convenience init(_ store: PostgresStore, lending connection: LentPostgresConnection) {
    self.init(
      Parts(
        configuration: store.configuration, schema: store.schema, plans: store.plans,
        cipher: store.cipher, identifier: store.identifier, connections: .lent(connection),
        counter: store.counter))
  }

  init(_ parts: Parts) {
    configuration = parts.configuration
    schema = parts.schema
    plans = parts.plans
    cipher = parts.cipher
    identifier = parts.identifier
    connections = parts.connections
    counter = parts.counter ?? StatementCounter(store: parts.configuration.name)
    databaseSchema = PostgresStatementText.shortened(parts.configuration.databaseSchema)
    plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
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

  deinit { connections.close() }

  public var name: String { configuration.name }
  package var configurationName: String { configuration.name }

  /// The server, the database and its schema, for errors.
  var address: String { "\(connections.address), schema \(databaseSchema)" }

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

  /// Calls `body` with a connection for one statement that reads.
  func withReader<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try withConnection { connection in try connection.reading { try body(connection) } }
  }

  // MARK: - Commits

  /// Increases with every commit of this store.
  var generation: UInt64 { generations.load(ordering: .acquiring) }

  /// Counts a commit, and returns the generation after it.
  func recordCommit() -> UInt64 {
    generations.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

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
