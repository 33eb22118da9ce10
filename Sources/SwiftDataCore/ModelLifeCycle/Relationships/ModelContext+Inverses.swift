/// Both ends of a relationship change together, at once.
extension ModelContext {
  /// A to-one relationship got another destination by its setter.
  func didRelate(
    _ model: any PersistentModel, _ index: Int, from oldValue: LoadedLinks,
    to newValue: (any PersistentModel)?
  ) {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return }
    let before: (any PersistentModel)? =
      switch oldValue {
      case .one(let model): model
      case .many(let list): list.models.first
      case .notLoaded: storedDestination(of: model, index, relationship)
      }
    state.setReference(nil, at: index)
    if let newValue { register(newValue) }
    guard let inverse = relationship.inverse else { return }
    if let before, before !== newValue { detach(model, from: before, inverse) }
    if let newValue { attach(model, to: newValue, inverse) }
  }

  /// A to-many relationship got another list by its setter.
  func didRelate(
    _ model: any PersistentModel, _ index: Int, from oldValue: (any ModelList)?,
    to newValue: any ModelList, empty: any ModelList
  ) {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return }
    let before = oldValue ?? list(of: model, index, empty: empty, keeping: false)
    var (added, removed) = newValue.difference(from: before)
    if let once = newValue.withoutRepetitions(of: added) {
      model.fillLinks(.list(once), at: index)
      // What was repeated may have been there before.
      (added, removed) = once.difference(from: before)
    }
    state.changeLinks(at: index) { changes in
      changes.settleList()
      if relationship.joinTable != nil { changes.noteUnsaved(added: added, removed: removed) }
    }
    for destination in added { register(destination) }
    guard let inverse = relationship.inverse else { return }
    for destination in removed { detach(model, from: destination, inverse) }
    for destination in added { attach(model, to: destination, inverse) }
  }

  private func register(_ model: any PersistentModel) {
    guard model._$modelState.link !== link, !Self.isStandIn(model) else { return }
    func open<Model: PersistentModel>(_ model: Model) { insert(model) }
    open(model)
  }

  /// Makes `model` known to the relationship `index` of `destination`, which leads back to it.
  func attach(_ model: any PersistentModel, to destination: any PersistentModel, _ index: Int) {
    let state = destination._$modelState
    guard state.link === link, !state.isDeleted,
      let relationship = state.relationship(at: index)
    else { return }
    if relationship.isToMany {
      changeList(of: destination, index) { changes in
        if relationship.isOrdered { changes.append(model) } else { changes.add(model) }
        if relationship.joinTable != nil { changes.noteUnsaved(added: [model], removed: []) }
      }
      return
    }
    let partner = currentDestination(of: destination, index, relationship)
    if partner === model { return }
    recordOtherEnd(of: destination, at: index)
    noteChange(of: destination, index)
    state.setReference(nil, at: index)
    destination.setLinks(.one(model), at: index)
    if let partner, let back = relationship.inverse { detach(destination, from: partner, back) }
  }

  /// Takes `model` out of the relationship `index` of `destination`. A destination whose deletion waits for the save
  /// is told too: its rule `deny` asks who is left.
  func detach(_ model: any PersistentModel, from destination: any PersistentModel, _ index: Int) {
    let state = destination._$modelState
    guard state.link === link, !state.isDeleted || !model._$modelState.isDeleted,
      let relationship = state.relationship(at: index)
    else { return }
    if relationship.isToMany {
      changeList(of: destination, index) { changes in
        changes.remove(model)
        if relationship.joinTable != nil { changes.noteUnsaved(added: [], removed: [model]) }
      }
    } else if currentDestination(of: destination, index, relationship) === model {
      recordOtherEnd(of: destination, at: index)
      noteChange(of: destination, index)
      state.setReference(nil, at: index)
      destination.setLinks(.one(nil), at: index)
    }
  }

  /// Notes a change of a list; what the list holds is merged with it when somebody asks.
  private func changeList(
    of model: any PersistentModel, _ index: Int, _ change: (inout LinkChanges) -> Void
  ) {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    // The order is the list's own: it doesn't follow when the other end is undone.
    if state.relationship(at: index)?.isOrdered == true { recordOtherEnd(of: model, at: index) }
    noteChange(of: model, index)
    let held = model.links(at: index)
    state.changeLinks(at: index) { changes in
      if case .many(let list) = held { changes.base = list }
      change(&changes)
    }
    func open<Model: PersistentModel>(_ model: Model) {
      model.replace(index, plan) { $0._$clear(index) }
    }
    open(model)
  }

  private func noteChange(of model: any PersistentModel, _ index: Int) {
    let state = model._$modelState
    guard !state.changes.contains(index) else { return }
    state.noteChange(of: model, at: index)
  }

  /// The destination of a to-one relationship, if it is at hand or has to be.
  func currentDestination(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> (any PersistentModel)? {
    if case .one(let destination) = model.links(at: index) { return destination }
    return storedDestination(of: model, index, relationship)
  }

  /// What the store says; a destination that nobody has loaded matters only when it keeps the key, or a list of
  /// its own that has to be changed.
  private func storedDestination(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> (any PersistentModel)? {
    let state = model._$modelState
    guard relationship.storage == .column else {
      return storedList(of: model, index, relationship).first
    }
    guard let rowID = state.reference(at: index) else { return nil }
    if let known = registeredModel(rowID, of: relationship.destination) { return known }
    guard relationship.inverse != nil,
      core.entry(named: relationship.destinationEntity)?.store.keepsBothEnds ?? false
    else { return nil }
    func load<Model: PersistentModel>(_ type: Model.Type) -> (any PersistentModel)? {
      fetchOrReport(rowID, as: type)
    }
    return load(relationship.destination)
  }
}
