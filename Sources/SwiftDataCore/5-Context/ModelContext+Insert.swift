extension ModelContext {
  /// Registers a model that ``save()`` will write. Models that its relationships reach are inserted too, and the other
  /// ends of the relationships refer back to it immediately.
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
    held.forEach(completeInverses)
  }

  private func connect(_ models: [any PersistentModel]) {
    for model in models.dropFirst() { DetachedGroup.connect(models[0], model) }
  }

  /// Returns the models that a model's relationships lead to and that aren't in the context.
  private func unregisteredDestinations(beside model: any PersistentModel) -> [any PersistentModel]
  {
    guard let plan = model._$modelState.plan else { return [] }
    return plan.relationships.flatMap { index in
      (model.links(at: index).models ?? []).filter { $0._$modelState.link !== link }
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
        let wasDeleted = state.flags.contains(.deleted)
        reinsert(model)
        if wasDeleted, recordsUndo {
          undo.recordAddition(of: model, isInsertion: false, in: self)
        }
      } else {
        pending.refusedInsertions.append(
          SwiftDataError.modelValidationFailure.explained(
            "A model of \(type(of: model)) was inserted into a context while another context has it."
              + " Fetch it here by its persistentModelID instead."))
      }
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
          let models = linksResolvingAliases(of: model, at: index), !models.isEmpty
        else { return nil }
        return (index, relationship, models)
      })
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

  private func completeInverses(of links: InitialLinks) {
    for (index, relationship, destinations) in links.ends {
      if relationship.joinTable != nil {
        links.model._$modelState.changeLinks(at: index) {
          $0.recordUnsaved(added: destinations, removed: [])
        }
      }
      guard let inverse = relationship.inverse else { continue }
      for destination in destinations { attach(links.model, to: destination, inverse) }
    }
  }

  func reinsert(_ model: any PersistentModel) {
    let state = model._$modelState
    guard state.flags.contains(.deleted) else { return }
    state.flags.remove(.deleted)
    pending.deleted.remove(model)
    if !state.changes.isEmpty { pending.changed.insert(model) }
  }
}
