extension ModelContext {
  /// Marks a model for deletion by the next ``save()`` and applies the delete rules of its relationships: destinations
  /// of cascading relationships are deleted too, other relationships that lead to the model lose it immediately. `deny`
  /// is checked by ``save()``, because a later deletion may remove the destinations that prevent it.
  ///
  /// A model that was never saved is only dropped. Models of other contexts are left alone.
  public func delete<T: PersistentModel>(_ model: T) {
    if let original = model._$modelState.original { return deleteOriginal(original) }
    autosaveIfDue()
    pending.lostEdits.remove(model)
    beginOperation()
    defer { endOperation() }
    let removed = recordsUndo ? undo.removedStates(with: model, in: self) : [:]
    var waiting: [any PersistentModel] = [model]
    while let next = waiting.popLast() {
      let state = next._$modelState
      guard state.link === link, !state.isDeleted, let plan = state.plan else { continue }
      if recordsUndo {
        for index in plan.relationships {
          undo.loadOrderedListsBeforeRemoval(withDeleted: next, index, in: self)
        }
      }
      // A model that was never saved leaves nothing behind that a rule could deny or keep.
      let isNew = state.flags.contains(.inserted)
      let ends = plan.relationships.compactMap { index in
        plan.properties[index].relationship.map { relationship in
          let rule = relationship.deleteRule
          let isDropped = isNew && (rule == .deny || rule == .noAction)
          return (relationship, isDropped ? .nullify : rule, index)
        }
      }.map { relationship, rule, index in
        (relationship, rule, index, affectedDestinations(relationship, rule, of: next, index))
      }
      state.flags.insert(.deleted)
      var detached: [DetachedEnd] = []
      for (relationship, rule, index, destinations) in ends {
        switch rule {
        case .cascade:
          waiting += destinations
          detached += destinations.map { DetachedEnd(index: index, destination: $0, inverse: nil) }
        case .nullify:
          guard let inverse = relationship.inverse else { continue }
          for destination in destinations where detach(next, from: destination, inverse) {
            detached.append(DetachedEnd(index: index, destination: destination, inverse: inverse))
          }
        case .deny, .noAction: break
        }
      }
      remove(next, removed[ObjectIdentifier(next)], detached)
    }
    scheduleAutosave()
  }

  /// Returns the destinations that a deletion concerns.
  private func affectedDestinations(
    _ relationship: RelationshipPlan, _ rule: Schema.Relationship.DeleteRule,
    of model: any PersistentModel, _ index: Int
  ) -> [any PersistentModel] {
    switch rule {
    case .noAction: []
    case .nullify where relationship.inverse == nil: []
    // An owner that isn't in memory has no loaded list to remove the model from.
    case .nullify where relationship.storage == .column:
      currentDestination(of: model, index, relationship).map { [$0] } ?? []
    default: destinations(of: model, index)
    }
  }

  /// Removes a model that is marked as deleted from the context, or keeps it for the save to delete.
  ///
  /// - Parameter detached: The ends of its relationships that have lost it.
  func remove(
    _ model: any PersistentModel, _ removedState: RemovedModelState?, _ detached: [DetachedEnd] = []
  ) {
    if let removedState, recordsUndo { undo.recordRemoval(removedState, in: self) }
    let state = model._$modelState
    if pending.drop(model) {
      state.flags = .rowDeleted
      state.link = nil
      return
    }
    pending.changed.remove(model)
    // A save by the undo manager's observers in the meantime may have removed the flag.
    state.flags.insert(.deleted)
    pending.recordDeletion(of: model, detached)
  }
}

/// A link that the deletion of a saved model has removed at its other end, or a destination that went with the model.
struct DetachedEnd {
  /// The relationship of the deleted model.
  let index: Int
  let destination: any PersistentModel
  /// The relationship of the destination that has lost the model; nil when the destination was deleted, too.
  let inverse: Int?
  /// Whether the deleted model has lost the destination, too.
  var isLostByModel = false
}
