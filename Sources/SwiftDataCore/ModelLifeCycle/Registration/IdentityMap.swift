/// The models of one entity that a context has made, by row id. Classes of one family share their rows.
final class IdentityMap {
  let plan: EntityPlan
  let store: any ModelStore
  let rows: IdentityRows

  init(_ entry: ContainerCore.Entry, _ rows: IdentityRows) {
    plan = entry.plan
    store = entry.store
    self.rows = rows
  }

  subscript(rowID: Int64) -> AnyObject? { rows[rowID] }

  /// A group for models that are about to be read together; nil when nothing of them loads later.
  func makeGroup() -> FetchGroup? {
    plan.relationships.isEmpty && plan.family == nil ? nil : FetchGroup(plan)
  }
}
