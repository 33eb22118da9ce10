import Foundation

/// What the context tells its undo manager.
///
/// Every step is undone by what a program itself would do: setting a property, inserting, deleting. So observers hear
/// of it, the other ends of relationships follow, and the step in the other direction is recorded on the way.
extension ModelContext {
  /// Records a property's value before its setter changes it.
  func recordChange<Model: PersistentModel>(of model: Model, at index: Int) {
    let state = model._$modelState
    guard !state.isDeleted, !state.flags.contains(.filling), let plan = state.plan else { return }
    holdOrderedList(with: model, index)
    record(model, index, plan.properties[index])
  }

  /// Reads the ordered lists that a model is about to leave, since its place can't be told afterwards.
  func holdOrderedList(with model: any PersistentModel, _ index: Int) {
    guard link.isRecording, let relationship = model._$modelState.relationship(at: index),
      relationship.isInverseOrdered, let inverse = relationship.inverse
    else { return }
    for owner in destinations(of: model, index) { _ = destinations(of: owner, inverse) }
  }

  /// The same for the one end of a relationship that follows a change of the other. An end with many needs no step:
  /// it follows when the one is undone.
  func recordOtherEnd(of model: any PersistentModel, at index: Int) {
    guard link.isRecording, !model._$modelState.isDeleted, let plan = model._$modelState.plan else {
      return
    }
    func open<Model: PersistentModel>(_ model: Model) {
      record(model, index, plan.properties[index])
    }
    open(model)
  }

  private func record<Model: PersistentModel>(
    _ model: Model, _ index: Int, _ property: PropertyPlan
  ) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    let keyPath = property.keyPath
    let value = valueBeforeChange(of: model, index, property)
    undoManager.registerUndo(withTarget: self) { context in
      guard let value, model._$modelState.link === context.link else { return }
      _ModelBackingData.set(value, at: keyPath, of: model)
    }
  }

  /// The value of a property whose setter is at work. The setter has looked at the storage already, so a relationship
  /// that wasn't loaded stays as it was.
  private func valueBeforeChange<Model: PersistentModel>(
    of model: Model, _ index: Int, _ property: PropertyPlan
  ) -> Any? {
    guard property.relationship != nil, case .notLoaded = model.links(at: index) else {
      return model[keyPath: property.keyPath]
    }
    let state = model._$modelState
    // A destination that is being deleted reads as missing, but undoing brings it back first.
    if let relationship = property.relationship, relationship.storage == .column,
      let rowID = state.reference(at: index),
      let known = registeredModel(rowID, of: relationship.destination),
      known._$modelState.isDeleted
    {
      return known
    }
    let changes = state.linkChanges
    let value: Any? = model[keyPath: property.keyPath]
    model._$clear(index)
    state.linkChanges = changes
    return value
  }

  /// Records that a model came in.
  func recordInsertion(of model: any PersistentModel) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    undoManager.registerUndo(withTarget: self) { context in
      context.withdraw(model)
    }
  }

  /// Records that a model is going. Called when its relationships have been taken apart, because it has to be back
  /// before they are put together again.
  func recordDeletion(of model: any PersistentModel) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    undoManager.registerUndo(withTarget: self) { context in
      func insert<Model: PersistentModel>(_ model: Model) { context.insert(model) }
      let wasPending = model._$modelState.flags.contains(.deleted)
      if !wasPending { context.holdDestinations(of: model) }
      insert(model)
      guard wasPending, !model._$modelState.isDeleted else { return }
      // A deletion that wasn't saved is only taken back; the lists that the model was in have lost it.
      context.reattach(model)
      context.recordInsertion(of: model)
    }
  }

  /// Loads the to-one destinations of a model whose row is gone: once it is inserted, nobody knows the row any more.
  private func holdDestinations(of model: any PersistentModel) {
    guard let plan = model._$modelState.plan else { return }
    for index in plan.relationships where plan.properties[index].relationship?.storage == .column {
      guard case .notLoaded = model.links(at: index),
        let destination = destination(of: model, index)
      else { continue }
      model.fillLinks(.one(destination), at: index)
    }
  }

  /// Makes a model known again to the other ends of its relationships.
  private func reattach(_ model: any PersistentModel) {
    guard let plan = model._$modelState.plan else { return }
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship,
        let inverse = relationship.inverse
      else { continue }
      let ends =
        relationship.storage == .column
        ? currentDestination(of: model, index, relationship).map { [$0] } ?? []
        : destinations(of: model, index)
      for destination in ends { attach(model, to: destination, inverse) }
    }
  }

  /// Ends the group of changes that opened by itself. With Foundation's own manager the run loop does that.
  func endUndoEvent() {
    #if !canImport(ObjectiveC)
      undoManager?.endEvent()
    #endif
  }
}
