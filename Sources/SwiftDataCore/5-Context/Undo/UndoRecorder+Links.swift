/// Undoing changes of relationships: each end has records of its own.
extension UndoRecorder {
  /// Records that a to-one relationship got another destination.
  func recordLink(
    of model: any PersistentModel, at index: Int, from old: (any PersistentModel)?,
    to new: (any PersistentModel)?, in context: ModelContext
  ) {
    guard old !== new else { return }
    manager?.registerUndo(withTarget: context) { context in
      context.undo.restoreLink(model, index, from: new, to: old, in: context)
    }
  }

  /// Records that an unordered to-many relationship got other destinations.
  func recordLinks(
    of model: any PersistentModel, at index: Int, added: [any PersistentModel],
    removed: [any PersistentModel], in context: ModelContext
  ) {
    guard !(added.isEmpty && removed.isEmpty) else { return }
    manager?.registerUndo(withTarget: context) { context in
      context.undo.restoreList(model, index, adding: removed, removing: added, in: context)
    }
  }

  /// Records changes of an ordered list, whose order can't be derived from the other ends.
  func recordEdits(
    of model: any PersistentModel, at index: Int, _ edits: [ListEdit], in context: ModelContext
  ) {
    guard !edits.isEmpty else { return }
    WorkCounter.add(edits.reduce(0) { $0 + $1.removed.count + $1.added.count }, to: .undoneOrder)
    manager?.registerUndo(withTarget: context) { context in
      context.undo.revert(edits, of: model, index, in: context)
    }
  }

  /// Reads the ordered list that a model is about to leave by its to-one relationship at `index`, because the model's
  /// place can't be determined afterwards. For relationships with a table of pairs it still can.
  func loadOrderedListBeforeRemoval(
    with model: any PersistentModel, _ index: Int, in context: ModelContext
  ) {
    guard let relationship = model._$modelState.relationship(at: index), !relationship.isToMany
    else { return }
    loadOrderedLists(with: model, index, relationship, in: context)
  }

  /// Does the same for a model that is about to be deleted: a list that is read after the deletion doesn't contain it.
  func loadOrderedListsBeforeRemoval(
    withDeleted model: any PersistentModel, _ index: Int, in context: ModelContext
  ) {
    guard let relationship = model._$modelState.relationship(at: index) else { return }
    loadOrderedLists(with: model, index, relationship, in: context)
  }

  private func loadOrderedLists(
    with model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan,
    in context: ModelContext
  ) {
    guard relationship.isInverseOrdered, let inverse = relationship.inverse else { return }
    for owner in context.destinationsIncludingDeleted(of: model, index, relationship) {
      _ = context.loadList(of: owner, inverse)
    }
  }

  /// Restores the former destination of a to-one relationship.
  ///
  /// - Parameter expected: The destination that it has unless unrecorded changes were made since.
  private func restoreLink(
    _ model: any PersistentModel, _ index: Int, from expected: (any PersistentModel)?,
    to destination: (any PersistentModel)?, in context: ModelContext
  ) {
    context.beginOperation()
    defer { context.endOperation() }
    context.retryAutosave()
    let state = model._$modelState
    guard context.canUndo(on: model), let relationship = state.relationship(at: index) else {
      return
    }
    let current = context.destinationIncludingDeleted(of: model, index, relationship)
    let destination = destination.flatMap { present($0, for: model, index) }
    let isThere = current === destination
    context.setLink(of: model, index, from: isThere ? expected : current, to: destination)
    // A commit of another context was merged in between.
    guard let current, current !== expected, current !== destination,
      let inverse = relationship.inverse
    else { return }
    context.detach(model, from: current, inverse)
  }

  private func restoreList(
    _ model: any PersistentModel, _ index: Int, adding: [any PersistentModel],
    removing: [any PersistentModel], in context: ModelContext
  ) {
    context.beginOperation()
    defer { context.endOperation() }
    context.retryAutosave()
    guard context.canUndo(on: model) else { return }
    let added = adding.compactMap { present($0, for: model, index) }
    context.changeList(of: model, index, added: added, removed: removing)
  }

  /// Takes back changes of an ordered list, the last one first.
  private func revert(
    _ edits: [ListEdit], of model: any PersistentModel, _ index: Int, in context: ModelContext
  ) {
    context.beginOperation()
    defer { context.endOperation() }
    context.retryAutosave()
    guard context.canUndo(on: model) else { return }
    let wanted = edits.reversed().map { edit in
      ListEdit(
        start: edit.start, previous: edit.previous, removed: edit.added,
        added: edit.removed.compactMap { present($0, for: model, index) })
    }
    // Moved models are in both sets.
    let leaving = wanted.flatMap(\.removed)
    let coming = wanted.flatMap(\.added)
    let (left, came) = (
      Set(leaving.map(ObjectIdentifier.init)), Set(coming.map(ObjectIdentifier.init))
    )
    let added = coming.filter { !left.contains(ObjectIdentifier($0)) }
    let removed = leaving.filter { !came.contains(ObjectIdentifier($0)) }
    guard context.loadList(of: model, index) else {
      return context.changeList(of: model, index, added: added, removed: removed)
    }
    context.editList(of: model, index, wanted, added: added, removed: removed)
  }

  /// Returns the destination, unless its row is gone: then the end is restored when the destination is.
  func present(
    _ destination: any PersistentModel, for model: any PersistentModel, _ index: Int
  ) -> (any PersistentModel)? {
    let state = destination._$modelState
    guard state.flags.contains(.rowDeleted) else {
      // A batch may have taken it out of the context.
      return state.context == nil && !state.flags.contains(.alias) ? nil : destination
    }
    recordLostLink(of: model, at: index, to: destination)
    return nil
  }

  /// Empties the relationships of a stored model that is about to be removed because its insertion is undone: otherwise
  /// the delete rules, here and in the database, would affect its destinations.
  func emptyLinks(
    of model: any PersistentModel, _ plan: EntityPlan, in context: ModelContext
  ) {
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship else { continue }
      let held = context.destinationsIncludingDeleted(of: model, index, relationship)
      guard !held.isEmpty else { continue }
      if relationship.isToMany {
        context.changeList(of: model, index, added: [], removed: held)
      } else if relationship.isOptional {
        context.setLink(of: model, index, from: held[0], to: nil)
      }
    }
  }

  /// Removes a model from the other ends of its relationships where they still lead to it.
  func leaveOtherEnds(
    of model: any PersistentModel, _ plan: EntityPlan, in context: ModelContext
  ) {
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship,
        let inverse = relationship.inverse
      else { continue }
      for destination in context.destinationsIncludingDeleted(of: model, index, relationship)
      where context.refers(destination, inverse, to: model) {
        context.detach(model, from: destination, inverse)
      }
    }
  }
}
