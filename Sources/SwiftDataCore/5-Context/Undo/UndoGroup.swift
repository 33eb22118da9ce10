#if !canImport(ObjectiveC)
  import Foundation

  /// Steps that an ``UndoManager`` undoes together, the last one first.
  struct UndoGroup {
    struct Step {
      /// The nested group that the step consists of; nil for an action.
      let group: UndoGroup?
      private(set) weak var target: AnyObject?
      private let action: () -> Void

      init(target: AnyObject, action: @escaping () -> Void) {
        group = nil
        self.target = target
        self.action = action
      }

      init(group: UndoGroup) {
        self.group = group
        action = {}
      }

      /// Carries out the action; a nested group has none.
      func run() { action() }
    }

    var steps: [Step] = []
    var actionName = ""

    /// The contexts whose changes are in the group.
    var contexts: [ModelContext] {
      var found: [ModelContext] = []
      for step in steps {
        let more = step.group?.contexts ?? (step.target as? ModelContext).map { [$0] } ?? []
        for context in more where !found.contains(where: { $0 === context }) {
          found.append(context)
        }
      }
      return found
    }

    /// The group without the steps of `target`.
    func without(_ target: AnyObject) -> UndoGroup {
      var group = self
      group.steps = steps.compactMap { step in
        if let nested = step.group {
          let rest = nested.without(target)
          return rest.steps.isEmpty ? nil : Step(group: rest)
        }
        return step.target === target ? nil : step
      }
      return group
    }
  }

  extension Notification.Name {
    /// Posted when a group opens or closes, and by undo, redo and ``UndoManager/canRedo``.
    public static let NSUndoManagerCheckpoint = Notification.Name(
      "NSUndoManagerCheckpointNotification")
    /// Posted before an undo.
    public static let NSUndoManagerWillUndoChange = Notification.Name(
      "NSUndoManagerWillUndoChangeNotification")
    /// Posted before a redo.
    public static let NSUndoManagerWillRedoChange = Notification.Name(
      "NSUndoManagerWillRedoChangeNotification")
    /// Posted after an undo.
    public static let NSUndoManagerDidUndoChange = Notification.Name(
      "NSUndoManagerDidUndoChangeNotification")
    /// Posted after a redo.
    public static let NSUndoManagerDidRedoChange = Notification.Name(
      "NSUndoManagerDidRedoChangeNotification")
    /// Posted after a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(
      "NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group is closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(
      "NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(
      "NSUndoManagerDidCloseUndoGroupNotification")
  }
#endif
