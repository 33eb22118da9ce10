/// The saves of a context that are under way, nested in each other: observers of notifications may save again, and so
/// may code that encodes values.
struct ActiveSaves {
  /// The number of saves under way.
  private(set) var depth = 0
  /// Whether observers of ``ModelContext/willSave`` are being notified.
  var isAnnouncing = false
  /// Whether a store is writing.
  var isWriting = false
  /// Additional work of a toolkit in the transactions of saves that change models.
  var companion: SaveCompanion?
  /// The changes by code that encodes values while a store is writing. It is unknown whether the store received them.
  private var lateEdits: [(model: any PersistentModel, property: Int)] = []

  /// Counts a save as under way. ``end()`` must follow.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` while a store is writing, and for saves nested without end.
  mutating func begin() throws {
    guard !isWriting else {
      throw SwiftDataError.reentrantOperation.explained(
        "save() was called while the same context writes its changes, from code that encodes values."
          + " What is pending is being saved; save what comes later afterwards.")
    }
    guard depth < OperationDepth.limit else { throw OperationDepth.exceeded("save()") }
    depth += 1
  }

  mutating func end() { depth -= 1 }

  /// Records an edit, if a store is writing.
  mutating func recordEdit(of model: any PersistentModel, at property: Int) {
    if isWriting { lateEdits.append((model, property)) }
  }

  /// Removes and returns the edits that were made while a store was writing.
  mutating func consumeLateEdits() -> [(model: any PersistentModel, property: Int)] {
    defer { lateEdits = [] }
    return lateEdits
  }
}
