import SwiftDataCore

/// The positions of the destinations of one ordered relationship, as a store has them.
package struct ListOrder {
  /// A destination and its position; nil where it has none.
  package typealias Row = (row: Int64, position: Int64?)

  /// The table with the positions, quoted.
  package let table: String
  /// The column with the destination's row ID, quoted.
  package let row: String
  /// The column with the owner's row ID, quoted.
  package let owner: String
  /// The column with the position, quoted.
  package let order: String
  /// Whether the table has pairs, in which a destination can be in several lists.
  package let isPairs: Bool
  private let inverse: Int?

  /// - Parameters:
  ///   - relationship: The ordered end.
  ///   - destination: The plan of its destination.
  /// - Returns: nil for a relationship without an order.
  package init?(_ relationship: RelationshipPlan, destination: EntityPlan) {
    guard relationship.isOrdered else { return nil }
    inverse = relationship.inverse
    if let join = relationship.joinTable, let column = join.ownerOrderColumn {
      table = SQLIdentifier.quoted(join.name)
      row = SQLIdentifier.quoted(join.destinationColumn)
      owner = SQLIdentifier.quoted(join.ownerColumn)
      order = SQLIdentifier.quoted(column)
      isPairs = true
    } else if let inverse = relationship.inverse, let column = destination.orderColumn(of: inverse),
      let key = destination.properties[inverse].columns.first
    {
      table = SQLIdentifier.quoted(destination.table)
      row = SQLIdentifier.rowID
      owner = SQLIdentifier.quoted(destination.columns[key].name)
      order = SQLIdentifier.quoted(column)
      isPairs = false
    } else {
      return nil
    }
  }

  /// Calls `body` with each ordered relationship of a model whose order may have to be written, and its position among
  /// the properties.
  package static func forEachChanged(
    of model: any PersistentModel, plans: [ObjectIdentifier: EntityPlan],
    _ body: (Int, ListOrder, KnownOrder) throws -> Void
  ) rethrows {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship, relationship.isOrdered,
        state.flags.contains(.inserted) || state.changes.contains(index),
        let destination = plans[ObjectIdentifier(relationship.destination)],
        let list = ListOrder(relationship, destination: destination)
      else { continue }
      let known = model.knownOrder(at: index)
      if case .appended(let added) = known, added.isEmpty { continue }
      try body(index, list, known)
    }
  }

  /// The positions to write.
  ///
  /// - Parameter rows: The stored rows of the owner, in order.
  package func changes(
    to known: KnownOrder, from rows: [Row]
  ) -> [(row: Int64, position: Int64)] {
    // A model that came from another owner still has its position in that owner's list.
    func isSettled(_ model: any PersistentModel) -> Bool {
      let state = model._$modelState
      guard !state.flags.contains(.inserted) else { return false }
      return isPairs || !(inverse.map(state.changes.contains) ?? false)
    }
    var positions: [Int64: Int64] = [:]
    for (row, position) in rows { positions[row] = position }
    let linked = Set(rows.map(\.row))
    func living(_ models: [any PersistentModel]) -> [Int64] {
      models.compactMap { model in
        let rowID = model._$modelState.rowID
        guard linked.contains(rowID) else { return nil }
        if !isSettled(model) { positions[rowID] = nil }
        return rowID
      }
    }
    let wanted: [Int64]
    switch known {
    case .whole(let models): wanted = living(models)
    case .appended(let models):
      let added = living(models)
      let moved = Set(added)
      wanted = rows.map(\.row).filter { !moved.contains($0) } + added
    }
    let own = Set(wanted)
    return SparseOrder(
      rows: wanted, stored: positions,
      behind: rows.filter { !own.contains($0.row) }.compactMap(\.position).max()
    ).changes
  }
}
