import Foundation

/// The registrations of a context with its undo manager, and the removed models that undoing can bring back.
///
/// Undo actions are recorded effect by effect: an attribute that got another value, one end of a relationship that got
/// or lost destinations, a model that was added or removed. Undoing restores the former state, effect by effect in
/// reverse order, without applying delete rules, property observers or changes of other ends: their effects have
/// records of their own. Every effect records its own opposite, which makes redo possible. Observation is notified of
/// all of it.
///
/// The context asks ``ModelContext/recordsUndo`` before it calls a method that records.
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
