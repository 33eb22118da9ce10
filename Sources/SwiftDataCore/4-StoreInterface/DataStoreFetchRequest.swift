import Foundation

/// A request to a data store for models.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The predicate, order and limits of the fetch.
  public let descriptor: FetchDescriptor<T>
  /// The context that makes the request.
  public let editingState: EditingState

  package init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The result of a ``DataStoreFetchRequest``.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>
  /// The models found, in the requested order.
  public let fetchedSnapshots: [SnapshotType]
  /// Additional models that the store returned, by identifier: reading a relationship to them has no further cost.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// A request to a data store to delete every model of a class that matches a predicate.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The context that makes the request.
  public let editingState: EditingState
  /// The models to delete; nil means all.
  public let predicate: Predicate<T>?
  /// Whether models of subclasses are deleted too.
  public let includeSubclasses: Bool

  package init(
    predicate: Predicate<T>?, includeSubclasses: Bool = true, editingState: EditingState
  ) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
  }
}
