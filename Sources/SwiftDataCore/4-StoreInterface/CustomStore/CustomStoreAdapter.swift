import Foundation

/// Lets contexts work on any ``DataStore``: contexts use rows, the store uses snapshots.
///
/// The store is called by one thread at a time, because a store isn't required to be thread-safe. Additional models of
/// a fetch (``DataStoreFetchResult/relatedSnapshots``) are kept until the next fetch or save, and are used when
/// relationships are read.
package final class CustomStoreAdapter<Store: DataStore>: WholeModelStore, EditingStateTracking,
  ExclusiveUse, @unchecked Sendable
{
  // Unchecked: the store and all mutable state are used under the lock only.

  package let identifier: String
  package let configurationName: String
  package let plans: [EntityPlan]
  package let commits = StoreCommits()
  let plansByName: [String: EntityPlan]
  private let store: Store
  /// Recursive, because a store may post notifications whose observers fetch. They may also save to other stores, so a
  /// thread that writes to another store mustn't wait for this lock without end, see ``StoreSaves/run()``.
  let lock = NSRecursiveLock()
  private let state = State()

  /// Classes, because a reentrant call while the store works may change them.
  final class State {
    let identities = RowIDAssignment()
    /// The additional models of the last fetch.
    var related: [PersistentIdentifier: Store.Snapshot] = [:]
    /// Grows with every result: only the store knows whether its data changed in between.
    var generation: UInt64 = 0
    /// The contexts that use the store; the last one made the latest request.
    private var contexts: [EditingState] = []

    /// The context for which relationships are looked up.
    var current: EditingState { contexts.last ?? .unknown }

    func register(_ context: EditingState) {
      forget(context)
      contexts.append(context)
    }

    func forget(_ context: EditingState) { contexts.removeAll { $0.id == context.id } }
  }

  /// Makes the store.
  ///
  /// - Parameters:
  ///   - configuration: The description of the store; its schema is filled in.
  ///   - schema: The models that the store holds.
  ///   - migrationPlan: The plan that is passed on to the store.
  package init(
    _ configuration: Store.Configuration, schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let plans = try EntityPlan.plans(of: schema.types)
    let plansByName = Dictionary(
      plans.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let store = try SnapshotPlans.with(plansByName) {
      try Store(configuration, migrationPlan: migrationPlan)
    }
    self.plans = plans
    self.plansByName = plansByName
    self.store = store
    identifier = store.identifier
    configurationName = configuration.name
  }

  /// Runs `body` with exclusive access to the store, and with the plans by which snapshots are decoded.
  func withStore<Result>(_ body: (Store, State) throws -> Result) rethrows -> Result {
    try lock.withLock {
      try SnapshotPlans.with(plansByName) { try body(store, state) }
    }
  }

  package func withExclusiveUse<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.withLock { try body() }
  }

  package func withExclusiveUseIfFree<Result>(_ body: () throws -> Result) rethrows -> Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try body()
  }

  package func initializeState(for editingState: EditingState) {
    withStore { store, state in
      state.register(editingState)
      store.initializeState(for: editingState)
    }
  }

  package func invalidateState(for editingState: EditingState) {
    withStore { store, state in
      state.forget(editingState)
      store.invalidateState(for: editingState)
    }
  }

  package func identifier(rowID: Int64, entity: String) -> PersistentIdentifier {
    lock.withLock { state.identities[rowID] }
      ?? PersistentIdentifier(storeIdentifier: identifier, entityName: entity, key: .row(rowID))
  }

  package func rowID(for identifier: PersistentIdentifier) -> Int64? {
    guard !identifier.isTemporary, identifier.storeIdentifier == self.identifier else { return nil }
    return lock.withLock { state.identities.number(of: identifier).rowID }
  }

  package func erase() throws {
    try commits.refuseRecursion()
    try withStore { store, state in
      try store.erase()
      state.related = [:]
      state.generation += 1
    }
    postCommit(nil)
  }

  /// Announces a commit; must not be called while the store is in use.
  ///
  /// - Parameter entities: The names of the entities with changes; nil for all.
  func postCommit(_ entities: Set<String>?, author: String? = nil) {
    commits.post(StoreCommit(storeIdentifier: identifier, entities: entities, author: author))
  }

  /// - Throws: ``DataStoreError/unsupportedFeature`` when the store isn't a ``DataStoreBatching``.
  func delete<Model: PersistentModel>(
    _ request: DataStoreBatchDeleteRequest<Model>
  ) throws {
    try commits.refuseRecursion()
    try withStore { store, state in
      guard let batching = store as? any DataStoreBatching else {
        throw DataStoreError.unsupportedFeature
      }
      try batching.delete(request)
      state.related = [:]
      state.generation += 1
    }
    postCommit(nil, author: request.editingState.author)
  }
}

extension CustomStoreAdapter: PredicateDeleting where Store: DataStoreBatching {}
