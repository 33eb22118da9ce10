/// The interface of a context for modules of stores.
extension ModelContext {
  package var stores: [any RowStore] { core.stores }

  package func entry(for type: any PersistentModel.Type) throws -> ContainerCore.Entry {
    try core.entry(for: type)
  }

  /// Returns the models in the rows, in the order of the rows, without those that are gone or deleted here.
  package func models<T: PersistentModel>(rowIDs: [Int64], as type: T.Type) throws -> [T] {
    let map = try identityMap(for: type)
    let query = try map.store.prepare(
      rowIDs: Array(Set(rowIDs)), of: map.plan, properties: nil)
    var found: [Int64: T] = [:]
    try forEachModel(of: query, map) { (model: T) in found[model._$modelState.rowID] = model }
    return rowIDs.compactMap { rowID in
      found[rowID].flatMap { $0._$modelState.isDeleted ? nil : $0 }
    }
  }
}

extension EntityPlan {
  /// The plan of rows that belong to no entity.
  package static let anonymous = EntityPlan(
    name: "?", type: _UnknownModel.self, properties: [], columns: [], uniqueness: [], indices: [])
}
