import SwiftDataCore
import SwiftDataSQL

/// Handles edited models whose rows no longer exist: another program deleted them.
struct MissingRowPhase {
  private let context: SaveContext

  init(_ context: SaveContext) { self.context = context }

  /// Sets links to the models whose rows no longer exist to NULL.
  func run() throws {
    guard context.policy == .deletionTrump, !context.discarded.deletedInStore.isEmpty else {
      return
    }
    context.updated.removeAll { $0._$modelState.flags.contains(.rowDeleted) }
    for model in context.updated {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for index in plan.relationships where state.changes.contains(index) {
        guard plan.properties[index].relationship?.storage == .column,
          case .one(let destination?) = model.links(at: index),
          destination._$modelState.flags.contains(.rowDeleted)
        else { continue }
        try context.setReference(index, of: model, plan, to: .null)
      }
    }
  }

  /// Records, during the updates, that a model has no row; or restores the row, depending on the policy.
  func record(_ model: any PersistentModel) throws {
    guard context.policy == .deletionTrump else { return try restore(model) }
    context.discarded.deletedInStore.append(model)
    // Links to the model are written as NULL.
    model._$modelState.flags.insert(.rowDeleted)
  }

  /// Inserts the row again with the same ID, because the edit wins.
  func restore(_ model: any PersistentModel) throws {
    let statements = try context.statements(of: try context.plan(of: model))
    var row = _RowWriter(plan: statements.plan)
    row.begin(model._$modelState)
    model._$encode(into: &row)
    if let failure = row.failure { throw failure }
    row.composeUniqueTexts(at: 0)
    try statements.codec?.seal(&row, on: context.connection)
    let statement = try context.connection.statement(statements.insertWithRowID)
    let cells = row.cells[...]
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(.integer(model._$modelState.rowID), at: 1)
      try statement.bind(cells, arena: arena.baseAddress, at: 2)
      try statement.run()
    }
  }
}
