/// The models of one entity that a context has made, by row id. Classes of one family share their rows.
final class IdentityMap {
  let plan: EntityPlan
  let store: any ModelStore
  let rows: IdentityRows
  /// The store's identifier, when its identifiers say the rows themselves.
  private let storeIdentifier: String?

  init(_ entry: ContainerCore.Entry, _ rows: IdentityRows) {
    plan = entry.plan
    store = entry.store
    self.rows = rows
    storeIdentifier = store.identifiesByRowID ? store.identifier : nil
  }

  subscript(rowID: Int64) -> AnyObject? { rows[rowID] }

  /// The registered model of an identifier.
  subscript(identifier: PersistentIdentifier) -> AnyObject? {
    if let rowID = identifier.rowID, let storeIdentifier,
      identifier.storeIdentifier == storeIdentifier
    {
      return rows[rowID]
    }
    return store.rowID(for: identifier).flatMap { rows[$0] }
  }

  /// A group for models that are about to be read together; nil when nothing of them loads later.
  func makeGroup() -> FetchGroup? {
    plan.relationships.isEmpty && plan.family == nil ? nil : FetchGroup(plan)
  }
}
