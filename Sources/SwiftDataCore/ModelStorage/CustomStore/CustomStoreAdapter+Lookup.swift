import Foundation

extension CustomStoreAdapter {
  package func withRow(
    _ rowID: Int64, of plan: EntityPlan,
    _ body: (UInt64, UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool {
    let found: (generation: UInt64, row: StoreRow)? = try withStore { store, state in
      guard let identifier = state.identities[rowID] else { return nil }
      func open<Model: PersistentModel>(_ type: Model.Type) throws -> Store.Snapshot? {
        try snapshot(of: identifier, as: type, in: store, state)
      }
      guard let snapshot = try open(plan.type) else { return nil }
      return (state.generation, try row(for: snapshot, state.identities))
    }
    guard let found else { return false }
    try found.row.cells.withCells { try body(found.generation, $0) }
    return true
  }

  /// One model: from what the last fetch brought, from the store's cache, by a fetch of it alone,
  /// or, when the store can't look for an identifier, by a fetch of all, which then answers the
  /// next questions too.
  func snapshot<Model: PersistentModel>(
    of identifier: PersistentIdentifier, as type: Model.Type, in store: Store, _ state: State
  ) throws -> Store.Snapshot? {
    if let known = state.related[identifier] { return known }
    state.generation += 1
    let cached = try store.cachedSnapshots(for: [identifier], editingState: .unknown)
    if let cached = cached[identifier] { return cached }
    var descriptor = FetchDescriptor<Model>(
      predicate: #Predicate<Model> { $0.persistentModelID == identifier })
    do {
      return try fetch(descriptor, from: store).first { $0.persistentIdentifier == identifier }
    } catch let error as DataStoreError {
      guard error != .preferInMemorySort else { throw error }
    }
    descriptor.predicate = nil
    let all = try fetch(descriptor, from: store)
    for snapshot in all { state.related[snapshot.persistentIdentifier] = snapshot }
    return state.related[identifier]
  }

  private func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, from store: Store
  ) throws -> [Store.Snapshot] {
    try store.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: .unknown))
      .fetchedSnapshots
  }
}
