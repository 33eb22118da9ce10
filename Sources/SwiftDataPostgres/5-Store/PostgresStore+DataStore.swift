import SwiftDataCore

/// Implements the same interface as any other data store, with snapshots instead of rows.
///
/// A container's contexts don't use this interface, since rows are faster. Results and effects are the same, because
/// each request is executed by its own context.
extension PostgresStore: DataStore, DataStoreBatching {
  public typealias Configuration = PostgresConfiguration
  public typealias Snapshot = DefaultSnapshot

  private var requests: SnapshotRequests { SnapshotRequests(self, schema: schema) }

  /// Finds models. The destinations of `relationshipKeyPathsForPrefetching` are included as related snapshots.
  ///
  /// - Throws: ``SwiftDataError`` for a class, predicate or order that can't be used, ``StoreError`` when the server
  ///   can't be read.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    try requests.fetch(request)
  }

  public func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel { try requests.fetchCount(request) }

  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try requests.fetchIdentifiers(request)
  }

  /// Writes changes in one transaction. An inserted snapshot whose unique values are already stored updates that model,
  /// and then gets its identifier.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for a snapshot that doesn't fit the store, ``StoreError`` when
  ///   the server refuses; nothing is written then.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try requests.save(request) }

  /// Deletes every model that the request describes, with the effects of the delete rules, in one transaction.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    try requests.delete(request)
  }

  /// The stored values of those models that exist, with one statement per entity.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try requests.snapshots(for: persistentIdentifiers, editingState: editingState)
  }
}
