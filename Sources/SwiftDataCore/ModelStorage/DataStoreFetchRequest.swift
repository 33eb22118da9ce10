import Foundation

/// Asks a data store for models.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// Which models, in which order, how many.
  public let descriptor: FetchDescriptor<T>
  /// The context that asks.
  public let editingState: EditingState

  package init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// A data store's answer to a ``DataStoreFetchRequest``.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// What was asked for.
  public let descriptor: FetchDescriptor<ModelType>
  /// The models found, in the order asked for.
  public let fetchedSnapshots: [SnapshotType]
  /// Further models that came along, by identifier: reading a relationship to them costs nothing
  /// more.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// Asks a data store to delete every model of a class that a predicate lets through.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The context that asks.
  public let editingState: EditingState
  /// Which models; nil means all.
  public let predicate: Predicate<T>?
  /// Whether models of subclasses are meant too.
  public let includeSubclasses: Bool

  package init(
    predicate: Predicate<T>?, includeSubclasses: Bool = true, editingState: EditingState
  ) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
  }
}
