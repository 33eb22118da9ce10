/// Undoing changes of relationships: each end has records of its own.
extension ModelContext {
  /// Records that a to-one relationship got another destination.
  func recordLink(
    of model: any PersistentModel, at index: Int, from old: (any PersistentModel)?,
    to new: (any PersistentModel)?
  ) {
    guard recordsUndo, old !== new else { return }
    undoManager?.registerUndo(withTarget: self) { context in
      context.relink(model, index, from: new, to: old)
    }
  }

  /// Records that a to-many relationship got other destinations.
  ///
  /// - Parameter order: What it led to before, if it keeps an order; the order is the list's own and doesn't follow
  ///   from the other ends.
  func recordLinks(
    of model: any PersistentModel, at index: Int, added: [any PersistentModel],
    removed: [any PersistentModel], order: [any PersistentModel]?
  ) {
    guard recordsUndo else { return }
    if let order { return recordOrder(of: model, at: index, order) }
    guard !(added.isEmpty && removed.isEmpty) else { return }
    undoManager?.registerUndo(withTarget: self) { context in
      context.relist(model, index, adding: removed, removing: added)
    }
  }

  private func recordOrder(
    of model: any PersistentModel, at index: Int, _ order: [any PersistentModel]
  ) {
    undoManager?.registerUndo(withTarget: self) { context in
      context.reorder(model, index, order)
    }
  }

  /// Reads the ordered lists that a model is about to leave, since its place can't be told afterwards.
  func holdOrderedList(with model: any PersistentModel, _ index: Int) {
    guard recordsUndo, let relationship = model._$modelState.relationship(at: index),
      relationship.isInverseOrdered, let inverse = relationship.inverse
    else { return }
    for owner in heldDestinations(of: model, index, relationship) {
      _ = destinations(of: owner, inverse)
    }
  }

  /// Gives a to-one relationship its former destination back.
  ///
  /// - Parameter expected: What it leads to if nothing has changed since that isn't recorded.
  private func relink(
    _ model: any PersistentModel, _ index: Int, from expected: (any PersistentModel)?,
    to destination: (any PersistentModel)?
  ) {
    beginOperation()
    defer { endOperation() }
    retryAutosave()
    let state = model._$modelState
    guard canUndo(on: model), let relationship = state.relationship(at: index) else { return }
    let current = heldDestination(of: model, index, relationship)
    let destination = destination.flatMap { present($0, for: model, index) }
    let isThere = current === destination
    setLink(of: model, index, from: isThere ? expected : current, to: destination)
    // A commit of another context came between.
    guard let current, current !== expected, current !== destination,
      let inverse = relationship.inverse
    else { return }
    detach(model, from: current, inverse)
  }

  private func relist(
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

  /// Gives an ordered list its former destinations back, in their order.
  private func reorder(
    _ model: any PersistentModel, _ index: Int, _ order: [any PersistentModel]
  ) {
    beginOperation()
    defer { endOperation() }
    retryAutosave()
    let state = model._$modelState
    guard canUndo(on: model), let relationship = state.relationship(at: index) else { return }
    let current = destinations(of: model, index)
    let former = order.compactMap { present($0, for: model, index) }
    if recordsUndo { recordOrder(of: model, at: index, current) }
    noteChange(of: model, index)
    model.setLinks(.many(former), at: index)
    let (before, after) = (
      Set(current.map(ObjectIdentifier.init)), Set(former.map(ObjectIdentifier.init))
    )
    state.changeLinks(at: index) { changes in
      changes.settleList()
      guard relationship.joinTable != nil else { return }
      changes.noteUnsaved(
        added: former.filter { !before.contains(ObjectIdentifier($0)) },
        removed: current.filter { !after.contains(ObjectIdentifier($0)) })
    }
  }

  /// The destination, unless its row is gone: then the end is given it when it comes back.
  func present(
    _ destination: any PersistentModel, for model: any PersistentModel, _ index: Int
  ) -> (any PersistentModel)? {
    guard destination._$modelState.flags.contains(.gone) else { return destination }
    noteLostLink(of: model, at: index, to: destination)
    return nil
  }

  /// Empties the relationships of a stored model that is about to go because its insertion is undone: what the delete
  /// rules do, here and in the database, would otherwise concern what they lead to.
  func emptyLinks(of model: any PersistentModel, _ plan: EntityPlan) {
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship else { continue }
      let held = heldDestinations(of: model, index, relationship)
      guard !held.isEmpty else { continue }
      if relationship.isToMany {
        changeList(of: model, index, added: [], removed: held)
      } else if relationship.isOptional {
        setLink(of: model, index, from: held[0], to: nil)
      }
    }
  }

  /// Makes the other ends of a model's relationships let go of it where they still lead to it.
  func leaveOtherEnds(of model: any PersistentModel, _ plan: EntityPlan) {
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship,
        let inverse = relationship.inverse
      else { continue }
      for destination in heldDestinations(of: model, index, relationship)
      where leads(destination, inverse, to: model) {
        detach(model, from: destination, inverse)
      }
    }
  }

  // MARK: What an end holds

  /// Whether the relationship at `index` of `model` leads to `destination`.
  func leads(
    _ model: any PersistentModel, _ index: Int, to destination: any PersistentModel
  ) -> Bool {
    guard let relationship = model._$modelState.relationship(at: index) else { return false }
    return heldDestinations(of: model, index, relationship).contains { $0 === destination }
  }

  /// The destinations of a relationship, those included whose deletion waits for the save.
  func heldDestinations(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> [any PersistentModel] {
    if relationship.isToMany { return destinations(of: model, index) }
    return heldDestination(of: model, index, relationship).map { [$0] } ?? []
  }

  func heldDestination(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> (any PersistentModel)? {
    if case .one(let destination) = model.links(at: index) { return destination }
    guard relationship.storage == .column, model._$modelState.reference(at: index) != nil else {
      return destination(of: model, index)
    }
    return storedDestination(of: model, index, relationship, loads: true)
  }
}
