extension ModelContext {
  /// Drops insertions and deletions, and restores the committed values of changed models.
  ///
  /// When called from code that an operation of the context runs (Codable code and transformers of values, predicates
  /// that are evaluated in memory, notifications of the undo manager), it takes effect when that operation is over.
  public func rollback() {
    guard operations.depth == 0 else {
      operations.isRollbackDue = true
      return
    }
    beginOperation()
    defer { endOperation() }
    let isPending = hasChanges || !pending.droppedClasses.isEmpty
    undo.removeAll()
    let cancelled = pending.cancelInsertionsAndDeletions()
    dismiss(cancelled.inserted)
    for model in cancelled.deleted { model._$modelState.flags.remove(.deleted) }
    let returned = pending.changed.models
    pending.changed.removeAll()
    dropLostEdits()
    for model in returned { restore(model) }
    // Without unsaved changes the lists are those of the store.
    if isPending { unloadLinks() }
    catchUp(includingDeferred: true)
  }

  /// Leaves models that were never saved in no context, with their values and their links to each other.
  func dismiss(_ models: [any PersistentModel]) {
    func open<Model: PersistentModel>(_ model: Model) { keepLists(of: model) }
    for model in models { open(model) }
    for model in models {
      model._$modelState.flags = []
      model._$modelState.link = nil
    }
  }

  /// Merges the changes of a new model's lists that wait for the lists to be read: without a context nothing would.
  /// Changes of saved models are dropped or lie with their context, so models that came into a list by them leave it.
  private func keepLists<Model: PersistentModel>(of model: Model) {
    let state = model._$modelState
    for changes in state.linkChanges {
      let leaving = changes.addedByThemselves.identities
      switch model.links(at: changes.property) {
      case .notLoaded where !changes.isUnchanged:
        let added = changes.added.filter { $0._$modelState.rowID == 0 }
        let removed = changes.removed.union(leaving)
        let list = changes.base?.merging(added: added, removed: removed)
        model.fillLinks(list.map { .list($0) } ?? .many(added), at: changes.property)
      case .many(let list) where !leaving.isEmpty:
        let rest = list.merging(added: [], removed: leaving)
        // No observer is notified while a context ends.
        if state.context != nil, let plan = state.plan {
          model.replace(changes.property, plan) {
            $0.fillLinks(.list(rest), at: changes.property)
          }
        } else {
          model.fillLinks(.list(rest), at: changes.property)
        }
      default: continue
      }
    }
    state.linkChanges = []
  }

  /// Unloads relationships after a rollback: lists that were read meanwhile lack models that were deleted or had moved
  /// away. They are read again on access.
  func unloadLinks() {
    for model in link.rowIDMaps.values.flatMap(\.registered) {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for index in plan.relationships {
        switch (model.links(at: index), state.relationship(at: index)?.storage) {
        case (.notLoaded, _): continue
        case (.one(nil), .column) where state.reference(at: index) != nil: break
        case (_, .column): continue
        default: break
        }
        unload(index, of: model, plan)
      }
    }
  }

  func unload<Model: PersistentModel>(
    _ index: Int, of model: Model, _ plan: EntityPlan
  ) {
    model.replace(index, plan) { $0._$clear(index) }
  }

  private func restore<Model: PersistentModel>(_ model: Model) {
    let state = model._$modelState
    state.flags.remove(.changed)
    restoreFormerValues(of: model, state)
    let indices = state.changes.indices
    state.changes = ChangeMask()
    state.linkChanges = []
    guard state.rowID != 0, let plan = state.plan else { return }
    // Decoding may run custom code, which may change the model again.
    let former = indices.map { state.committedCells(of: $0) }
    state.discardCommittedCells()
    for (index, former) in zip(indices, former) {
      if plan.properties[index].relationship != nil, plan.properties[index].columns.isEmpty {
        // The store still has the list unchanged.
        model.replace(index, plan) { $0._$clear(index) }
        continue
      }
      former?.read(plan: plan, state: state, property: index, column: 0) {
        reader in
        model.replace(index, plan) { model in
          // The bytes are the model's own encoding, so decoding them back can't fail.
          do { try model._$decode(index, from: &reader) } catch {
            SwiftDataLog.report(
              .error, "ModelContext", "rollback failed for a model", error)
          }
        }
      }
    }
  }

  /// Restores attributes without a column.
  private func restoreFormerValues<Model: PersistentModel>(of model: Model, _ state: _ModelState) {
    guard let plan = state.plan else { return }
    for (index, value) in state.formerValues where state.changes.contains(index) {
      state.restore(value, of: model, at: index, plan)
    }
  }

  /// Runs `block`, then saves. When either throws, the error is passed on and the changes stay pending.
  public func transaction(block: () throws -> Void) throws {
    let isNested = autosave.beginTransaction()
    defer {
      if !isNested {
        autosave.endTransaction(within: false)
        if hasChanges { scheduleAutosave() }
      }
    }
    try block()
    try save()
  }

  /// Processes pending changes: commits of others are merged as ``mergesChangesAutomatically`` says, and with
  /// ``autosaveEnabled`` a save is scheduled.
  public func processPendingChanges() {
    undo.endEvent()
    autosaveIfDue()
    merging.checkForCommitsAndCatchUp(self)
    if hasChanges { scheduleAutosave() }
  }
}
