import Observation

/// Second instances of a row. Inserting a model whose unique value a row has already is an update of that row, and the
/// context may have an instance for it. From the save on the inserted one is another name for that: it holds no values of
/// its own, and reading, changing, relating and deleting it is done to the registered instance (decision 0034).
extension ModelContext {
  /// Makes a model that was just saved another name for the instance that its row has here.
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
    // Who has read the model has to read the other one now, and the lists of that one have been unloaded.
    if wasObserved {
      state.flags.insert(.filling)
      for index in plan.properties.indices { model.replace(index, plan) { _ in } }
      state.flags.remove(.filling)
    }
    for index in plan.relationships where plan.properties[index].columns.isEmpty {
      original.replace(index, plan) { _ in }
    }
  }

  /// What the relationship at `index` of a model holds, after names for other instances have given way to these.
  func linksToOriginals(
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

  /// The same for all relationships of a model that was saved together with what it leads to.
  func leadToOriginals(_ model: any PersistentModel) {
    let state = model._$modelState
    guard !state.flags.contains(.alias), let plan = state.plan else { return }
    for index in plan.relationships {
      // A list with notes of changes isn't in its storage.
      if state.linkChanges(at: index)?.base != nil { _ = destinations(of: model, index) }
      _ = linksToOriginals(of: model, at: index)
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
    fields.pointee.ownRarities.original = original
    changes = ChangeMask()
    flags = .alias
    // What its setters store is handed over behind the mutation, see ``handOver(_:of:)``.
    fields.pointee.traits.insert(.isObserved)
  }

  /// A property's value of the instance that this one is a name for.
  func originalValue<Value>(at index: Int) -> Value? {
    guard let original, let plan else { return nil }
    func read<Model: PersistentModel>(_ model: Model) -> Value? {
      model[keyPath: plan.properties[index].keyPath] as? Value
    }
    return read(original)
  }

  /// Gives the value that was just stored to the instance that this one is a name for.
  func handOver<Model: Observable, Member>(_ keyPath: KeyPath<Model, Member>, of model: Model) {
    guard !flags.contains(.filling), let plan, let index = plan.property(for: keyPath),
      let alias = model as? any PersistentModel, let target = original as? Model,
      let writable = keyPath as? ReferenceWritableKeyPath<Model, Member>
    else { return }
    let value = model[keyPath: keyPath]
    alias._$clear(index)
    target[keyPath: writable] = value
  }
}
