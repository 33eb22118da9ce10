import SwiftDataCore
import SwiftDataSQL

/// Removes links that a deletion in the same save would follow.
struct UnlinkingPhase {
  private let context: SaveContext

  init(_ context: SaveContext) { self.context = context }

  func run() throws {
    let deleted = context.changes.deleted
    guard !deleted.isEmpty else { return }
    let models = context.updated + deleted
    for model in models { try unlink(model) }
    try JoinTableLinks(context).remove(of: models)
    for model in deleted { try releaseDenied(model) }
  }

  /// Sets the changed keys of a model to NULL.
  private func unlink(_ model: any PersistentModel) throws {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    let kept = context.kept[ObjectIdentifier(model)] ?? []
    for index in plan.relationships
    where state.changes.contains(index) && plan.properties[index].relationship?.storage == .column {
      // The row keeps the store's value: the update won't write it either.
      if kept.contains(index) { continue }
      // The value was set to the former one: the update won't write it.
      if isAsCommitted(model, index, plan) { continue }
      try context.setReference(index, of: model, plan, to: .null)
    }
  }

  private func isAsCommitted(
    _ model: any PersistentModel, _ index: Int, _ plan: EntityPlan
  ) -> Bool {
    let state = model._$modelState
    var row = _RowWriter(plan: plan)
    row.begin(state)
    row.property = index
    model._$encode(index, into: &row)
    return row.isAsCommitted(index, state, at: 0) ?? false
  }

  /// Sets the keys to NULL in a model that is deleted together with the destinations of its `deny` rules.
  private func releaseDenied(_ model: any PersistentModel) throws {
    guard let plan = model._$modelState.plan else { return }
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship,
        relationship.deleteRule == .deny, relationship.storage == .column
      else { continue }
      try context.setReference(index, of: model, plan, to: .null)
    }
  }
}
