/// Undoing insertions and deletions.
extension UndoRecorder {
  /// Records that a model was added to the context.
  ///
  /// - Parameter isInsertion: False when the model's deletion was taken back.
  func recordAddition(
    of model: any PersistentModel, isInsertion: Bool, in context: ModelContext
  ) {
    manager?.registerUndo(withTarget: context) { context in
      context.undo.removeOnly(model, isInsertion: isInsertion, in: context)
    }
  }

  /// Records that a model is being removed. Called when the other ends of its relationships no longer lead to it:
  /// undoing runs in reverse, and the model must be back before they lead to it again.
  func recordRemoval(_ removedModelState: RemovedModelState, in context: ModelContext) {
    removedStates.insert(removedModelState)
    manager?.registerUndo(withTarget: context) { context in
      context.undo.restore(removedModelState, in: context)
    }
  }

  /// Returns the models that the deletion of a model removes, each with the destinations of its relationships, before
  /// any of them is changed.
  func removedStates(
    with model: any PersistentModel, in context: ModelContext
  ) -> [ObjectIdentifier: RemovedModelState] {
    var found: [ObjectIdentifier: RemovedModelState] = [:]
    var waiting = [model]
    while let next = waiting.popLast() {
      let state = next._$modelState
      guard found[ObjectIdentifier(next)] == nil, state.link === context.link, !state.isDeleted,
        let plan = state.plan
      else { continue }
      let removedModelState = removedModelState(
        of: next, plan, isUndoneInsertion: false, in: context)
      found[ObjectIdentifier(next)] = removedModelState
      for (index, models) in removedModelState.links
      where plan.properties[index].relationship?.deleteRule == .cascade {
        waiting += models
      }
    }
    return found
  }

  private func removedModelState(
    of model: any PersistentModel, _ plan: EntityPlan, isUndoneInsertion: Bool,
    in context: ModelContext
  ) -> RemovedModelState {
    // Once the row is gone, properties that haven't been read can't be read any more.
    if model._$modelState.partial != nil { _ = context.fillRow(of: model) }
    let links = plan.relationships.compactMap { index in
      plan.properties[index].relationship.map { relationship in
        (index, context.destinationsIncludingDeleted(of: model, index, relationship))
      }
    }
    return RemovedModelState(model, isUndoneInsertion: isUndoneInsertion, links: links)
  }

  // MARK: Removal

  /// Removes only the model. All other effects of its insertion or deletion have records of their own.
  private func removeOnly(
    _ model: any PersistentModel, isInsertion: Bool, in context: ModelContext
  ) {
    context.beginOperation()
    defer { context.endOperation() }
    let state = model._$modelState
    guard state.link === context.link, !state.isDeleted, let plan = state.plan else { return }
    // The row existed before the insertion: undoing the insertion mustn't delete it.
    if isInsertion, state.flags.contains(.matchedExistingRow) { return }
    let isNew = state.flags.contains(.inserted)
    if isInsertion || isNew { leaveOtherEnds(of: model, plan, in: context) }
    if isInsertion, !isNew { emptyLinks(of: model, plan, in: context) }
    let removedModelState = removedModelState(
      of: model, plan, isUndoneInsertion: isInsertion, in: context)
    if isInsertion, !isNew { clearRequiredLinks(of: model, plan, in: context) }
    state.flags.insert(.deleted)
    context.remove(model, removedModelState)
    context.scheduleAutosave()
  }

  /// Does the same as ``emptyLinks(of:_:)`` for storage that can't be nil. Where no delete rule acts on it, the last
  /// destination may stay readable.
  private func clearRequiredLinks(
    of model: any PersistentModel, _ plan: EntityPlan, in context: ModelContext
  ) {
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship, !relationship.isToMany,
        !relationship.isOptional, relationship.storage == .column,
        relationship.deleteRule == .cascade || relationship.deleteRule == .deny
      else { continue }
      context.setLink(of: model, index, from: nil, to: nil, isRecorded: false)
    }
  }

  // MARK: Restoration

  private func restore(_ removedModelState: RemovedModelState, in context: ModelContext) {
    context.beginOperation()
    defer { context.endOperation() }
    let model = removedModelState.model
    let state = model._$modelState
    guard state.isDeleted, state.context == nil || state.link === context.link else { return }
    removedStates.remove(model)
    if state.flags.contains(.deleted) {
      context.reinsert(model)
      restoreRequiredLinks(removedModelState)
    } else {
      guard context.readmit(model, model._$modelState) else { return }
      restoreLinks(removedModelState, in: context)
    }
    if context.recordsUndo {
      recordAddition(
        of: model, isInsertion: removedModelState.isUndoneInsertion, in: context)
    }
    for (owner, index) in removedModelState.lost {
      restore(index, of: owner, to: model, in: context)
    }
    context.scheduleAutosave()
  }

  private func restoreRequiredLinks(_ removedModelState: RemovedModelState) {
    let model = removedModelState.model
    for (index, models) in removedModelState.links {
      guard let relationship = model._$modelState.relationship(at: index), !relationship.isToMany,
        !relationship.isOptional, case .notLoaded = model.links(at: index),
        model._$modelState.reference(at: index) == nil
      else { continue }
      model.setLinks(.one(models.first), at: index)
    }
  }

  /// Restores the relationships of a model that no longer has a row.
  private func restoreLinks(_ removedModelState: RemovedModelState, in context: ModelContext) {
    let model = removedModelState.model
    for (index, models) in removedModelState.links {
      guard let relationship = model._$modelState.relationship(at: index) else { continue }
      let present = models.compactMap { self.present($0, for: model, index) }
      model._$modelState.setReference(nil, at: index)
      model.setLinks(relationship.isToMany ? .many(present) : .one(present.first), at: index)
      if relationship.joinTable != nil {
        model._$modelState.changeLinks(at: index) { $0.recordUnsaved(added: present, removed: []) }
      }
      // The deletion left the other ends alone, and the save emptied them.
      guard let inverse = relationship.inverse, !removedModelState.wasNew,
        relationship.deleteRule == .noAction || relationship.deleteRule == .deny
      else { continue }
      for destination in present { restore(inverse, of: destination, to: model, in: context) }
    }
  }

  // MARK: Lost links

  /// Records that an end of a relationship lost a model because its row is gone.
  func recordLostLink(
    of owner: any PersistentModel, at index: Int, to model: any PersistentModel
  ) {
    removedStates[model]?.lost.append((owner, index))
  }

  /// Makes the relationship lead to a restored model, unless it has got another destination meanwhile. Nothing is
  /// recorded: when the model is removed again, the link is lost again.
  private func restore(
    _ index: Int, of owner: any PersistentModel, to model: any PersistentModel,
    in context: ModelContext
  ) {
    guard context.canUndo(on: owner), let relationship = owner._$modelState.relationship(at: index)
    else {
      return
    }
    if relationship.isToMany {
      if !context.refers(owner, index, to: model) {
        context.changeList(of: owner, index, added: [model], removed: [], isRecorded: false)
      }
      return
    }
    let current = context.destinationIncludingDeleted(of: owner, index, relationship)
    guard
      current == nil || current === model
        || current?._$modelState.flags.contains(.rowDeleted) == true
    else { return }
    context.setLink(of: owner, index, from: current, to: model, isRecorded: false)
  }
}
