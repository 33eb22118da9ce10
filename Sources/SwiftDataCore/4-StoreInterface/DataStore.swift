/// A place that stores models in its own way: a file format, a server, a dictionary.
///
/// A ``ModelContainer`` makes the store from its ``DataStoreConfiguration`` and calls it from every context; calls come
/// one at a time, on the thread of the context that makes them. The methods without a default implementation are
/// ``fetch(_:)`` and ``save(_:)`` (WWDC24, session 10138, "Create a custom data store with SwiftData").
public protocol DataStore: AnyObject {
  /// The type that describes the store, and that names the store type in turn.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The form in which the store takes and returns the values of a model.
  associatedtype Snapshot: DataStoreSnapshot

  /// The name of the store in the identifiers of its models. It must stay the same as long as the data exists.
  var identifier: String { get }
  /// The models that the store holds.
  var schema: Schema { get }
  /// The configuration that the store was opened with.
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: The description of the store; its schema is filled in by the container.
  ///   - migrationPlan: The plan that migrates data of earlier schemas to this one.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Finds models.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` and ``DataStoreError/preferInMemorySort`` make the context
  ///   repeat the request without predicate or order and do that part itself.
  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot> where T: PersistentModel

  /// Writes the changes of a context, all or none.
  ///
  /// Every inserted snapshot has a temporary identifier. The store gives each a permanent one, made with
  /// ``PersistentIdentifier/identifier(for:entityName:primaryKey:)``, and returns it in the result.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Returns the number of models that ``fetch(_:)`` would return. By default it fetches and counts.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// Returns the identifiers of the models that ``fetch(_:)`` would return, in order. By default it fetches.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel

  /// Removes all models. By default it throws ``DataStoreError/unsupportedFeature``.
  func erase() throws

  /// Called when a context begins to use the store. By default nothing happens.
  func initializeState(for editingState: EditingState)

  /// Called when a context has been released: the store can discard its data for the context. By default nothing
  /// happens.
  func invalidateState(for editingState: EditingState)

  /// Returns the snapshots that the store can provide without effort. By default none.
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
