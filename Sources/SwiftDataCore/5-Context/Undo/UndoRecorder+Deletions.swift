/// Deletions that may be undone after the save that wrote them.
extension UndoRecorder {
  /// Returns the models that lead to deleted ones through relationships without an inverse. The store is about to empty
  /// these relationships, and the models have to be in memory to get their destinations back.
  ///
  /// - Parameter deleted: The models that a save deletes. Only those that undoing can restore count.
  func ownersWithoutInverse(
    to deleted: [any PersistentModel], in context: ModelContext
  ) throws -> [any PersistentModel] {
    let returning = deleted.filter { removedStates[$0] != nil }
    guard !returning.isEmpty else { return [] }
    var owners: [any PersistentModel] = []
    for capabilities in context.core.capabilities {
      guard let store = capabilities.rowIDs else { continue }
      for plan in capabilities.plans {
        for index in plan.ownRelationships {
          guard let relationship = plan.properties[index].relationship,
            relationship.inverse == nil
          else { continue }
          let rowIDs = returning.filter {
            ModelInheritance.isClass(type(of: $0), orSubclassOf: relationship.destination)
          }.map(\._$modelState.rowID)
          guard !rowIDs.isEmpty else { continue }
          let found = try store.owners(of: plan, index, destinations: rowIDs)
          owners += try load(found, of: plan, index, relationship, in: context)
        }
      }
    }
    return owners
  }

  private func load(
    _ rowIDs: [Int64], of plan: EntityPlan, _ index: Int, _ relationship: RelationshipPlan,
    in context: ModelContext
  ) throws -> [any PersistentModel] {
    guard !rowIDs.isEmpty else { return [] }
    func open<Model: PersistentModel>(_ type: Model.Type) throws -> [any PersistentModel] {
      let map = try context.identityMap(for: type)
      var models: [any PersistentModel] = []
      let query = try map.store.prepare(rowIDs: rowIDs, of: map.plan, properties: nil)
      try context.forEachModel(of: query, map) { (model: Model) in models.append(model) }
      return models
    }
    let owners = try open(plan.type)
    for owner in owners {
      guard case .notLoaded = owner.links(at: index), !relationship.isToMany,
        owner._$modelState.reference(at: index) != nil
      else {
        _ = context.destinations(of: owner, index)
        continue
      }
      owner.fillLinks(
        .one(context.destinationIncludingDeleted(of: owner, index, relationship)), at: index)
    }
    return owners
  }
}
