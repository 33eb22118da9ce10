import Foundation

/// Relationships of a store that only knows snapshots: an owner's snapshot names its destinations.
extension CustomStoreAdapter {
  package func prepare(
    rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?
  ) throws -> StoreQuery {
    func found<Model: PersistentModel>(
      _ identifier: PersistentIdentifier, _ type: Model.Type, _ store: Store, _ state: State
    ) throws -> Store.Snapshot? {
      try snapshot(of: identifier, as: type, in: store, state)
    }
    var query = CustomStoreQuery(count: { rowIDs.count }, rowIDs: { rowIDs })
    try withStore { store, state in
      query.rows = try rowIDs.compactMap { rowID in
        guard let identifier = state.identities[rowID] else { return nil }
        return try found(identifier, plan.type, store, state).map {
          try row(for: $0, state.identities)
        }
      }
      query.generation = state.generation
    }
    // Snapshots are whole, whatever was asked for.
    return StoreQuery(plan: plan, isFilterExact: true, isSortExact: true, statement: query)
  }

  package func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, Int64, UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    guard let relationship = plan.properties[property].relationship else { return }
    for owner in owners {
      let (generation, rows) = try withStore { store, state in
        let found = try destinations(
          of: owner, plan, property, relationship.destination, in: store, state)
        return (state.generation, found)
      }
      for row in rows {
        try row.cells.withCells { try body(generation, owner, row.rowID, $0) }
      }
    }
  }

  private func destinations(
    of owner: Int64, _ plan: EntityPlan, _ property: Int,
    _ destination: any PersistentModel.Type, in store: Store, _ state: State
  ) throws -> [StoreRow] {
    func found<Model: PersistentModel>(
      _ identifier: PersistentIdentifier, _ type: Model.Type
    ) throws -> Store.Snapshot? {
      try snapshot(of: identifier, as: type, in: store, state)
    }
    guard let identifier = state.identities[owner],
      let snapshot = try found(identifier, plan.type),
      let reference = try DefaultSnapshot(snapshot, plan: plan).references[property]
    else { return [] }
    return try reference.identifiers.compactMap { identifier in
      try found(identifier, destination).map { try row(for: $0, state.identities) }
    }
  }
}
