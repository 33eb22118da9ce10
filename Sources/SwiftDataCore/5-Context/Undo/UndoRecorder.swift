import Foundation

/// The undo manager of a context, and the removed models that undoing can bring back.
final class UndoRecorder {
  /// nil records nothing.
  var manager: UndoManager?
  /// The deleted models that undoing can bring back.
  var removedStates = RemovedModelStates()

  /// Whether the manager takes registrations now.
  var isEnabled: Bool { manager?.isUndoRegistrationEnabled == true }

  /// Ends the group of changes that opened by itself. With Foundation's own manager the run loop does that.
  func endEvent() {
    #if !canImport(ObjectiveC)
      manager?.endEvent()
    #endif
  }

  /// Drops all that was recorded.
  func removeAll() {
    manager?.removeAllActions()
    removedStates.removeAll()
  }
}
