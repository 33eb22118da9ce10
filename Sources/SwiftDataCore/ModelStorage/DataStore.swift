/// A place that keeps models in a way of its own: a file format, a server, a dictionary.
///
/// A ``ModelContainer`` makes the store from its ``DataStoreConfiguration`` and calls it from every
/// context; calls come one at a time, on the thread of the context that makes them. What is left to
/// write is ``fetch(_:)`` and ``save(_:)`` (WWDC24, session 10138, "Create a custom data store with
/// SwiftData").
public protocol DataStore: AnyObject {
  /// Describes the store; names the store in turn.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// How the store takes and gives the values of a model.
  associatedtype Snapshot: DataStoreSnapshot

  /// Names the store in the identifiers of its models. It must stay the same as long as the data
  /// lives.
  var identifier: String { get }
  /// The models that the store holds.
  var schema: Schema { get }
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: What to open; its schema is filled in by the container.
  ///   - migrationPlan: How data of earlier schemas becomes data of this one.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Finds models.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` and ``DataStoreError/preferInMemorySort``
  ///   make the context ask again without predicate or order and do that part itself.
  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot> where T: PersistentModel

  /// Writes the changes of a context, all or none.
  ///
  /// Every inserted snapshot has a temporary identifier. The store gives each a permanent one, made
  /// with ``PersistentIdentifier/identifier(for:entityName:primaryKey:)``, and says so in the
  /// result.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>

  /// The number of models that ``fetch(_:)`` would find. By default it fetches and counts.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// The identifiers of the models that ``fetch(_:)`` would find, in order. By default it fetches.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel

  /// Removes everything. By default it throws ``DataStoreError/unsupportedFeature``.
  func erase() throws

  /// A context begins to use the store. By default nothing happens.
  func initializeState(for editingState: EditingState)

  /// A context has gone: what the store kept for it can go. By default nothing happens.
  func invalidateState(for editingState: EditingState)

  /// The snapshots that the store can give without effort. By default none.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  public func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  public func erase() throws { throw DataStoreError.unsupportedFeature }

  public func initializeState(for editingState: EditingState) {}

  public func invalidateState(for editingState: EditingState) {}

  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete many models without reading them.
public protocol DataStoreBatching: DataStore {
  /// Deletes every model that the request describes.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}
