/// Relationships are read from the store on first access, for all models that were fetched together.
extension ModelContext {
  /// Returns the destination of a to-one relationship whose storage is empty.
  func destination(of model: any PersistentModel, _ index: Int) -> (any PersistentModel)? {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return nil }
    if relationship.storage == .column {
      if state.reference(at: index) == nil {
        guard state.rowID != 0, state.changes.isEmpty, fillRow(of: model) else { return nil }
      }
      guard let rowID = state.reference(at: index) else { return nil }
      if let known = registeredModel(rowID, of: relationship.destination) {
        return known._$modelState.isDeleted ? nil : known
      }
    }
    guard state.rowID != 0 else { return nil }
    load(index, of: model, relationship)
    switch model.links(at: index) {
    case .one(let destination): return destination
    default:
      guard relationship.storage == .column, let rowID = state.reference(at: index) else {
        return nil
      }
      return registeredModel(rowID, of: relationship.destination)
    }
  }

  /// Returns the destinations of a to-many relationship whose storage is empty.
  ///
  /// - Parameter keeping: Whether the list is put into the storage.
  func list(
    of model: any PersistentModel, _ index: Int, empty: any ErasedModelArray, keeping: Bool = true
  ) -> any ErasedModelArray {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return empty }
    let changes = state.linkChanges(at: index)
    let list: any ErasedModelArray
    if let base = changes?.base ?? (state.rowID == 0 ? empty : nil) {
      list = base.merging(added: changes?.added ?? [], removed: changes?.removed ?? [])
    } else if keeping {
      load(index, of: model, relationship)
      if case .many(let list) = model.links(at: index) { return list }
      return empty
    } else {
      return empty.merging(added: storedList(of: model, index, relationship), removed: [])
    }
    if keeping, state.context != nil || relationship.joinTable == nil {
      model.fillLinks(.list(list), at: index)
      if changes != nil { state.changeLinks(at: index) { $0.clearListChanges() } }
    }
    return list
  }

  /// Returns the destinations as an untyped array, for code that iterates over relationships by their plans.
  func destinations(of model: any PersistentModel, _ index: Int) -> [any PersistentModel] {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return [] }
    if let loaded = model.links(at: index).models { return loaded }
    guard relationship.isToMany else {
      return destination(of: model, index).map { [$0] } ?? []
    }
    func open<Model: PersistentModel>(_ type: Model.Type) -> [any PersistentModel] {
      list(of: model, index, empty: [Model]()).models
    }
    return open(relationship.destination)
  }

  /// Loads a list into its storage, including the changes made at the other end.
  ///
  /// - Returns: Whether the list is in its storage; false when it can't be read.
  func loadList(of model: any PersistentModel, _ index: Int) -> Bool {
    if case .many = model.links(at: index) { return true }
    func open<Model: PersistentModel>(_ type: Model.Type) {
      _ = list(of: model, index, empty: [Model]())
    }
    if let relationship = model._$modelState.relationship(at: index) {
      open(relationship.destination)
    }
    if case .many = model.links(at: index) { return true }
    return false
  }

  /// Reads the relationship of one model without storing it in the model.
  func storedList(
    of model: any PersistentModel, _ index: Int, _ relationship: RelationshipPlan
  ) -> [any PersistentModel] {
    guard model._$modelState.rowID != 0 else { return [] }
    return LinkLoader(self, index, relationship).stored(of: model)
  }

  /// Loads the relationship at `index` for `model` and its neighbors.
  func load(_ index: Int, of model: any PersistentModel, _ relationship: RelationshipPlan) {
    LinkLoader(self, index, relationship).load(for: model)
  }
}

// MARK: - Cycles of references

extension ModelContext {
  /// Whether the inverse relationship of `model` is in memory, so that it keeps its destinations alive.
  func isListLoaded(_ model: any PersistentModel, _ inverse: Int?) -> Bool {
    guard let inverse else { return false }
    let state = model._$modelState
    guard let relationship = state.relationship(at: inverse), relationship.storage != .column else {
      return false
    }
    if case .notLoaded = model.links(at: inverse) {
      return state.linkChanges(at: inverse)?.base != nil
    }
    return true
  }

  /// Releases a to-one destination that holds `model` itself: the pair would keep each other alive forever. The key
  /// stays, and the destination is found by it.
  ///
  /// - Returns: Whether the model held it.
  @discardableResult
  func releaseDestination(
    _ model: any PersistentModel, _ index: Int, towards destination: any PersistentModel
  ) -> Bool {
    let state = model._$modelState
    let target = destination._$modelState
    guard state.rowID != 0, target.rowID != 0, !state.changes.contains(index),
      state.relationship(at: index)?.storage == .column,
      case .one(let held?) = model.links(at: index), held === destination
    else { return false }
    model._$clear(index)
    state.setReference(target.rowID, at: index)
    return true
  }

  /// Keeps the owner of a list that no model of the list holds any more, see ``RecentOwners``.
  func keepForAWhile(_ owner: any PersistentModel, listCount: () -> Int) {
    let released = recentOwners.keep(owner, listCount: listCount)
    withExtendedLifetime(released) {}
  }
}
