/// A store and its capabilities, found once when the container opens.
package final class StoreCapabilities: Sendable {
  package let store: any RowStore
  /// The classes whose models are read from this store and saved in it. A class that an earlier store of the container
  /// has belongs to that one.
  package let plans: [EntityPlan]
  /// The names of the classes that the store may have rows of, and that belong to an earlier store.
  package let foreign: Set<String>
  package let queryReuse: (any QueryReusing)?
  package let snapshots: (any SnapshotReading)?
  package let aggregates: (any AggregateComputing)?
  package let explanations: (any RequestExplaining)?
  package let rowIDs: (any RowIDStore)?
  package let wholeModels: (any WholeModelStore)?
  package let editingStates: (any EditingStateTracking)?
  /// Whether the store deletes by predicate itself.
  package let deletesByPredicate: Bool
  package let preparedSaves: (any PreparedSaving)?
  package let exclusiveUse: (any ExclusiveUse)?
  package let commitTracking: (any CommitTracking)?
  package let readTransactions: (any ReadTransactionProviding)?
  package let history: (any StoreHistory)?
  package let numberedHistory: (any NumberedHistory)?
  /// The history, when commits are recorded in it with tokens that can be stored.
  package let recordedHistory: (any StoreHistory)?
  package let keyedRows: (any KeyedRowStore)?
  /// Whether models of the store can lead to each other.
  package let hasRelationships: Bool

  /// - Parameter taken: The names of the classes that belong to other stores of the container.
  package init(_ store: any RowStore, without taken: Set<String> = []) {
    self.store = store
    plans = store.plans.filter { !taken.contains($0.name) }
    foreign = taken.intersection(store.plans.map(\.name))
    queryReuse = store as? any QueryReusing
    snapshots = store as? any SnapshotReading
    aggregates = store as? any AggregateComputing
    explanations = store as? any RequestExplaining
    rowIDs = store as? any RowIDStore
    wholeModels = store as? any WholeModelStore
    editingStates = store as? any EditingStateTracking
    deletesByPredicate = store is any PredicateDeleting
    preparedSaves = store as? any PreparedSaving
    exclusiveUse = store as? any ExclusiveUse
    commitTracking = store as? any CommitTracking
    readTransactions = store as? any ReadTransactionProviding
    let history = store as? any StoreHistory
    self.history = history
    numberedHistory = store as? any NumberedHistory
    recordedHistory = history?.recordsHistory == true ? history : nil
    keyedRows = store as? any KeyedRowStore
    hasRelationships = plans.contains { !$0.relationships.isEmpty }
  }
}
