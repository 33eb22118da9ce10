extension ModelContext {
  /// Registers a model, and every model that it reaches, to be saved.
  ///
  /// When a stored model has the same value in a unique attribute, saving updates that one instead. A model
  /// that can't be saved here (its class isn't in the schema, or another context has it) makes the next
  /// ``save()`` throw.
  public func insert<T: PersistentModel>(_ model: T) {
    let state = model._$modelState
    if let owner = state.context {
      if owner === self {
        reinsert(model)
      } else {
        refusedInsertions.append(
          SwiftDataError.modelValidationFailure.explained(
            "A model of \(T.self) was inserted into a context while another context has it."
              + " Fetch it here by its persistentModelID instead."))
      }
      return
    }
    let map: IdentityMap
    do { map = try identityMap(for: T.self) } catch {
      refusedInsertions.append(error)
      return
    }
    state.rowID = 0
    state.committed = nil
    state.changes = ChangeMask()
    state.plan = map.plan
    state.link = link
    state.flags = .inserted
    inserted.insert(model)
    for property in map.plan.properties {
      guard case .toOne = property.shape else { continue }
      let value = model[keyPath: property.keyPath as AnyKeyPath]
      if let destination = Self.model(in: value) { insertReachable(destination) }
    }
    scheduleAutosave()
  }

  private func insertReachable(_ model: any PersistentModel) {
    guard model._$modelState.link == nil else { return }
    func open<Model: PersistentModel>(_ model: Model) { insert(model) }
    open(model)
  }

  private static func model(in value: Any?) -> (any PersistentModel)? {
    guard let value else { return nil }
    if let optional = value as? any OptionalType {
      return optional.wrappedValue as? any PersistentModel
    }
    return value as? any PersistentModel
  }

  /// Inserting a model of this context again takes back its deletion.
  private func reinsert<T: PersistentModel>(_ model: T) {
    let state = model._$modelState
    guard state.flags.contains(.deleted) else { return }
    state.flags.remove(.deleted)
    deleted.remove(model)
    if !state.changes.isEmpty { changed.insert(model) }
  }

  /// Marks a model to be deleted by the next save. A model that was never saved is just let go.
  public func delete<T: PersistentModel>(_ model: T) {
    let state = model._$modelState
    guard state.link === link, state.flags.isDisjoint(with: [.deleted, .gone]) else { return }
    if inserted.remove(model) {
      state.flags = []
      state.link = nil
      return
    }
    changed.remove(model)
    state.flags.insert(.deleted)
    deleted.insert(model)
    cascade(from: model)
    scheduleAutosave()
  }

  private func cascade<T: PersistentModel>(from model: T) {
    for property in model._$modelState.plan?.properties ?? []
    where property.deleteRule == .cascade {
      let value = model[keyPath: property.keyPath as AnyKeyPath]
      guard let destination = Self.model(in: value) else { continue }
      func open<Model: PersistentModel>(_ model: Model) { delete(model) }
      open(destination)
    }
  }
}
