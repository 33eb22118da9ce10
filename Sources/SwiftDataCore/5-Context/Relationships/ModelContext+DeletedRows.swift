/// Models that a save or a rollback outdates without having changed them: their relationships were merged with changes
/// of the models at the other end.
extension ModelContext {
  /// Unloads relationships after a rollback: lists that were read meanwhile lack models that were deleted or had moved
  /// away. They are read again on access.
  func unloadLinks() {
    for model in link.rowIDMaps.values.flatMap(\.registered) {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for index in plan.relationships {
        switch (model.links(at: index), state.relationship(at: index)?.storage) {
        case (.notLoaded, _): continue
        case (.one(nil), .column) where state.reference(at: index) != nil: break
        case (_, .column): continue
        default: break
        }
        unload(index, of: model, plan)
      }
    }
  }

  private func unload<Model: PersistentModel>(
    _ index: Int, of model: Model, _ plan: EntityPlan
  ) {
    model.replace(index, plan) { $0._$clear(index) }
  }

  /// Returns the models that may hold models that a save is about to delete; nil when walking all registered models is
  /// the better way to find them.
  ///
  /// A program that deletes and saves one model after the other must not pay for all registered models each time. The
  /// store knows which rows lead to a deleted one, as long as the deleted row exists. Changed and inserted models may
  /// hold other models than their rows say.
  func linkOwners(ofFew deleted: [any PersistentModel]) throws -> [any PersistentModel]? {
    guard !deleted.isEmpty, pending.droppedClasses.isEmpty, pending.batchDeletions.isEmpty else {
      return nil
    }
    let registered = link.rowIDMaps.values.reduce(0) { $0 + $1.count }
    guard deleted.count < registered / 64 else { return nil }
    var owners = pending.changed.models + pending.inserted.models
    for capabilities in core.capabilities {
      guard let store = capabilities.rowIDs else { return nil }
      for plan in store.plans {
        for index in plan.ownRelationships {
          guard let relationship = plan.properties[index].relationship,
            relationship.inverse == nil || isUnaffectedByDeletion(relationship)
          else { continue }
          let rowIDs = deleted.filter {
            ModelInheritance.isClass(type(of: $0), orSubclassOf: relationship.destination)
          }.map(\._$modelState.rowID)
          guard !rowIDs.isEmpty else { continue }
          if relationship.storage == .inverseColumn { return nil }
          let rows = link.rows(of: plan)
          owners += try store.owners(of: plan, index, destinations: rowIDs)
            .compactMap { rows[$0] as? any PersistentModel }
        }
      }
    }
    return owners
  }

  /// Removes, after a save, deleted models of some classes from relationships that have no inverse, and from those that
  /// the rules `noAction` and `deny` left alone.
  ///
  /// - Parameter owners: The models that may hold them; nil for all registered models.
  func dropLinks(
    toClasses classes: [any PersistentModel.Type], of owners: [any PersistentModel]?
  ) {
    guard !classes.isEmpty else { return }
    // Cached by plan, because most models share few plans.
    var concerned: [ObjectIdentifier: [Int]] = [:]
    let owners = owners ?? registered(withLinksToAnyOf: classes)
    WorkCounter.add(owners.count, to: .linkOwners)
    for model in owners {
      guard let plan = model._$modelState.plan else { continue }
      let key = ObjectIdentifier(plan)
      let indices = concerned[key] ?? relationships(of: plan, toAnyOf: classes)
      concerned[key] = indices
      for index in indices { dropDeleted(of: model, index) }
    }
  }

  /// Returns the registered models of the tables with a class that may hold models of `classes`.
  private func registered(
    withLinksToAnyOf classes: [any PersistentModel.Type]
  ) -> [any PersistentModel] {
    let tables = Set(
      core.stores.flatMap(\.plans).filter { !relationships(of: $0, toAnyOf: classes).isEmpty }
        .map(\.table))
    return link.rowIDMaps.filter { tables.contains($0.key) }.values.flatMap(\.registered)
  }

  private func relationships(
    of plan: EntityPlan, toAnyOf classes: [any PersistentModel.Type]
  ) -> [Int] {
    plan.relationships.filter { index in
      guard let relationship = plan.properties[index].relationship,
        classes.contains(where: {
          ModelInheritance.isClass($0, orSubclassOf: relationship.destination)
        })
      else { return false }
      return relationship.inverse == nil || isUnaffectedByDeletion(relationship)
    }
  }

  /// Whether a deletion of the destination leaves the relationship untouched until it is saved.
  func isUnaffectedByDeletion(_ relationship: RelationshipPlan) -> Bool {
    guard let inverse = relationship.inverse, let plan = core.plan(of: relationship.destination)
    else { return false }
    let rule = plan.properties[inverse].relationship?.deleteRule
    return rule == .noAction || rule == .deny
  }

  private func dropDeleted(of model: any PersistentModel, _ index: Int) {
    // A list with recorded changes isn't in the model's storage.
    if model._$modelState.linkChanges(at: index) != nil { _ = destinations(of: model, index) }
    guard let models = model.links(at: index).models else { return }
    let kept = models.filter { !$0._$modelState.flags.contains(.rowDeleted) }
    guard kept.count < models.count else { return }
    for gone in models where gone._$modelState.flags.contains(.rowDeleted) {
      undo.recordLostLink(of: model, at: index, to: gone)
    }
    let isToMany = model._$modelState.relationship(at: index)?.isToMany == true
    model.setLinks(isToMany ? .many(kept) : .one(nil), at: index)
  }
}
