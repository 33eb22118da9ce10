import Foundation

/// Look-ups of models by identifier: many in one step, because every request may cost the store a fetch.
extension CustomStoreAdapter {
  package func withRow(
    _ rowID: Int64, of plan: EntityPlan,
    _ body: (UInt64, RowView) throws -> Void
  ) throws -> Bool {
    let (generation, rows) = try rows([rowID], of: plan)
    guard let row = rows.first else { return false }
    try row.withView { try body(generation, $0) }
    return true
  }

  /// Snapshots are complete, so the result has all properties regardless of the requested ones.
  package func prepare(
    rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?
  ) throws -> StoreQuery {
    let (generation, rows) = try rows(rowIDs, of: plan)
    let found = rows.map(\.rowID)
    var query = CustomStoreQuery(count: { found.count }, rowIDs: { found })
    query.generation = generation
    query.rows = rows
    return StoreQuery(plan: plan, isFilterExact: true, isSortExact: true, statement: query)
  }

  private func rows(
    _ rowIDs: [Int64], of plan: EntityPlan
  ) throws -> (generation: UInt64, rows: [EntityRow]) {
    try withStore { store, state in
      let identifiers = rowIDs.compactMap { state.identities[$0] }
      let found = try snapshots(of: identifiers, as: plan.type, in: store, state)
      let rows = try identifiers.compactMap { identifier in
        try found[identifier].map { try row(for: $0, state.identities) }
      }
      return (state.generation, rows)
    }
  }

  /// Reads relationships without a column from the owner's snapshot, which names the destinations.
  package func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, RowView) throws -> Void
  ) throws {
    guard let relationship = plan.properties[property].relationship else { return }
    let (generation, links) = try withStore { store, state in
      let links = try self.links(of: plan, property, owners, relationship, in: store, state)
      return (state.generation, links)
    }
    for (owner, row) in links {
      try row.withView { try body(generation, owner, $0) }
    }
  }

  private func links(
    of plan: EntityPlan, _ property: Int, _ owners: [Int64], _ relationship: RelationshipPlan,
    in store: Store, _ state: State
  ) throws -> [(owner: Int64, row: EntityRow)] {
    let identifiers = owners.compactMap { state.identities[$0] }
    let found = try snapshots(of: identifiers, as: plan.type, in: store, state)
    var named: [(owner: Int64, destination: PersistentIdentifier)] = []
    for owner in owners {
      guard let identifier = state.identities[owner], let snapshot = found[identifier] else {
        continue
      }
      let references = try DefaultSnapshot(snapshot, plan: plan).references
      for destination in references[property]?.identifiers ?? [] {
        named.append((owner, destination))
      }
    }
    let destinations = try snapshots(
      of: named.map(\.destination), as: relationship.destination, in: store, state)
    return try named.compactMap { owner, identifier in
      guard let snapshot = destinations[identifier] else { return nil }
      let row = try row(for: snapshot, state.identities)
      return refersToOwner(row, to: owner, relationship) ? (owner, row) : nil
    }
  }

  /// Whether a destination leads back to its owner. Where the destination stores the owner's key, the key decides:
  /// writers that change the store's data from outside may change one end only.
  private func refersToOwner(
    _ row: EntityRow, to owner: Int64, _ relationship: RelationshipPlan
  ) -> Bool {
    guard relationship.storage == .inverseColumn, let inverse = relationship.inverse,
      let column = row.plan.properties[inverse].columns.first
    else { return true }
    let cell = row.cells.cells[column]
    return cell.kind == .integer && cell.bits == owner
  }

  // MARK: Snapshots by identifier

  /// Returns the snapshots of those models that exist: from the last fetch, from the store's cache, by a fetch of them
  /// alone, or, when the store can't look for identifiers, by a fetch of all models, which then also answers the next
  /// requests.
  private func snapshots<Model: PersistentModel>(
    of identifiers: [PersistentIdentifier], as type: Model.Type, in store: Store, _ state: State
  ) throws -> [PersistentIdentifier: Store.Snapshot] {
    let wanted = Set(identifiers)
    var found: [PersistentIdentifier: Store.Snapshot] = [:]
    for identifier in wanted { found[identifier] = state.related[identifier] }
    let missing = wanted.filter { found[$0] == nil }
    guard !missing.isEmpty else { return found }
    state.generation += 1
    let cached = try store.cachedSnapshots(for: Array(missing), editingState: state.current)
    found.merge(cached.filter { missing.contains($0.key) }) { $1 }
    let unknown = missing.filter { found[$0] == nil }
    guard !unknown.isEmpty else { return found }
    // An identifier names the class of its model: a store need not answer a fetch of a class with instances of its
    // subclasses.
    for (entity, members) in Dictionary(grouping: unknown, by: \.entityName)
      .sorted(by: { $0.key < $1.key })
    {
      func fetch<Own: PersistentModel>(_ own: Own.Type) throws {
        for snapshot in try fetched(members, as: own, from: store, state) {
          found[snapshot.persistentIdentifier] = snapshot
        }
      }
      let own: any PersistentModel.Type = plansByName[entity]?.type ?? type
      try fetch(own)
    }
    return found.filter { wanted.contains($0.key) }
  }

  private func fetched<Model: PersistentModel>(
    _ identifiers: [PersistentIdentifier], as type: Model.Type, from store: Store, _ state: State
  ) throws -> [Store.Snapshot] {
    var descriptor = FetchDescriptor<Model>()
    if let only = identifiers.first, identifiers.count == 1 {
      descriptor.predicate = #Predicate { $0.persistentModelID == only }
    } else {
      descriptor.predicate = #Predicate { identifiers.contains($0.persistentModelID) }
    }
    func fetch() throws -> [Store.Snapshot] {
      try store.fetch(
        DataStoreFetchRequest(descriptor: descriptor, editingState: state.current)
      ).fetchedSnapshots
    }
    do { return try fetch() } catch let error as DataStoreError {
      guard error != .preferInMemorySort else { throw error }
    }
    descriptor.predicate = nil
    let all = try fetch()
    for snapshot in all { state.related[snapshot.persistentIdentifier] = snapshot }
    return all
  }
}
