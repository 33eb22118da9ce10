#if !canImport(ObjectiveC)
  import Foundation

  /// Steps that an ``UndoManager`` undoes together, the last one first.
  struct UndoGroup {
    struct Step {
      /// The group that the step is, for a nested one.
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

      func run() {
        if let group { group.run() } else { action() }
      }
    }

    var steps: [Step] = []
    var actionName = ""

    func run() {
      for step in steps.reversed() { step.run() }
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
    public static let NSUndoManagerWillUndoChange = Notification.Name(
      "NSUndoManagerWillUndoChangeNotification")
    public static let NSUndoManagerWillRedoChange = Notification.Name(
      "NSUndoManagerWillRedoChangeNotification")
    public static let NSUndoManagerDidUndoChange = Notification.Name(
      "NSUndoManagerDidUndoChangeNotification")
    public static let NSUndoManagerDidRedoChange = Notification.Name(
      "NSUndoManagerDidRedoChangeNotification")
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(
      "NSUndoManagerDidOpenUndoGroupNotification")
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(
      "NSUndoManagerWillCloseUndoGroupNotification")
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(
      "NSUndoManagerDidCloseUndoGroupNotification")
  }
#endif
