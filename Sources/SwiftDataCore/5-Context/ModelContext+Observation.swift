/// Observers are notified of an operation's changes when all of them are in place. So whatever they do to the context,
/// they find it in a consistent state, and no statement of the store is under way.
extension ModelContext {
  /// Begins an operation that changes models by itself. ``endOperation()`` must follow.
  @inline(__always)
  func beginOperation() {
    operations += 1
    if let debugging { debugging.begin(in: self) }
  }

  /// Notifies observers of the operation's changes, when it was the outermost one.
  @inline(__always)
  func endOperation() {
    operations -= 1
    if let debugging { debugging.end(in: self) }
    if operations == 0, isRollbackDue || !pendingNotifications.isEmpty { concludeOperations() }
  }

  @inline(never)
  private func concludeOperations() {
    if isRollbackDue {
      isRollbackDue = false
      // The rollback notifies the observers in its turn.
      return rollback()
    }
    let notifications = pendingNotifications
    pendingNotifications = []
    var notified: Set<PendingNotification> = []
    for (model, property) in notifications
    where notified.insert(PendingNotification(model: ObjectIdentifier(model), property: property))
      .inserted
    {
      if let plan = model._$modelState.plan { model.notifyObservers(of: property, plan) }
    }
  }

  private struct PendingNotification: Hashable {
    let model: ObjectIdentifier
    let property: Int
  }

  /// Begins to read rows, whose values may be decoded by custom code.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` when that code has called back too often.
  @inline(__always)
  func beginReading() throws {
    guard readings < OperationDepth.limit else { throw OperationDepth.exceeded("Reading rows") }
    readings += 1
    readingCount &+= 1
  }

  @inline(__always)
  func endReading() { readings -= 1 }
}

extension PersistentModel {
  /// Changes the property at `index` from outside. Its observers are notified when the context's current operation
  /// ends, or immediately if none is under way.
  func replace(_ index: Int, _ plan: EntityPlan, _ change: (Self) -> Void) {
    change(self)
    let state = _$modelState
    guard state.isObserved else { return }
    if let context = state.context, context.operations > 0 {
      context.pendingNotifications.append((self, index))
    } else {
      notifyObservers(of: index, plan)
    }
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
