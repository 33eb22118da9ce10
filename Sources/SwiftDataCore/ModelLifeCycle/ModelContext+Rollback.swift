extension ModelContext {
  /// Drops insertions and deletions, and gives changed models their committed values back.
  public func rollback() {
    undoManager?.removeAllActions()
    absences.removeAll()
    refusedInsertions.removeAll()
    batchDeletions.removeAll()
    droppedClasses.removeAll()
    for model in inserted.models {
      model._$modelState.flags = []
      model._$modelState.link = nil
    }
    inserted.removeAll()
    let returning = deleted.models
    deleted.removeAll()
    for model in returning {
      model._$modelState.flags.remove(.deleted)
      if !model._$modelState.changes.isEmpty { changed.insert(model) }
    }
    for model in changed.models { restore(model) }
    changed.removeAll()
    unloadLinks()
    catchUp(withHeldBack: true)
  }

  private func restore<Model: PersistentModel>(_ model: Model) {
    let state = model._$modelState
    state.flags.remove(.changed)
    let indices = state.changes.indices
    state.changes = ChangeMask()
    state.linkChanges = []
    guard state.rowID != 0, let plan = state.plan else { return }
    defer { state.forgetFormer() }
    for index in indices {
      if plan.properties[index].relationship != nil, plan.properties[index].columns.isEmpty {
        // The store still has it as it was.
        model.replace(index, plan) { $0._$clear(index) }
        continue
      }
      state.former(of: index)?.read(plan: plan, state: state, property: index, column: 0) {
        reader in
        model.replace(index, plan) { model in
          // The bytes are the model's own encoding, so decoding them back can't fail.
          do { try model._$decode(index, from: &reader) } catch {
            StandardError.write("ModelContext.rollback: \(error)")
          }
        }
      }
    }
  }

  /// Runs `block`, then saves. When either throws, the error passes on and the changes stay pending.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }

  /// Completes the book-keeping of pending changes: what others have committed is taken over as
  /// ``mergesChangesAutomatically`` says, and with ``autosaveEnabled`` a save is scheduled.
  public func processPendingChanges() {
    endUndoEvent()
    lookAndCatchUp()
    if hasChanges { scheduleAutosave() }
  }
}

extension PersistentModel {
  /// Changes the property at `index` from outside, telling its observers.
  func replace(_ index: Int, _ plan: EntityPlan, _ change: (Self) -> Void) {
    let state = _$modelState
    guard state.isObserved else { return change(self) }
    // An inherited property is observed by a key path of the superclass.
    let type = ModelInheritance.declaringClass(of: index, in: plan.type)
    func notify<Root: PersistentModel, Value>(_ root: Root.Type, _ value: Value.Type) {
      guard let keyPath = plan.properties[index].keyPath as? KeyPath<Root, Value>,
        let model = self as? Root
      else { return change(self) }
      state.withMutation(of: model, keyPath: keyPath) { change(self) }
    }
    func open<Root: PersistentModel>(_ root: Root.Type) {
      func openValue<Value>(_ value: Value.Type) { notify(root, value) }
      _openExistential(plan.properties[index].valueType, do: openValue)
    }
    open(type)
  }
}
