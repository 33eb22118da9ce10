/// Models that a save or a rollback makes wrong without having changed them: what they hold was merged with changes of
/// the models at the other end.
extension ModelContext {
  /// After a rollback: lists that were read meanwhile lack what was deleted or had moved away. They are read again
  /// when somebody asks.
  func unloadLinks() {
    for model in link.identityRows.values.flatMap(\.registered) {
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

  /// The models that may hold what a save is about to delete; nil when that is better found by a walk past all that are
  /// registered.
  ///
  /// A program that deletes and saves one model after the other must not pay for all the others each time. Which rows
  /// lead to a deleted one the store knows, as long as that is there. Changed and inserted models may hold others than
  /// their rows say.
  func linkOwners(ofFew deleted: [any PersistentModel]) throws -> [any PersistentModel]? {
    guard !deleted.isEmpty, droppedClasses.isEmpty, batchDeletions.isEmpty else { return nil }
    let registered = link.identityRows.values.reduce(0) { $0 + $1.count }
    guard deleted.count < registered / 64 else { return nil }
    var owners = changed.models + inserted.models
    for store in core.stores {
      guard store.identifiesByRowID else { return nil }
      for plan in store.plans {
        for index in plan.ownRelationships {
          guard let relationship = plan.properties[index].relationship,
            relationship.inverse == nil || isLeftAlone(relationship)
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

  /// After a save: takes deleted models of some classes out of the relationships that nothing leads to from their side, and out of
  /// those that the rule `noAction` left alone.
  ///
  /// - Parameter owners: The models that may hold them; nil for all that are registered.
  func dropLinks(
    toClasses classes: [any PersistentModel.Type], of owners: [any PersistentModel]?
  ) {
    guard !classes.isEmpty else { return }
    // By plan and relationship, because most models share few plans.
    var concerned: [ObjectIdentifier: [Int]] = [:]
    let owners = owners ?? registered(withLinksToAnyOf: classes)
    WorkCount.add(owners.count, to: .linkOwners)
    for model in owners {
      guard let plan = model._$modelState.plan else { continue }
      let key = ObjectIdentifier(plan)
      let indices = concerned[key] ?? relationships(of: plan, toAnyOf: classes)
      concerned[key] = indices
      for index in indices { dropGone(of: model, index) }
    }
  }

  /// The registered models of the tables of which some class may hold models of `classes`.
  private func registered(
    withLinksToAnyOf classes: [any PersistentModel.Type]
  ) -> [any PersistentModel] {
    let tables = Set(
      core.stores.flatMap(\.plans).filter { !relationships(of: $0, toAnyOf: classes).isEmpty }
        .map(\.table))
    return link.identityRows.filter { tables.contains($0.key) }.values.flatMap(\.registered)
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
      return relationship.inverse == nil || isLeftAlone(relationship)
    }
  }

  /// Whether a deletion of the destination doesn't touch the relationship before it is saved.
  func isLeftAlone(_ relationship: RelationshipPlan) -> Bool {
    guard let inverse = relationship.inverse, let plan = core.plan(of: relationship.destination)
    else { return false }
    let rule = plan.properties[inverse].relationship?.deleteRule
    return rule == .noAction || rule == .deny
  }

  private func dropGone(of model: any PersistentModel, _ index: Int) {
    // A list with notes of changes isn't in its storage.
    if model._$modelState.linkChanges(at: index) != nil { _ = destinations(of: model, index) }
    guard let models = model.links(at: index).models else { return }
    let kept = models.filter { !$0._$modelState.flags.contains(.gone) }
    guard kept.count < models.count else { return }
    for gone in models where gone._$modelState.flags.contains(.gone) {
      noteLostLink(of: model, at: index, to: gone)
    }
    let isToMany = model._$modelState.relationship(at: index)?.isToMany == true
    model.setLinks(isToMany ? .many(kept) : .one(nil), at: index)
  }
}
