/// The models of one entity that a context has made, by row ID. Classes of one family share their rows.
final class IdentityMap {
  private let entry: ContainerCore.Entry
  let rows: RowIDMap
  /// The store's identifier, when the store's persistent identifiers contain the row IDs themselves.
  private let storeIdentifier: String?

  init(_ entry: ContainerCore.Entry, _ rows: RowIDMap) {
    self.entry = entry
    self.rows = rows
    storeIdentifier = entry.capabilities.rowIDs?.identifier
  }

  var plan: EntityPlan { entry.plan }
  var store: any RowStore { entry.store }
  var capabilities: StoreCapabilities { entry.capabilities }

  /// Returns the identifier of a row of the entity.
  func identifier(of rowID: Int64) -> PersistentIdentifier { entry.identifier(rowID: rowID) }

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

  /// Returns a group for models that are about to be read together; nil when none of their properties is loaded later.
  func makeGroup() -> FetchGroup? {
    plan.relationships.isEmpty && plan.family == nil ? nil : FetchGroup(plan)
  }
}
