/// A request to a data store to write a context's changes.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// New models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// Changed models with all of their values.
  public let updated: [SnapshotType]
  /// Models to remove, with their last values.
  public let deleted: [SnapshotType]
  /// The context that makes the request.
  public let editingState: EditingState

  package init(
    inserted: [SnapshotType] = [], updated: [SnapshotType] = [], deleted: [SnapshotType] = [],
    editingState: EditingState
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// The result of a ``DataStoreSaveChangesRequest``.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The store that saved.
  public let storeIdentifier: String
  /// The permanent identifier of each inserted model by its temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models whose stored values differ from the passed ones: the context takes them over.
  public let snapshotsToReregister: [PersistentIdentifier: T]

  /// Creates a result.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}
