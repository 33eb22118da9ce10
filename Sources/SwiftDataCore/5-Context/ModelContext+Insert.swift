extension ModelContext {
  /// Registers a model that ``save()`` will write. Models that its relationships reach are inserted too, and the other
  /// ends of the relationships refer back to it immediately.
  ///
  /// A model whose deletion isn't saved yet stays, with the links that the deletion removed, and so do the models that
  /// went with it by cascades.
  ///
  /// A saved model whose context has ended is inserted as a new one. Into another store it brings all saved models that
  /// its relationships reach, read or not.
  ///
  /// A model of another context, or of a class that the container's schema lacks, is refused by the next ``save()``
  /// with an error that says so; `SwiftData` traps there.
  public func insert<T: PersistentModel>(_ model: T) {
    autosaveIfDue()
    beginOperation()
    defer { endOperation() }
    let state = model._$modelState
    if let original = state.original { return insertOriginal(original) }
    if state.isPlaceholder {
      pending.refusedInsertions.append(
        SwiftDataError.modelValidationFailure.explained(
          "A \(T.self) that stands in for one that doesn't exist was inserted."
            + " Check isDeleted of what model(for:) and relationships return."))
    }
    let others = DetachedGroup.dissolve(around: state)
    let isRegistered = register(model, state)
    // A refused model stays connected with the others, which another context may take in.
    if !isRegistered, !others.isEmpty { connect(others + [model]) }
    guard isRegistered, let plan = state.plan else { return }
    if !plan.relationships.isEmpty { insertReachable(from: model, others) }
    pending.heapReservation.next()
    scheduleAutosave()
  }

  /// Inserts the models that the relationships of a newly registered model reach, and those that lead to it by a
  /// relationship that has an inverse, and completes the other ends of these relationships.
  ///
  /// - Parameter others: The models without a context that had been connected with it.
  private func insertReachable(
    from model: any PersistentModel, _ others: [any PersistentModel]
  ) {
    var registered: [any PersistentModel] = [model]
    var waiting = unregisteredDestinations(beside: model)
    var others = others
    var references = DetachedReferences(core)
    var next = 0
    func walk(recordsReferences: Bool) {
      while next < waiting.count {
        let model = waiting[next]
        next += 1
        let state = model._$modelState
        let found = DetachedGroup.dissolve(around: state)
        if recordsReferences { references.record(found) } else { others += found }
        guard register(model, state) else { continue }
        registered.append(model)
        waiting += unregisteredDestinations(beside: model)
        if recordsReferences { waiting += references.referrers(of: model) }
      }
    }
    walk(recordsReferences: false)
    // Usually all connected models have been reached from the inserted one.
    let rest = others.filter { $0._$modelState.link == nil }
    if !rest.isEmpty {
      references.record(rest)
      for model in registered { waiting += references.referrers(of: model) }
      walk(recordsReferences: true)
      references.connectRest()
      WorkCounter.add(references.steps, to: .detachedModels)
    }
    // Completing one end changes lists of other models, so the links that the models hold themselves are read before.
    let held = registered.map(initialLinks)
    held.forEach(recordInitialLinks)
    var hasReplaced = false
    for links in held { completeInverses(of: links, &hasReplaced) }
  }

  private func connect(_ models: [any PersistentModel]) {
    for model in models.dropFirst() { DetachedGroup.connect(models[0], model) }
  }

  /// Returns the models that a model's relationships lead to and that aren't in the context.
  private func unregisteredDestinations(beside model: any PersistentModel) -> [any PersistentModel]
  {
    guard let plan = model._$modelState.plan else { return [] }
    return plan.relationships.flatMap { index in
      (model.links(at: index).models ?? []).filter { destination in
        let state = destination._$modelState
        guard state.link === link else { return true }
        // From now on, another model leads to it.
        state.cameByLink = false
        return false
      }
    }
  }

  static func isPlaceholder(_ model: any PersistentModel) -> Bool {
    model._$modelState.isPlaceholder
  }

  /// Takes a model into the context; returns false when it was there already or can't be taken.
  private func register(_ model: any PersistentModel, _ state: _ModelState) -> Bool {
    // A stand-in for a model that doesn't exist reads as deleted, so a relationship to it is empty.
    if state.isPlaceholder || state.flags.contains(.alias) { return false }
    if let owner = state.context, !(owner === self && state.flags.contains(.rowDeleted)) {
      if owner === self {
        state.cameByLink = false
        takeBackDeletion(of: model)
      } else {
        pending.refusedInsertions.append(
          SwiftDataError.modelValidationFailure.explained(
            "A model of \(type(of: model)) was inserted into a context while another context has it."
              + " Fetch it here by its persistentModelID instead."))
      }
      return false
    }
    do { try prepareToTakeIn(model, state) } catch {
      pending.refusedInsertions.append(error)
      return false
    }
    guard readmit(model, state) else { return false }
    if recordsUndo { undo.recordAddition(of: model, isInsertion: true, in: self) }
    return true
  }

  /// Takes a model that no longer has a row into the context again, without the models that it leads to.
  ///
  /// - Returns: Whether the model could be taken in.
  func readmit(_ model: any PersistentModel, _ state: _ModelState) -> Bool {
    if !pending.lostEdits.isEmpty { pending.lostEdits.remove(model) }
    do { begin(state, try identityMap(for: type(of: model)).plan) } catch {
      pending.refusedInsertions.append(error)
      return false
    }
    pending.inserted.insert(model, state)
    if case .temporary(let number)? = state.temporary?.key {
      link.recordTemporary(number, at: state.pendingPosition)
    }
    return true
  }

  private func begin(_ state: _ModelState, _ plan: EntityPlan) {
    state.rowID = 0
    state.forgetOrigin()
    // What a fetch left out, and wasn't read before the row was gone, is nowhere.
    state.partial = nil
    state.discardCommittedCells()
    state.changes = ChangeMask()
    state.join(link, plan)
    state.flags = .inserted
    state.linkChanges = []
  }

  /// The models that the relationships of a model held when it was inserted.
  private struct InitialLinks {
    let model: any PersistentModel
    let ends: [(index: Int, relationship: RelationshipPlan, models: [any PersistentModel])]
  }

  private func initialLinks(of model: any PersistentModel) -> InitialLinks {
    guard let plan = model._$modelState.plan else { return InitialLinks(model: model, ends: []) }
    return InitialLinks(
      model: model,
      ends: plan.relationships.compactMap { index in
        guard let relationship = plan.properties[index].relationship,
          let models = linksResolvingAliases(of: model, at: index)
            ?? keptDestination(of: model, index, relationship),
          !models.isEmpty
        else { return nil }
        return (index, relationship, models)
      })
  }

  /// Loads the destination of which a model has the key only, from the row that it had before. The key to a row that is
  /// gone is dropped.
  private func keptDestination(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> [any PersistentModel]? {
    let state = model._$modelState
    guard let rowID = state.reference(at: index) else { return nil }
    func load<Model: PersistentModel>(_ type: Model.Type) throws -> (any PersistentModel)? {
      try existingModel(rowID, as: type)
    }
    do {
      if let found = try load(relationship.destination),
        !found._$modelState.flags.contains(.rowDeleted)
      {
        // One whose deletion waits for the save, too: the row is written without it.
        model.fillLinks(.one(found), at: index)
        return [found]
      }
      if relationship.isOptional { state.setReference(nil, at: index) }
    } catch {
      SwiftDataLog.report(
        .error, "ModelContext", "\(relationship.destinationEntity) \(rowID) can't be read", error)
    }
    return nil
  }

  /// Records the links of an inserted model: undoing the insertion empties the relationships before the model is
  /// removed.
  private func recordInitialLinks(_ links: InitialLinks) {
    guard recordsUndo else { return }
    for (index, relationship, models) in links.ends {
      if relationship.isToMany {
        if relationship.isOrdered {
          let edit = ListEdit(start: 0, previous: nil, removed: [], added: models)
          undo.recordEdits(of: links.model, at: index, [edit], in: self)
        } else {
          undo.recordLinks(
            of: links.model, at: index, added: models, removed: [], in: self)
        }
      } else if relationship.isOptional {
        undo.recordLink(
          of: links.model, at: index, from: nil, to: models.first, in: self)
      }
    }
  }

  /// Lets the other ends of a model's links lead back to it.
  ///
  /// - Parameter hasReplaced: Whether that has moved a model of the insertion away from another one. The links of
  ///   models without a context may contradict each other; those of them that were moved away are not completed.
  private func completeInverses(of links: InitialLinks, _ hasReplaced: inout Bool) {
    for (index, relationship, held) in links.ends {
      let destinations = hasReplaced ? present(held, of: links.model, index) : held
      if relationship.joinTable != nil {
        links.model._$modelState.changeLinks(at: index) {
          $0.recordUnsaved(added: destinations, removed: [])
        }
      }
      guard let inverse = relationship.inverse else { continue }
      for destination in destinations {
        hasReplaced = attach(links.model, to: destination, inverse) || hasReplaced
      }
    }
  }

  /// Returns those of the models to which the relationship at `index` still leads.
  private func present(
    _ models: [any PersistentModel], of model: any PersistentModel, _ index: Int
  ) -> [any PersistentModel] {
    let present = Set(destinations(of: model, index).map(ObjectIdentifier.init))
    return models.filter { present.contains(ObjectIdentifier($0)) }
  }

  // MARK: - Deletions that are taken back

  /// Takes back the unsaved deletion of a saved model, and of those that went with it by cascades. The links that the
  /// deletion has removed are there again, unless they lead to other models by now.
  private func takeBackDeletion(of model: any PersistentModel) {
    var waiting = [model]
    var returned: [(model: any PersistentModel, ends: [DetachedEnd])] = []
    var dropped: [any PersistentModel] = []
    while let next = waiting.popLast() {
      let state = next._$modelState
      guard state.link === link else {
        if state.context == nil { dropped.append(next) }
        continue
      }
      guard state.flags.contains(.deleted) else { continue }
      let ends = reinsert(next)
      if recordsUndo { undo.recordAddition(of: next, isInsertion: false, in: self) }
      returned.append((next, ends))
      waiting += ends.filter { $0.inverse == nil }.map(\.destination)
    }
    // These had never been saved.
    for model in dropped {
      func open<Model: PersistentModel>(_ model: Model) { insert(model) }
      open(model)
    }
    for (model, ends) in returned {
      for end in ends { restore(end, of: model) }
    }
  }

  private func restore(_ end: DetachedEnd, of model: any PersistentModel) {
    let destination = end.destination
    let state = destination._$modelState
    guard state.link === link, !state.isDeleted else {
      dropLink(end, of: model)
      // The link is there again when that deletion is taken back, too.
      if let inverse = end.inverse, state.link === link, state.flags.contains(.deleted) {
        let mirrored = DetachedEnd(
          index: inverse, destination: model, inverse: end.index, isLostByModel: true)
        pending.recordDeletion(of: destination, [mirrored])
      }
      return
    }
    guard let inverse = end.inverse else { return }
    guard isFree(inverse, of: destination, for: model),
      isFree(end.index, of: model, for: destination)
    else { return dropLink(end, of: model) }
    attach(model, to: destination, inverse)
    if end.isLostByModel { attach(destination, to: model, end.index) }
  }

  /// Whether a relationship leads to many models, to none, or to the given one.
  private func isFree(
    _ index: Int, of model: any PersistentModel, for destination: any PersistentModel
  ) -> Bool {
    guard let relationship = model._$modelState.relationship(at: index), !relationship.isToMany,
      let current = currentDestination(of: model, index, relationship)
    else { return true }
    return current === destination
  }

  /// Removes a link to a model that is deleted or leads elsewhere by now.
  private func dropLink(_ end: DetachedEnd, of model: any PersistentModel) {
    guard let relationship = model._$modelState.relationship(at: end.index) else { return }
    if relationship.isToMany {
      changeList(of: model, end.index, added: [], removed: [end.destination])
    } else if relationship.isOptional,
      currentDestination(of: model, end.index, relationship) === end.destination
    {
      setLink(of: model, end.index, from: end.destination, to: nil)
    }
  }

  /// Removes the mark of a model whose deletion waits for the save.
  ///
  /// - Returns: The ends of relationships that have lost the model.
  @discardableResult
  func reinsert(_ model: any PersistentModel) -> [DetachedEnd] {
    let state = model._$modelState
    guard state.flags.contains(.deleted) else { return [] }
    state.flags.remove(.deleted)
    let ends = pending.takeBackDeletion(of: model)
    if !state.changes.isEmpty { pending.changed.insert(model) }
    return ends
  }
}
