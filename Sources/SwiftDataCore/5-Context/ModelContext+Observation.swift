/// Operations of the context, see ``ContextOperations``.
extension ModelContext {
  /// Begins an operation that changes models by itself. ``endOperation()`` must follow.
  @inline(__always)
  func beginOperation() {
    operations.begin()
    if let debugging { debugging.begin(in: self) }
  }

  /// Notifies observers of the operation's changes, when it was the outermost one.
  @inline(__always)
  func endOperation() {
    let isConcluded = operations.end()
    if let debugging { debugging.end(in: self) }
    if isConcluded { concludeOperations() }
  }

  @inline(never)
  private func concludeOperations() {
    let unloaded = operations.consumeUnloadedLists()
    if !unloaded.isEmpty {
      // An operation of its own, at whose end observers are notified of all changes.
      beginOperation()
      defer { endOperation() }
      return compare(unloaded)
    }
    if operations.isRollbackDue {
      operations.isRollbackDue = false
      // The rollback notifies the observers in its turn.
      return rollback()
    }
    for (model, property) in operations.consumeNotifications() {
      if let plan = model._$modelState.plan { model.notifyObservers(of: property, plan) }
    }
  }

  /// Begins to read rows, whose values may be decoded by custom code.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` when that code has called back too often.
  @inline(__always)
  func beginReading() throws {
    try operations.beginReading()
  }

  @inline(__always)
  func endReading() { operations.endReading() }
}

extension PersistentModel {
  /// Changes the property at `index` from outside. Its observers are notified when the context's current operation
  /// ends, or immediately if none is under way.
  func replace(_ index: Int, _ plan: EntityPlan, _ change: (Self) -> Void) {
    change(self)
    let state = _$modelState
    guard state.isObserved else { return }
    if let context = state.context, context.operations.recordChange(of: self, at: index) { return }
    notifyObservers(of: index, plan)
  }

  /// Notifies the observers of the property at `index` that it has changed.
  fileprivate func notifyObservers(of index: Int, _ plan: EntityPlan) {
    let state = _$modelState
    // An inherited property is observed by a key path of the superclass.
    let type = ModelInheritance.declaringClass(of: index, in: plan.type)
    func notify<Root: PersistentModel, Value>(_ root: Root.Type, _ value: Value.Type) {
      guard let keyPath = plan.properties[index].keyPath as? KeyPath<Root, Value>,
        let model = self as? Root
      else { return }
      state.withMutation(of: model, keyPath: keyPath) {}
    }
    func open<Root: PersistentModel>(_ root: Root.Type) {
      func openValue<Value>(_ value: Value.Type) { notify(root, value) }
      _openExistential(plan.properties[index].valueType, do: openValue)
    }
    open(type)
  }
}
