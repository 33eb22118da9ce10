import Observation

/// Second instances of a row. Inserting a model with a unique value that a row already has is an update of that row,
/// and the context may have an instance for it. From the save on, the inserted model is an alias of that instance: it
/// holds no values of its own, and reading, changing, relating and deleting it is done to the registered instance
/// (decision 0034).
extension ModelContext {
  /// Makes a model that was just saved an alias of the instance that the context has for its row.
  func makeAlias<Model: PersistentModel>(_ model: Model, of original: Model) {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    unloadLists(of: original)
    state.linkChanges = []
    state.group = nil
    for index in plan.properties.indices { model._$clear(index) }
    let wasObserved = state.isObserved
    state.link = nil
    state.becomeAlias(of: original)
    // Observers that have read the alias must now read the original.
    if wasObserved {
      state.flags.insert(.filling)
      for index in plan.properties.indices { model.replace(index, plan) { _ in } }
      state.flags.remove(.filling)
    }
  }

  /// Returns the models that the relationship at `index` of a model holds, with aliases replaced by their originals.
  func linksResolvingAliases(
    of model: any PersistentModel, at index: Int
  ) -> [any PersistentModel]? {
    guard let models = model.links(at: index).models else { return nil }
    guard models.contains(where: { $0._$modelState.flags.contains(.alias) }) else { return models }
    var known: Set<ObjectIdentifier> = []
    let originals = models.map { $0._$modelState.original ?? $0 }
      .filter { known.insert(ObjectIdentifier($0)).inserted }
    let isToMany = model._$modelState.relationship(at: index)?.isToMany == true
    model.fillLinks(isToMany ? .many(originals) : .one(originals.first), at: index)
    return originals
  }

  /// Replaces aliases in all relationships of a model that was saved together with the models that it leads to.
  func replaceAliases(_ model: any PersistentModel) {
    let state = model._$modelState
    guard !state.flags.contains(.alias), let plan = state.plan else { return }
    for index in plan.relationships {
      // A list with recorded changes isn't in the model's storage.
      if state.linkChanges(at: index)?.base != nil { _ = destinations(of: model, index) }
      _ = linksResolvingAliases(of: model, at: index)
    }
  }

  func insertOriginal(_ original: any PersistentModel) {
    func open<Model: PersistentModel>(_ model: Model) { insert(model) }
    open(original)
  }

  func deleteOriginal(_ original: any PersistentModel) {
    func open<Model: PersistentModel>(_ model: Model) { delete(model) }
    open(original)
  }
}

extension _ModelState {
  func becomeAlias(of original: any PersistentModel) {
    fields.pointee.ownRareFields.original = original
    changes = ChangeMask()
    flags = .alias
    // Values that its setters store are passed on after the mutation, see ``forward(_:of:)``.
    fields.pointee.traits.insert(.isObserved)
  }

  /// Returns the value of a property of the original instance.
  func originalValue<Value>(at index: Int) -> Value? {
    guard let original, let plan else { return nil }
    func read<Model: PersistentModel>(_ model: Model) -> Value? {
      model[keyPath: plan.properties[index].keyPath] as? Value
    }
    return read(original)
  }

  /// Passes a value that was just stored to the original instance.
  func forward<Model: Observable, Member>(_ keyPath: KeyPath<Model, Member>, of model: Model) {
    guard !flags.contains(.filling), let plan, let index = plan.property(for: keyPath),
      let alias = model as? any PersistentModel, let target = original as? Model,
      let writable = keyPath as? ReferenceWritableKeyPath<Model, Member>
    else { return }
    let value = model[keyPath: keyPath]
    alias._$clear(index)
    target[keyPath: writable] = value
  }
}
