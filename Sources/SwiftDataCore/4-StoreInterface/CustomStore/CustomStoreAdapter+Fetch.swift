import Foundation

/// A request to a custom store. Models are fetched immediately, because only the result shows whether the store
/// filtered and sorted; counts and identifiers are requested when they are needed.
struct CustomStoreQuery: WholeModelStatement, @unchecked Sendable {
  // Unchecked: the closures reach the store through its adapter, which locks.
  var generation: UInt64 = 0
  var rows: [EntityRow] = []
  var related: [EntityRow] = []
  private let fetchCount: () throws -> Int
  private let fetchRowIDs: () throws -> [Int64]

  init(count: @escaping () throws -> Int, rowIDs: @escaping () throws -> [Int64]) {
    fetchCount = count
    fetchRowIDs = rowIDs
  }

  var snapshots: (any SnapshotStatement)? { nil }
  var wholeModels: (any WholeModelStatement)? { self }

  func rowIDs() throws -> [Int64] { try fetchRowIDs() }
  func count() throws -> Int { try fetchCount() }

  func forEachRow(_ body: (UInt64, RowView) throws -> Void) throws {
    for row in rows {
      try row.withView { try body(generation, $0) }
    }
  }

  func forEachRelatedRow(_ body: (UInt64, EntityRow) throws -> Void) throws {
    for row in related { try body(generation, row) }
  }
}

extension CustomStoreAdapter {
  package func prepare<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreQuery {
    let storeRequest = CustomStoreRequest(request)
    let rowIDs = { [self] in
      try withStore { store, state in
        let found = try store.fetchIdentifiers(storeRequest.request)
          .map { state.identities.number(of: $0).rowID }
        return storeRequest.window(found.filter { !storeRequest.excluded.contains($0) })
      }
    }
    var query = CustomStoreQuery(
      count: { [self] in
        // A count doesn't tell which of the excluded rows are in it.
        guard storeRequest.excluded.isEmpty else { return try rowIDs().count }
        return try withStore { store, _ in
          storeRequest.window(count: try store.fetchCount(storeRequest.request))
        }
      }, rowIDs: rowIDs)
    guard request.purpose == .models else {
      return StoreQuery(
        plan: request.plan, isFilterExact: storeRequest.isFiltered,
        isSortExact: storeRequest.isSorted, statement: query)
    }
    let answer = try withStore { store, state in
      try fetch(storeRequest, from: store, state, into: &query)
    }
    return StoreQuery(
      plan: request.plan, isFilterExact: answer.isFiltered, isSortExact: answer.isSorted,
      statement: query)
  }

  private func fetch<Model: PersistentModel>(
    _ storeRequest: CustomStoreRequest<Model>, from store: Store, _ state: State,
    into query: inout CustomStoreQuery
  ) throws -> (isFiltered: Bool, isSorted: Bool) {
    var storeRequest = storeRequest
    state.register(storeRequest.request.editingState)
    let result = try storeRequest.answer(of: store)
    var fetched: Set<PersistentIdentifier> = []
    for snapshot in result.fetchedSnapshots {
      fetched.insert(snapshot.persistentIdentifier)
      query.rows.append(try row(for: snapshot, state.identities))
    }
    if let other = query.rows.first(where: { !($0.plan.type is Model.Type) }) {
      throw SwiftDataError.modelValidationFailure.explained(
        "The store \(configurationName) answered a fetch of \(storeRequest.plan.name) with a"
          + " \(other.plan.name).")
    }
    query.rows.removeAll { storeRequest.excluded.contains($0.rowID) }
    if storeRequest.isFiltered && storeRequest.isSorted {
      query.rows = storeRequest.window(query.rows)
    }
    for (identifier, snapshot) in result.relatedSnapshots where !fetched.contains(identifier) {
      query.related.append(try row(for: snapshot, state.identities))
    }
    state.related = result.relatedSnapshots
    // Relationships without a column are read from their owner's snapshot.
    if storeRequest.plan.relationships.contains(where: {
      storeRequest.plan.properties[$0].columns.isEmpty
    }) {
      for snapshot in result.fetchedSnapshots {
        state.related[snapshot.persistentIdentifier] = snapshot
      }
    }
    state.generation += 1
    query.generation = state.generation
    return (storeRequest.isFiltered, storeRequest.isSorted)
  }
}

/// A request in the store's terms, and the parts that are left to the caller.
///
/// Offsets aren't passed on, and limits are applied here as well, so a store that doesn't support them still gives the
/// right result.
private struct CustomStoreRequest<Model: PersistentModel>: Sendable {
  private(set) var request: DataStoreFetchRequest<Model>
  let plan: EntityPlan
  let excluded: Set<Int64>
  private let offset: Int
  private let limit: Int?
  private(set) var isFiltered = true
  private(set) var isSorted = true

  init(_ request: StoreRequest<Model>) {
    plan = request.plan
    excluded = Set(request.excluded)
    offset = request.offset ?? 0
    limit = request.limit.flatMap { $0 > 0 ? $0 : nil }
    var descriptor = FetchDescriptor(predicate: request.predicate, sortBy: request.sortBy)
    descriptor.relationshipKeyPathsForPrefetching = request.relationshipKeyPathsForPrefetching
    if let limit {
      let (end, overflow) = limit.addingReportingOverflow(offset)
      let (all, more) = end.addingReportingOverflow(excluded.count)
      descriptor.fetchLimit = overflow || more ? nil : all
    }
    let reach = QueryReach(plan: request.plan, changed: request.changed)
    if let predicate = request.predicate, reach.meetsChanges(predicate) {
      descriptor.predicate = nil
      isFiltered = false
    }
    if reach.meetsChanges(request.sortBy) {
      descriptor.sortBy = []
      isSorted = false
    }
    if !isFiltered || !isSorted { descriptor.fetchLimit = nil }
    self.request = DataStoreFetchRequest(
      descriptor: descriptor, editingState: request.editingState)
  }

  /// Sends the request to the store; the predicate or the order that the store refuses is removed, once each.
  mutating func answer<Store: DataStore>(
    of store: Store
  ) throws -> DataStoreFetchResult<Model, Store.Snapshot> {
    while true {
      var descriptor = request.descriptor
      do {
        return try store.fetch(request)
      } catch DataStoreError.preferInMemoryFilter where descriptor.predicate != nil {
        descriptor.predicate = nil
        isFiltered = false
      } catch DataStoreError.preferInMemorySort where !descriptor.sortBy.isEmpty {
        descriptor.sortBy = []
        isSorted = false
      }
      descriptor.fetchLimit = nil
      request = DataStoreFetchRequest(descriptor: descriptor, editingState: request.editingState)
    }
  }

  func window<Element>(_ elements: [Element]) -> [Element] {
    let rest = elements.dropFirst(offset)
    return Array(limit.map { rest.prefix($0) } ?? rest)
  }

  func window(count: Int) -> Int {
    let rest = max(0, count - offset)
    return limit.map { min(rest, $0) } ?? rest
  }
}
