/// The saves of a context that are under way, nested in each other: observers of notifications may save again, and so
/// may code that encodes values.
struct ActiveSaves {
  /// The number of saves under way.
  var depth = 0
  /// Whether observers of ``ModelContext/willSave`` are being notified.
  var isAnnouncing = false
  /// Whether a store is writing.
  var isWriting = false
  /// The changes by code that encodes values while a store is writing. It is unknown whether the store received them.
  var lateEdits: [(model: any PersistentModel, property: Int)] = []
  /// Additional work of a toolkit in the transactions of saves that change models.
  var companion: (any SaveCompanion)?
}

extension ModelContext {
  /// Counts a save as under way while it runs.
  func nesting<Result>(_ save: () throws -> Result) throws -> Result {
    guard !saves.isWriting else {
      throw SwiftDataError.reentrantOperation.explained(
        "save() was called while the same context writes its changes, from code that encodes values."
          + " What is pending is being saved; save what comes later afterwards.")
    }
    guard saves.depth < OperationDepth.limit else { throw OperationDepth.exceeded("save()") }
    saves.depth += 1
    defer { saves.depth -= 1 }
    return try save()
  }

  /// Runs the writing of changes by stores. Edits that are made meanwhile stay pending.
  func writing(_ save: () throws -> Void) throws {
    saves.isWriting = true
    updateRecording()
    defer {
      saves.isWriting = false
      updateRecording()
    }
    try save()
  }

  /// Called by a setter.
  func recordLateEdit(of model: any PersistentModel, at index: Int) {
    if saves.isWriting { saves.lateEdits.append((model, index)) }
  }

  /// Marks properties that were changed while the stores wrote as changed again. It is unknown whether the row has the
  /// value before or after the change, so no former value is kept, and the next fetch after a rollback reads the row.
  func markLateEdits() {
    guard !saves.lateEdits.isEmpty else { return }
    let edits = saves.lateEdits
    saves.lateEdits = []
    for (model, index) in edits {
      let state = model._$modelState
      guard state.link === link, !state.changes.contains(index) else { continue }
      state.changes.insert(index)
      state.generation = 0
      registerChange(of: model, state)
    }
  }
}
