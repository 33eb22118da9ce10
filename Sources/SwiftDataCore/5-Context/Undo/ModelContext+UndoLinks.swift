/// Undoing changes of relationships: each end has records of its own.
extension ModelContext {
  /// Records that a to-one relationship got another destination.
  func recordLink(
    of model: any PersistentModel, at index: Int, from old: (any PersistentModel)?,
    to new: (any PersistentModel)?
  ) {
    guard recordsUndo, old !== new else { return }
    undoManager?.registerUndo(withTarget: self) { context in
      context.restoreLink(model, index, from: new, to: old)
    }
  }

  /// Records that an unordered to-many relationship got other destinations.
  func recordLinks(
    of model: any PersistentModel, at index: Int, added: [any PersistentModel],
    removed: [any PersistentModel]
  ) {
    guard recordsUndo, !(added.isEmpty && removed.isEmpty) else { return }
    undoManager?.registerUndo(withTarget: self) { context in
      context.restoreList(model, index, adding: removed, removing: added)
    }
  }

  /// Records changes of an ordered list, whose order can't be derived from the other ends.
  func recordEdits(of model: any PersistentModel, at index: Int, _ edits: [ListEdit]) {
    guard recordsUndo, !edits.isEmpty else { return }
    WorkCounter.add(edits.reduce(0) { $0 + $1.removed.count + $1.added.count }, to: .undoneOrder)
    undoManager?.registerUndo(withTarget: self) { context in
      context.revert(edits, of: model, index)
    }
  }

  /// Reads the ordered list that a model is about to leave by its to-one relationship at `index`, because the model's
  /// place can't be determined afterwards. For relationships with a table of pairs it still can.
  func loadOrderedListBeforeRemoval(with model: any PersistentModel, _ index: Int) {
    guard recordsUndo, let relationship = model._$modelState.relationship(at: index),
      !relationship.isToMany
    else { return }
    loadOrderedListsBeforeRemoval(with: model, index, relationship)
  }

  /// Does the same for a model that is about to be deleted: a list that is read after the deletion doesn't contain it.
  func loadOrderedListsBeforeRemoval(withDeleted model: any PersistentModel, _ index: Int) {
    guard recordsUndo, let relationship = model._$modelState.relationship(at: index) else { return }
    loadOrderedListsBeforeRemoval(with: model, index, relationship)
  }

  private func loadOrderedListsBeforeRemoval(
    with model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) {
    guard relationship.isInverseOrdered, let inverse = relationship.inverse else { return }
    for owner in destinationsIncludingDeleted(of: model, index, relationship) {
      _ = loadList(of: owner, inverse)
    }
  }

  /// Restores the former destination of a to-one relationship.
  ///
  /// - Parameter expected: The destination that it has unless unrecorded changes were made since.
  private func restoreLink(
    _ model: any PersistentModel, _ index: Int, from expected: (any PersistentModel)?,
    to destination: (any PersistentModel)?
  ) {
    beginOperation()
    defer { endOperation() }
    retryAutosave()
    let state = model._$modelState
    guard canUndo(on: model), let relationship = state.relationship(at: index) else { return }
    let current = destinationIncludingDeleted(of: model, index, relationship)
    let destination = destination.flatMap { present($0, for: model, index) }
    let isThere = current === destination
    setLink(of: model, index, from: isThere ? expected : current, to: destination)
    // A commit of another context was merged in between.
    guard let current, current !== expected, current !== destination,
      let inverse = relationship.inverse
    else { return }
    detach(model, from: current, inverse)
  }

  private func restoreList(
    _ model: any PersistentModel, _ index: Int, adding: [any PersistentModel],
    removing: [any PersistentModel]
  ) {
    beginOperation()
    defer { endOperation() }
    retryAutosave()
    guard canUndo(on: model) else { return }
    let added = adding.compactMap { present($0, for: model, index) }
    changeList(of: model, index, added: added, removed: removing)
  }

  /// Takes back changes of an ordered list, the last one first.
  private func revert(_ edits: [ListEdit], of model: any PersistentModel, _ index: Int) {
    beginOperation()
    defer { endOperation() }
    retryAutosave()
    guard canUndo(on: model) else { return }
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
    guard loadList(of: model, index) else {
      return changeList(of: model, index, added: added, removed: removed)
    }
    editList(of: model, index, wanted, added: added, removed: removed)
  }

  /// Returns the destination, unless its row is gone: then the end is restored when the destination is.
  func present(
    _ destination: any PersistentModel, for model: any PersistentModel, _ index: Int
  ) -> (any PersistentModel)? {
    guard destination._$modelState.flags.contains(.rowDeleted) else { return destination }
    recordLostLink(of: model, at: index, to: destination)
    return nil
  }

  /// Empties the relationships of a stored model that is about to be removed because its insertion is undone: otherwise
  /// the delete rules, here and in the database, would affect its destinations.
  func emptyLinks(of model: any PersistentModel, _ plan: EntityPlan) {
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship else { continue }
      let held = destinationsIncludingDeleted(of: model, index, relationship)
      guard !held.isEmpty else { continue }
      if relationship.isToMany {
        changeList(of: model, index, added: [], removed: held)
      } else if relationship.isOptional {
        setLink(of: model, index, from: held[0], to: nil)
      }
    }
  }

  /// Removes a model from the other ends of its relationships where they still lead to it.
  func leaveOtherEnds(of model: any PersistentModel, _ plan: EntityPlan) {
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship,
        let inverse = relationship.inverse
      else { continue }
      for destination in destinationsIncludingDeleted(of: model, index, relationship)
      where refers(destination, inverse, to: model) {
        detach(model, from: destination, inverse)
      }
    }
  }

  // MARK: Destinations of an end

  /// Whether the relationship at `index` of `model` leads to `destination`.
  func refers(
    _ model: any PersistentModel, _ index: Int, to destination: any PersistentModel
  ) -> Bool {
    guard let relationship = model._$modelState.relationship(at: index) else { return false }
    if relationship.isToMany, loadList(of: model, index),
      case .many(let list) = model.links(at: index)
    {
      return list.holds(destination)
    }
    return destinationsIncludingDeleted(of: model, index, relationship).contains {
      $0 === destination
    }
  }

  /// Returns the destinations of a relationship, including those whose deletion waits for the save.
  func destinationsIncludingDeleted(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> [any PersistentModel] {
    if relationship.isToMany { return destinations(of: model, index) }
    return destinationIncludingDeleted(of: model, index, relationship).map { [$0] } ?? []
  }

  func destinationIncludingDeleted(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> (any PersistentModel)? {
    if case .one(let destination) = model.links(at: index) { return destination }
    guard relationship.storage == .column, model._$modelState.reference(at: index) != nil else {
      return destination(of: model, index)
    }
    return storedDestination(of: model, index, relationship, loads: true)
  }
}
