#if !canImport(ObjectiveC)
  import Foundation

  /// Records actions that undo changes, in groups, and carries them out.
  ///
  /// Foundation's class of this name exists on Apple's systems only; this one replaces it elsewhere and behaves the
  /// same, with one difference: there is no run loop that could close a group at the end of an event. With
  /// ``groupsByEvent`` a group opens by itself at the first registration, as in Foundation, and closes at the next of
  /// these calls: ``undo()``, `processPendingChanges()` or `save()` of a context that has the manager, or
  /// ``endUndoGrouping()``. Programs that want a step for each action begin and end groups themselves.
  ///
  /// A registration doesn't keep its target alive. A manager belongs to one isolation, like the context that it works
  /// for.
  open class UndoManager {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The groups that are open, outermost first.
    private var open: [UndoGroup] = []
    private var disabledCount = 0
    private var isOpenByEvent = false
    private var direction = Direction.normal
    /// The steps of the undo or redo under way that haven't been carried out, the next one last; nil outside of one.
    /// A property, as are the groups below, because handlers and observers may remove actions meanwhile.
    private var pending: [UndoGroup.Step]?
    /// The groups that were open when the undo or redo under way began, outermost first.
    private var outer: [UndoGroup] = []
    private var isOuterOpenByEvent = false

    private enum Direction {
      case normal, undoing, redoing
    }

    /// Creates a manager without actions.
    public init() {}

    // MARK: Recording

    /// Records `handler` as the undo of the action under way. During an undo it becomes the redo, and vice versa.
    ///
    /// - Parameters:
    ///   - target: The object that the handler is called with. It isn't kept alive: if it has been destroyed, the step
    ///     does nothing.
    ///   - handler: The action that undoes the change.
    public func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      // Where Foundation raises an exception (no group is open, and none may open by itself), the step is a group of
      // its own.
      let isOwnGroup = open.isEmpty && !groupsByEvent
      defer { if isOwnGroup { endUndoGrouping() } }
      if open.isEmpty {
        isOpenByEvent = !isOwnGroup
        beginUndoGrouping()
      }
      if open.isEmpty {
        // An observer of the opening has closed the group again.
        open.append(UndoGroup())
        isOpenByEvent = !isOwnGroup
      }
      open[open.count - 1].steps.append(
        UndoGroup.Step(target: target) { [weak target] in
          if let target { handler(target) }
        })
      guard direction == .normal, !redoStack.isEmpty else { return }
      let dropped = redoStack
      redoStack = []
      release(of: dropped)
    }

    /// Releases dropped groups. Objects that only their actions hold may use the manager when they end, so it must not
    /// be called while one of its properties is being changed.
    private func release(of dropped: [UndoGroup]...) { withExtendedLifetime(dropped) {} }

    /// Whether registrations are recorded.
    open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Stops recording until ``enableUndoRegistration()`` has been called the same number of times.
    open func disableUndoRegistration() { disabledCount += 1 }

    /// Reverts one ``disableUndoRegistration()``; without one it does nothing.
    open func enableUndoRegistration() { disabledCount = max(0, disabledCount - 1) }

    // MARK: Groups

    /// Whether a group opens by itself at the first registration.
    open var groupsByEvent = true

    /// The number of open groups.
    open var groupingLevel: Int { open.count }

    /// Opens a group: actions that are registered until its end are undone together. Groups nest.
    open func beginUndoGrouping() {
      open.append(UndoGroup())
      if direction == .normal { post(.NSUndoManagerDidOpenUndoGroup) }
    }

    /// Closes the innermost group. Without an open group it does nothing.
    open func endUndoGrouping() {
      guard !open.isEmpty else { return }
      post(.NSUndoManagerCheckpoint)
      if direction == .normal { post(.NSUndoManagerWillCloseUndoGroup) }
      guard closeInnermost() else { return }
      if direction == .normal { post(.NSUndoManagerDidCloseUndoGroup) }
    }

    /// - Returns: False when no group is open.
    private func closeInnermost() -> Bool {
      guard let group = open.popLast() else { return false }
      if open.isEmpty {
        isOpenByEvent = false
        push(group)
      } else if !group.steps.isEmpty {
        open[open.count - 1].steps.append(.init(group: group))
        if open[open.count - 1].actionName.isEmpty {
          open[open.count - 1].actionName = group.actionName
        }
      }
      return true
    }

    private func push(_ group: UndoGroup) {
      guard !group.steps.isEmpty else { return }
      if direction == .undoing {
        redoStack.append(group)
      } else {
        undoStack.append(group)
        dropSurplus()
      }
    }

    /// The maximum number of outermost groups to keep; the oldest are dropped first. 0 for no limit.
    open var levelsOfUndo = 0 {
      didSet { dropSurplus() }
    }

    private func dropSurplus() {
      guard levelsOfUndo > 0, max(undoStack.count, redoStack.count) > levelsOfUndo else { return }
      let (undone, redone) = (undoStack, redoStack)
      undoStack = Array(undone.suffix(levelsOfUndo))
      redoStack = Array(redone.suffix(levelsOfUndo))
      release(of: undone, redone)
    }

    /// Closes the group that opened by itself, like the end of an event in a program with a run loop.
    package func endEvent() {
      if isOpenByEvent, open.count == 1 { endUndoGrouping() }
    }

    // MARK: Undoing

    /// Whether there is an action to undo.
    open var canUndo: Bool { !undoStack.isEmpty || open.first.map { !$0.steps.isEmpty } ?? false }
    /// Whether there is an action to redo.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }
    /// Whether an undo is under way.
    open var isUndoing: Bool { direction == .undoing }
    /// Whether a redo is under way.
    open var isRedoing: Bool { direction == .redoing }

    /// Closes the open groups, then undoes the last outermost group. (Foundation raises an exception when more than one
    /// is open.)
    open func undo() {
      guard pending == nil else { return }
      // An observer of a group's end may open another group, which stays open.
      for _ in open { endUndoGrouping() }
      post(.NSUndoManagerCheckpoint)
      if let group = undoStack.popLast() { undo(group) }
    }

    private func undo(_ group: UndoGroup) {
      run(
        group, as: .undoing, before: .NSUndoManagerWillUndoChange,
        after: .NSUndoManagerDidUndoChange)
    }

    /// Undoes the last group: the last one nested in the innermost open group or, when no group is open, the last
    /// outermost one.
    open func undoNestedGroup() {
      guard pending == nil else { return }
      post(.NSUndoManagerCheckpoint)
      let group: UndoGroup
      if let nested = open.last?.steps.last?.group {
        open[open.count - 1].steps.removeLast()
        group = nested
      } else if open.isEmpty, let last = undoStack.popLast() {
        group = last
      } else {
        return
      }
      undo(group)
    }

    /// Repeats the changes that were undone last. During an undo or a redo, from its announcement on, this and undoing
    /// do nothing.
    open func redo() {
      guard pending == nil else { return }
      post(.NSUndoManagerCheckpoint)
      guard let group = redoStack.popLast() else { return }
      run(
        group, as: .redoing, before: .NSUndoManagerWillRedoChange,
        after: .NSUndoManagerDidRedoChange)
    }

    private func run(
      _ group: UndoGroup, as direction: Direction, before: Notification.Name,
      after: Notification.Name
    ) {
      pending = group.steps
      post(before)
      // Observers of models are notified of the group's changes when all of them are in place.
      let contexts = group.contexts
      contexts.forEach { $0.beginOperation() }
      defer { contexts.forEach { $0.endOperation() } }
      self.direction = direction
      (outer, isOuterOpenByEvent) = (open, isOpenByEvent)
      (open, isOpenByEvent) = ([], false)
      beginUndoGrouping()
      if !open.isEmpty { open[0].actionName = group.actionName }
      runPending()
      for _ in open { endUndoGrouping() }
      // An observer of such an end may have opened another group, which was closed instead.
      while closeInnermost() {}
      (open, isOpenByEvent) = (outer, isOuterOpenByEvent)
      (outer, isOuterOpenByEvent) = ([], false)
      pending = nil
      self.direction = .normal
      post(after)
    }

    /// Carries out the pending steps, those of nested groups in their place.
    private func runPending() {
      while let step = pending?.popLast() {
        if let nested = step.group {
          pending?.append(contentsOf: nested.steps)
        } else {
          step.run()
        }
      }
    }

    /// Drops all recorded actions, those that the undo or redo under way has still to carry out included, and closes
    /// open groups.
    open func removeAllActions() {
      isOpenByEvent = false
      isOuterOpenByEvent = false
      disabledCount = 0
      replaceGroups { _ in [] }
    }

    /// Drops the actions that were registered with `target`, also of the undo or redo under way.
    open func removeAllActions(withTarget target: Any) {
      let target = target as AnyObject
      replaceGroups { groups in groups.map { $0.without(target) } }
    }

    /// Replaces the groups of both stacks, the open groups, and the steps of the undo or redo under way.
    private func replaceGroups(_ rest: ([UndoGroup]) -> [UndoGroup]) {
      let former = (undoStack, redoStack, open, outer)
      let steps = UndoGroup(steps: pending ?? [])
      undoStack = rest(former.0).filter { !$0.steps.isEmpty }
      redoStack = rest(former.1).filter { !$0.steps.isEmpty }
      open = rest(former.2)
      outer = rest(former.3)
      if pending != nil { pending = rest([steps]).flatMap(\.steps) }
      release(of: former.0, former.1, former.2, former.3, [steps])
    }

    // MARK: Names

    /// Sets the name of the action under way, for menus.
    open func setActionName(_ actionName: String) {
      if !open.isEmpty {
        open[open.count - 1].actionName = actionName
      } else if !undoStack.isEmpty {
        undoStack[undoStack.count - 1].actionName = actionName
      }
    }

    /// The name of the action that ``undo()`` would undo, empty without one.
    open var undoActionName: String {
      (open.first.flatMap { $0.steps.isEmpty ? nil : $0 } ?? undoStack.last)?.actionName ?? ""
    }
    /// The name of the action that ``redo()`` would repeat.
    open var redoActionName: String { redoStack.last?.actionName ?? "" }
    /// The title of the command that undoes the last action.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// The title of the command that redoes the last undone action.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the title of the command that undoes an action.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }
    /// Returns the title of the command that redoes an action.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    /// The notifications that are being posted. An observer may cause the same notification again, which isn't posted
    /// then.
    private var posting: Set<Notification.Name> = []

    private func post(_ name: Notification.Name) {
      guard posting.insert(name).inserted else { return }
      defer { posting.remove(name) }
      NotificationCenter.default.post(name: name, object: self)
    }
  }
#endif
