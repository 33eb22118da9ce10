import Foundation

/// Queries of a context's stores for parts that read without models: aggregates, explanations and snapshots.
extension ModelContext {
  /// Computes aggregates over the stored models that match a predicate, and passes each row of the result to `body`
  /// with the plan of the entity.
  ///
  /// - Returns: False when the store can't compute them or unsaved changes could matter; `body` wasn't called.
  package func aggregateStored<Root: PersistentModel>(
    _ predicate: Predicate<Root>?, _ aggregation: StoreAggregation,
    _ body: (UnsafeBufferPointer<_Cell>, EntityPlan) throws -> Void
  ) throws -> Bool {
    let map = try identityMap(for: Root.self)
    guard let store = map.capabilities.aggregates, !hasPendingChanges(of: Root.self) else {
      return false
    }
    var request = StoreRequest<Root>(plan: map.plan)
    request.editingState = editingState
    request.predicate = predicate
    request.purpose = .count
    if !map.plan.relationships.isEmpty { request.changed = pending.types() }
    return try store.aggregate(request, aggregation) { try body($0, map.plan) }
  }

  /// Returns the models of rows by row ID, registered ones included, without rows that don't exist.
  package func modelsByRowID<Model: PersistentModel>(
    _ rowIDs: [Int64], as type: Model.Type
  ) throws -> (entity: String, models: [Int64: Model]) {
    let map = try identityMap(for: type)
    let held: [Model] = try load(rowIDs, in: map)
    defer { withExtendedLifetime(held) {} }
    var models: [Int64: Model] = [:]
    for rowID in Set(rowIDs) { models[rowID] = try existingModel(rowID, as: type) }
    return (map.plan.name, models)
  }

  /// A fetch as its store would carry it out.
  package struct ExplainedFetch {
    package let entity: String
    /// The name of the store's configuration.
    package let store: String
    /// The store's explanation; nil from a store that gives none.
    package let explanation: StoreExplanation?
    /// The number of the entity's models whose unsaved changes would be merged.
    package let pendingChanges: Int
  }

  /// Explains how ``fetch(_:)`` would answer `descriptor` now.
  package func explainedFetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> ExplainedFetch {
    let map = try identityMap(for: T.self)
    let isMerging = descriptor.includePendingChanges && hasPendingChanges(of: T.self)
    var request =
      isMerging
      ? PendingFetch.request(descriptor, map, in: self) : request(for: descriptor, map)
    if !isMerging { request.properties = try propertiesToLoad(descriptor, map.plan) }
    return ExplainedFetch(
      entity: map.plan.name, store: map.store.configurationName,
      explanation: try map.capabilities.explanations?.explain(request),
      pendingChanges: isMerging ? pending.count(of: T.self) : 0)
  }

  /// The store's query for values without models; nil when models are needed: for unsaved changes that could matter,
  /// for parts that the store can't express, and for stores that read models only.
  package func valueQuery<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, for purpose: StoreRequest<T>.Purpose
  ) throws -> StoreQuery? {
    let map = try identityMap(for: T.self)
    guard map.capabilities.snapshots != nil else { return nil }
    if descriptor.includePendingChanges {
      let leadsElsewhere = !map.plan.relationships.isEmpty
      if pending.hasModels, leadsElsewhere || hasPendingChanges(of: T.self) { return nil }
    }
    var request = request(for: descriptor, map)
    request.purpose = purpose
    let query = try map.store.prepare(request)
    return query.isFilterExact && query.isSortExact ? query : nil
  }

  /// The store's query for the rows of row IDs.
  package func valueQuery<T: PersistentModel>(
    rowIDs: [Int64], of type: T.Type
  ) throws -> StoreQuery {
    let map = try identityMap(for: type)
    return try map.store.prepare(rowIDs: rowIDs, of: map.plan, properties: nil)
  }
}
