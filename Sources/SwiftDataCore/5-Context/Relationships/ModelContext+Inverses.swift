/// Both ends of a relationship change together, immediately.
extension ModelContext {
  /// Completes the change of a to-one relationship by its setter.
  func didRelate(
    _ model: any PersistentModel, _ index: Int, from oldValue: LoadedLinks,
    to newValue: (any PersistentModel)?
  ) {
    beginOperation()
    defer { endOperation() }
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return }
    let before: (any PersistentModel)? =
      switch oldValue {
      case .one(let model): model
      case .many(let list): list.models.first
      case .notLoaded: storedDestination(of: model, index, relationship, loads: recordsUndo)
      }
    state.setReference(nil, at: index)
    var newValue = newValue
    if let original = newValue?._$modelState.original {
      model.fillLinks(.one(original), at: index)
      newValue = original
    }
    // Set to its current destination, which wasn't loaded before.
    guard before !== newValue else { return }
    if let newValue { register(newValue) }
    if recordsUndo {
      undo.recordLink(of: model, at: index, from: before, to: newValue, in: self)
    }
    guard let inverse = relationship.inverse else { return }
    if let before, before !== newValue { detach(model, from: before, inverse) }
    if let newValue { attach(model, to: newValue, inverse) }
  }

  /// Completes the change of a to-many relationship by its setter.
  func didRelate(
    _ model: any PersistentModel, _ index: Int, from oldValue: (any ErasedModelArray)?,
    to newValue: any ErasedModelArray, empty: any ErasedModelArray
  ) {
    beginOperation()
    defer { endOperation() }
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return }
    let before = oldValue ?? list(of: model, index, empty: empty, keeping: false)
    var newValue = newValue
    var (added, removed) = newValue.difference(from: before)
    if added.contains(where: { $0._$modelState.flags.contains(.alias) }) {
      _ = linksResolvingAliases(of: model, at: index)
      if case .many(let list) = model.links(at: index) { newValue = list }
      (added, removed) = newValue.difference(from: before)
    }
    if let once = newValue.withoutDuplicates(of: added) {
      model.fillLinks(.list(once), at: index)
      // A repeated model may have been in the list before.
      newValue = once
      (added, removed) = once.difference(from: before)
    }
    state.changeLinks(at: index) { changes in
      changes.clearListChanges()
      for model in removed { changes.addedByThemselves.remove(model) }
      if relationship.joinTable != nil { changes.recordUnsaved(added: added, removed: removed) }
    }
    for destination in added { register(destination) }
    if recordsUndo {
      if relationship.isOrdered {
        undo.recordEdits(of: model, at: index, newValue.edits(from: before), in: self)
      } else {
        undo.recordLinks(of: model, at: index, added: added, removed: removed, in: self)
      }
    }
    guard let inverse = relationship.inverse else { return }
    for destination in removed { detach(model, from: destination, inverse) }
    for destination in added { attach(model, to: destination, inverse) }
  }

  private func register(_ model: any PersistentModel) {
    let state = model._$modelState
    guard state.link !== link, !Self.isPlaceholder(model) else {
      // From now on, another model leads to it.
      if state.link === link { state.cameByLink = false }
      return
    }
    func open<Model: PersistentModel>(_ model: Model) { insert(model) }
    open(model)
  }

  /// Adds `model` to the relationship `index` of `destination`, which leads back to it.
  ///
  /// - Returns: Whether the destination led to another model instead.
  @discardableResult
  func attach(
    _ model: any PersistentModel, to destination: any PersistentModel, _ index: Int
  ) -> Bool {
    let state = destination._$modelState
    guard state.link === link, !state.isDeleted,
      let relationship = state.relationship(at: index)
    else { return false }
    if relationship.isToMany {
      // The model came into the context through this list.
      if case .many(let list) = destination.links(at: index), list.holds(model) { return false }
      changeList(of: destination, index, added: [model], removed: [])
      if state.rowID == 0, model._$modelState.rowID != 0 {
        state.changeLinks(at: index) { $0.addedByThemselves.insert(model) }
      }
      return false
    }
    if recordsUndo { undo.loadOrderedListBeforeRemoval(with: destination, index, in: self) }
    let partner =
      recordsUndo
      ? destinationIncludingDeleted(of: destination, index, relationship)
      : currentDestination(of: destination, index, relationship)
    if partner === model { return false }
    setLink(of: destination, index, from: partner, to: model)
    if let partner, let back = relationship.inverse { detach(destination, from: partner, back) }
    return partner != nil
  }

  /// Removes `model` from the relationship `index` of `destination`. A destination whose deletion waits for the save is
  /// changed too: its rule `deny` checks the remaining models.
  ///
  /// - Returns: Whether the destination was changed.
  @discardableResult
  func detach(
    _ model: any PersistentModel, from destination: any PersistentModel, _ index: Int
  ) -> Bool {
    let state = destination._$modelState
    guard state.link === link, !state.isDeleted || !model._$modelState.isDeleted,
      let relationship = state.relationship(at: index), hasRow(destination, relationship)
    else { return false }
    if relationship.isToMany {
      changeList(of: destination, index, added: [], removed: [model])
    } else if isUnread(index, of: destination, relationship)
      || currentDestination(of: destination, index, relationship) === model
    {
      setLink(of: destination, index, from: model, to: nil)
    } else {
      return false
    }
    return true
  }

  /// Whether an end without a key of its own isn't in memory. It led to the model that is being detached, but reading
  /// it now would no longer show that, and an end that is read meanwhile has to be corrected when the change is undone.
  private func isUnread(
    _ index: Int, of model: any PersistentModel, _ relationship: RelationshipPlan
  ) -> Bool {
    guard recordsUndo, relationship.storage == .inverseColumn, model._$modelState.rowID != 0,
      case .notLoaded = model.links(at: index)
    else { return false }
    return true
  }

  /// Whether a destination has a row. With the rule `noAction` another context may have deleted it and left the key,
  /// and a change of its list would make it appear to exist.
  private func hasRow(
    _ destination: any PersistentModel, _ relationship: RelationshipPlan
  ) -> Bool {
    let state = destination._$modelState
    guard relationship.deleteRule == .noAction, state.rowID != 0, state.followsRow else {
      return true
    }
    func open<Model: PersistentModel>(_ model: Model) throws {
      try markMissing(of: Model.self, [model.persistentModelID])
    }
    do { try open(destination) } catch {
      SwiftDataLog.report(
        .error, "ModelContext", "a \(type(of: destination)) can't be looked for", error)
    }
    return !state.flags.contains(.rowDeleted)
  }

  /// Changes one end of a to-one relationship.
  ///
  /// - Parameter isRecorded: Whether undoing takes the change back.
  func setLink(
    of model: any PersistentModel, _ index: Int, from old: (any PersistentModel)?,
    to new: (any PersistentModel)?, isRecorded: Bool = true
  ) {
    if isRecorded, recordsUndo {
      undo.recordLink(of: model, at: index, from: old, to: new, in: self)
    }
    registerInverseChange(of: model, index)
    model._$modelState.setReference(nil, at: index)
    model.setLinks(.one(new), at: index)
  }

  /// Changes one end of a to-many relationship. The change is merged with the list's contents when the list is read.
  func changeList(
    of model: any PersistentModel, _ index: Int, added: [any PersistentModel],
    removed: [any PersistentModel], isRecorded: Bool = true
  ) {
    let state = model._$modelState
    guard let plan = state.plan, !(added.isEmpty && removed.isEmpty) else { return }
    let isOrdered = plan.properties[index].relationship?.isOrdered == true
    if isRecorded, recordsUndo {
      if isOrdered, let edits = edits(of: model, index, adding: added, removing: removed) {
        return editList(of: model, index, edits, added: added, removed: removed)
      }
      undo.recordLinks(of: model, at: index, added: added, removed: removed, in: self)
    }
    let isFirst = !state.changes.contains(index)
    registerInverseChange(of: model, index)
    let held = model.links(at: index)
    let isJoined = plan.properties[index].relationship?.joinTable != nil
    state.changeLinks(at: index) { changes in
      if isFirst { changes.areAllChanges = changes.isUnchanged }
      if case .many(let list) = held { changes.base = list }
      changes.spare = nil
      removed.forEach { changes.remove($0) }
      added.forEach { if isOrdered { changes.append($0) } else { changes.add($0) } }
      if isJoined { changes.recordUnsaved(added: added, removed: removed) }
    }
    func open<Model: PersistentModel>(_ model: Model) {
      model.replace(index, plan) { $0._$clear(index) }
    }
    open(model)
  }

  /// Returns the changes of an ordered list. The list itself is released on return, because it is edited in place only
  /// when it has no other owner.
  ///
  /// - Returns: nil when the list can't be loaded.
  private func edits(
    of model: any PersistentModel, _ index: Int, adding added: [any PersistentModel],
    removing removed: [any PersistentModel]
  ) -> [ListEdit]? {
    guard loadList(of: model, index), case .many(let list) = model.links(at: index) else {
      return nil
    }
    return list.edits(adding: added, removing: removed)
  }

  /// Changes an ordered list that is in memory, and records it.
  ///
  /// - Parameters:
  ///   - added: The models that come from outside the list.
  ///   - removed: The models that leave the list.
  func editList(
    of model: any PersistentModel, _ index: Int, _ edits: [ListEdit],
    added: [any PersistentModel], removed: [any PersistentModel]
  ) {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    registerInverseChange(of: model, index)
    var made: [ListEdit] = []
    func open<Model: PersistentModel>(_ model: Model) {
      guard case .many(var list) = model.links(at: index) else { return }
      // No other reference to the list exists while it is changed, so that it isn't copied.
      model._$clear(index)
      for edit in edits { made.append(list.apply(edit)) }
      model.replace(index, plan) { $0.fillLinks(.list(list), at: index) }
    }
    open(model)
    let isJoined = plan.properties[index].relationship?.joinTable != nil
    state.changeLinks(at: index) { changes in
      changes.clearListChanges()
      for model in removed { changes.addedByThemselves.remove(model) }
      if isJoined { changes.recordUnsaved(added: added, removed: removed) }
    }
    if recordsUndo { undo.recordEdits(of: model, at: index, made, in: self) }
  }

  func registerInverseChange(of model: any PersistentModel, _ index: Int) {
    let state = model._$modelState
    guard !state.changes.contains(index) else { return }
    state.registerChange(of: model, at: index)
  }

  /// Returns the destination of a to-one relationship, if it is in memory or has to be loaded.
  func currentDestination(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> (any PersistentModel)? {
    if case .one(let destination) = model.links(at: index) { return destination }
    return storedDestination(of: model, index, relationship)
  }

  /// Returns the destination according to the store. An unloaded destination matters only when it stores the key, or
  /// has a list of its own that must be changed.
  ///
  /// - Parameter loads: Whether an unloaded destination is loaded in any case, because undoing restores it.
  func storedDestination(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan,
    loads: Bool = false
  ) -> (any PersistentModel)? {
    let state = model._$modelState
    guard relationship.storage == .column else {
      return storedList(of: model, index, relationship).first
    }
    guard let rowID = state.reference(at: index) else { return nil }
    if let known = registeredModel(rowID, of: relationship.destination) { return known }
    let isWritten =
      relationship.inverse != nil
      && core.entry(named: relationship.destinationEntity)?.capabilities.wholeModels != nil
    guard loads || isWritten else { return nil }
    func load<Model: PersistentModel>(_ type: Model.Type) -> (any PersistentModel)? {
      fetchOrReport(rowID, as: type)
    }
    return load(relationship.destination)
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
