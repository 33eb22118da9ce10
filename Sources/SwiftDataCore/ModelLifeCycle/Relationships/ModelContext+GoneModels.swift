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

  /// After a save: takes deleted models of some classes out of the relationships that nothing leads to from their side, and out of
  /// those that the rule `noAction` left alone.
  func dropLinks(toClasses classes: [any PersistentModel.Type]) {
    guard !classes.isEmpty else { return }
    // By plan and relationship, because most models share few plans.
    var concerned: [ObjectIdentifier: [Int]] = [:]
    for model in link.identityRows.values.flatMap(\.registered) {
      guard let plan = model._$modelState.plan else { continue }
      let key = ObjectIdentifier(plan)
      let indices = concerned[key] ?? relationships(of: plan, toAnyOf: classes)
      concerned[key] = indices
      for index in indices { dropGone(of: model, index) }
    }
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
