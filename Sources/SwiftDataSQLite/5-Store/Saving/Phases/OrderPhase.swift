import SwiftDataCore
import SwiftDataSQL

/// The statements on the table that stores the order of one relationship's destinations.
struct OrderStatements {
  /// The rows of an owner and their positions, in order.
  let select: String
  /// Writes one position. The parameters are the position, the row and, for pairs, the owner.
  let update: String
  let isPairs: Bool

  /// - Parameters:
  ///   - relationship: The ordered end.
  ///   - destination: The plan of its destination.
  /// - Returns: nil for a relationship without an order.
  init?(_ relationship: RelationshipPlan, destination: EntityPlan) {
    guard relationship.isOrdered else { return nil }
    let table: String
    let (row, owner, order): (String, String, String)
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
    select =
      "SELECT \(row), \(order) FROM \(table) WHERE \(owner) = ?"
      + " ORDER BY \(order) NULLS LAST, \(row)"
    update =
      "UPDATE \(table) SET \(order) = ? WHERE \(row) = ?" + (isPairs ? " AND \(owner) = ?" : "")
  }
}

/// Writes the positions of ordered relationships that changed; all rows and links exist by now.
struct OrderPhase {
  private let context: SaveContext

  init(_ context: SaveContext) { self.context = context }

  func run() throws {
    guard context.store.entities.hasRelationships else { return }
    for model in context.updated + context.changes.inserted {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for index in plan.relationships {
        guard let relationship = plan.properties[index].relationship, relationship.isOrdered,
          state.flags.contains(.inserted) || state.changes.contains(index),
          let destination = context.store.plansByType[ObjectIdentifier(relationship.destination)],
          let statements = OrderStatements(relationship, destination: destination)
        else { continue }
        try order(index, of: model, relationship, statements)
      }
    }
  }

  private func order(
    _ index: Int, of model: any PersistentModel, _ relationship: RelationshipPlan,
    _ statements: OrderStatements
  ) throws {
    let owner = model._$modelState.rowID
    let known = model.knownOrder(at: index)
    if case .appended(let added) = known, added.isEmpty { return }
    let rows = try storedRows(owner, statements)
    // A model that came from another owner still has its position in that owner's list.
    func isSettled(_ model: any PersistentModel) -> Bool {
      let state = model._$modelState
      guard !state.flags.contains(.inserted) else { return false }
      return statements.isPairs || !(relationship.inverse.map(state.changes.contains) ?? false)
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
    let order = SparseOrder(
      rows: wanted, stored: positions,
      behind: rows.filter { !own.contains($0.row) }.compactMap(\.position).max())
    for (row, position) in order.changes {
      var values: [SQLValue] = [.integer(position), .integer(row)]
      if statements.isPairs { values.append(.integer(owner)) }
      try context.run(statements.update, values)
    }
  }

  private func storedRows(
    _ owner: Int64, _ statements: OrderStatements
  ) throws -> [(row: Int64, position: Int64?)] {
    let statement = try context.connection.statement(statements.select)
    defer { statement.reset() }
    try statement.bind([.integer(owner)])
    var rows: [(row: Int64, position: Int64?)] = []
    while try statement.step() {
      let cells = statement.row(from: 0)
      // Another program may have written another type than an integer.
      rows.append((cells[0].bits, cells[1].kind == .integer ? cells[1].bits : nil))
    }
    return rows
  }
}
