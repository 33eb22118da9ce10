/// The second thread of a save, which writes many models of one class while the save encodes the next ones.
struct InsertionThread {
  /// Whether there may be one: only during the insertions, and until the save's own thread has to write a model again.
  var isAllowed = false
  /// The class whose models the thread writes; nil without a thread.
  private(set) var inserter: ModelInserter?
  private var run = InsertionRun()

  /// Whether the next model, of the class of `inserter`, is a reason to begin the thread.
  mutating func isDue(for inserter: ModelInserter) -> Bool {
    guard isAllowed else { return false }
    run.append(ObjectIdentifier(inserter))
    return run.length == RowPipeline.start && inserter.table.canPipeline
  }

  /// Begins the thread. No models may be held back.
  mutating func begin(for inserter: ModelInserter) {
    inserter.table.startPipeline()
    self.inserter = inserter
  }

  /// Ends the thread for the rest of the save.
  mutating func end() {
    isAllowed = false
    inserter?.table.endPipeline()
    inserter = nil
  }
}

/// The number of successive models of one class.
struct InsertionRun {
  /// The number of models of the last model's class directly before it.
  private(set) var length = 0
  private var last: ObjectIdentifier?

  /// - Parameter kind: Identifies the next model's class.
  mutating func append(_ kind: ObjectIdentifier) {
    length = kind == last ? length + 1 : 0
    last = kind
  }
}
