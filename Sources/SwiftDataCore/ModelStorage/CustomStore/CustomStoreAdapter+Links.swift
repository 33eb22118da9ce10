import Foundation

/// Relationships of a store that only knows snapshots: an owner's snapshot names its destinations.
extension CustomStoreAdapter {
  package func forEachRow(
    of plan: EntityPlan, rowIDs: [Int64],
    _ body: (UInt64, Int64, UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    for rowID in rowIDs {
      _ = try withRow(rowID, of: plan) { generation, cells in try body(generation, rowID, cells) }
    }
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
