extension ModelBatch {
  /// Checks that a batch may write a model.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for an instance of a subclass, which would become one of the
  ///   batch's class, because a batch has the columns of one class; for a new model with links that its row doesn't
  ///   have; and for a model that was inserted into a context.
  package func prepareToWrite(_ model: Model, of plan: EntityPlan) throws {
    guard type(of: model) == Model.self else {
      let name = "\(type(of: model))"
      throw SwiftDataError.modelValidationFailure.explained(
        "A batch of \(Model.self) can't write a \(name). Use a batch of \(name) for it.")
    }
    let state = model._$modelState
    if state.rowID == 0,
      let index = plan.relationships.first(where: { leadsBesideRow(model, $0, plan) })
    {
      let name = plan.properties[index].relationship?.destinationEntity ?? ""
      throw SwiftDataError.modelValidationFailure.explained(
        "A batch doesn't write \(plan.name).\(plan.properties[index].name), whose links are in no column of"
          + " \(plan.name). Write the \(name) with their own links after it, or save the \(plan.name)"
          + " with a context.")
    }
    guard state.flags.contains(.inserted), state.context != nil, !state.cameByLink else { return }
    throw SwiftDataError.modelValidationFailure.explained(
      "A batch can't write a \(Model.self) that was inserted into a context, whose save would write it"
        + " once more. Save the context instead.")
  }

  /// Takes a model that the batch writes out of the context into which its links have brought it.
  package func withdrawFromContext(_ model: Model) { model.withdrawFromContext() }

  /// Whether the relationship at `index` has no column and isn't empty.
  private func leadsBesideRow(_ model: Model, _ index: Int, _ plan: EntityPlan) -> Bool {
    guard plan.properties[index].columns.isEmpty else { return false }
    switch model.links(at: index, of: plan) {
    case .one(let destination): return destination != nil
    case .many(let list): return list.count > 0
    case .notLoaded: return model._$modelState.linkChanges(at: index)?.added.isEmpty == false
    }
  }
}

extension PersistentModel {
  /// Takes a model that a batch writes out of the context into which its links have brought it: the context would write
  /// it once more.
  package func withdrawFromContext() {
    let state = _$modelState
    guard state.flags.contains(.inserted), state.cameByLink, let context = state.context else {
      return
    }
    context.withdraw(self)
  }
}

extension ModelContext {
  /// Takes a new model that came into the context by its own links out of it. It keeps its values and links; the other
  /// ends of these are as they were without it.
  func withdraw(_ model: any PersistentModel) {
    beginOperation()
    defer { endOperation() }
    guard let plan = model._$modelState.plan, pending.inserted.remove(model) else { return }
    for index in plan.relationships {
      guard let inverse = plan.properties[index].relationship?.inverse else { continue }
      for destination in destinations(of: model, index) {
        withdraw(model, from: destination, inverse)
      }
    }
    dismiss([model])
  }

  /// Removes a model from the relationship `index` of `owner`, which leads back to it.
  private func withdraw(
    _ model: any PersistentModel, from owner: any PersistentModel, _ index: Int
  ) {
    let state = owner._$modelState
    guard state.link === link, let plan = state.plan,
      let relationship = plan.properties[index].relationship
    else { return }
    guard relationship.isToMany else {
      if case .one(let held?) = owner.links(at: index), held === model {
        setLink(of: owner, index, from: model, to: nil, isRecorded: false)
      }
      return
    }
    state.changeLinks(at: index) { $0.withdraw(model) }
    if case .many(let list) = owner.links(at: index) {
      // The list has been read since. It is copied when it is read again, not for each model.
      guard list.holds(model) else { return }
      state.changeLinks(at: index) { changes in
        changes.base = list
        changes.spare = nil
        changes.withdraw(model)
      }
      return unload(index, of: owner, plan)
    }
    unload(index, of: owner, plan)
    guard state.linkChanges(at: index)?.isUnchangedAgain == true else { return }
    state.linkChanges.removeAll { $0.property == index && $0.base == nil }
    state.changes.remove(index)
    if state.changes.isEmpty { pending.changed.remove(owner) }
  }
}
