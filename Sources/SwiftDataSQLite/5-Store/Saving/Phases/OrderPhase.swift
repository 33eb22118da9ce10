import SwiftDataCore
import SwiftDataSQL

extension ListOrder {
  /// The rows of an owner and their positions, in order.
  fileprivate var select: String {
    "SELECT \(row), \(order) FROM \(table) WHERE \(owner) = ?"
      + " ORDER BY \(order) NULLS LAST, \(row)"
  }

  /// Writes one position. The parameters are the position, the row and, for pairs, the owner.
  fileprivate var update: String {
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
      let owner = model._$modelState.rowID
      try ListOrder.forEachChanged(of: model, plans: context.store.plansByType) { _, list, known in
        for (row, position) in list.changes(to: known, from: try rows(of: owner, list)) {
          var values: [SQLValue] = [.integer(position), .integer(row)]
          if list.isPairs { values.append(.integer(owner)) }
          try context.run(list.update, values)
        }
      }
    }
  }

  private func rows(of owner: Int64, _ list: ListOrder) throws -> [ListOrder.Row] {
    let statement = try context.connection.statement(list.select)
    defer { statement.reset() }
    try statement.bind([.integer(owner)])
    var rows: [ListOrder.Row] = []
    while try statement.step() {
      let cells = statement.row(from: 0)
      // Another program may have written another type than an integer.
      rows.append((cells[0].bits, cells[1].kind == .integer ? cells[1].bits : nil))
    }
    return rows
  }
}
