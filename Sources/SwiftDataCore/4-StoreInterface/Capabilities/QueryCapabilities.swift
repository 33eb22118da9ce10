import Foundation

/// A store that keeps the translations of earlier requests.
package protocol QueryReusing: RowStore {
  /// Returns the query of a fetch of whole models, for a context without relevant unsaved changes.
  ///
  /// - Parameters:
  ///   - order: Returns the sort descriptors; called when there are any.
  ///   - request: Makes the request when no earlier translation can be used.
  func query<Model: PersistentModel>(
    for summary: _FetchSummary, of plan: EntityPlan, order: () -> [SortDescriptor<Model>],
    request: () -> StoreRequest<Model>
  ) throws -> StoreQuery
}

/// A store that reads values without models, see ``SnapshotStatement``.
package protocol SnapshotReading: RowStore {}

/// A store that computes aggregates, as far as it can express them; otherwise they are computed from models.
package protocol AggregateComputing: RowStore {
  /// Computes aggregates over the rows of `request` and calls `body` with each result row, one per group: the key, when
  /// there are groups, then one cell per term. A total is the text of ``_NumberTotal/encoded``.
  ///
  /// - Returns: False when the store can't, and `body` wasn't called.
  func aggregate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ aggregation: StoreAggregation,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool
}

/// A store that explains how it would carry out a request.
package protocol RequestExplaining: RowStore {
  func explain<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreExplanation
}
