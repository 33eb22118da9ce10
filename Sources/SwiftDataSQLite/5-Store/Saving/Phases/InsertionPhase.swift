import SwiftDataCore

/// Writes the inserted models, each after the inserted models that it refers to: it needs their row IDs.
struct InsertionPhase {
  private let context: SaveContext
  private var inserters: ModelInserters
  private var thread = InsertionThread()
  private var written: InsertionOutcomes
  /// Models whose destinations are being written; visiting one again closes a cycle.
  private var begun: Set<ObjectIdentifier> = []
  /// Whether written models are held for others of their class, and so have no row IDs yet.
  private var isBuffering = false

  init(_ context: SaveContext) {
    self.context = context
    inserters = ModelInserters(context)
    written = InsertionOutcomes(of: context.changes.inserted)
  }

  /// The rows of all inserted models, and the outcomes of their insertions.
  var outcomes: [WriteOutcome] { written.all }

  /// Writes the models that haven't been written yet. Nothing else of the save runs meanwhile, so another thread may
  /// use the connection.
  mutating func run() throws {
    thread.isAllowed = context.ownsConnection
    for model in context.changes.inserted { try insert(model) }
    try writeBuffered()
    endThread()
    // Creates the indices that were postponed until the last row.
    for inserter in inserters.all { try inserter.table.finish() }
  }

  /// Ends the other thread. Call it before the transaction ends, whether by commit or rollback.
  mutating func endThread() { thread.end() }

  /// Writes a model after the inserted models that it refers to.
  mutating func insert(_ model: any PersistentModel) throws {
    let state = model._$modelState
    guard isWaiting(state) else { return }
    guard let plan = state.plan else { throw SwiftDataError.missingModelContext }
    let inserter = try inserters.inserter(of: plan)
    try chooseThread(for: inserter)
    // Most models refer to no model without a row.
    if try inserter.table.encode(model).isEmpty { return try put(model, state, inserter) }
    if thread.inserter != nil {
      try leaveThread()
      if try inserter.table.encode(model).isEmpty { return try put(model, state, inserter) }
    }
    try insertDestinations(of: model)
  }

  /// Whether a model of this save still has to be written.
  private func isWaiting(_ state: _ModelState) -> Bool {
    state.rowID == 0 && state.flags.contains(.inserted) && !state.flags.contains(.buffered)
  }

  private mutating func put(
    _ model: any PersistentModel, _ state: _ModelState, _ inserter: ModelInserter
  ) throws {
    inserter.models.append(model)
    state.flags.insert(.buffered)
    try record(inserter.table.put(), inserter)
    if !inserter.models.isEmpty { isBuffering = true }
  }

  /// Lets another thread write the next model if it is one of many of a class, which don't depend on each other.
  private mutating func chooseThread(for inserter: ModelInserter) throws {
    if let current = thread.inserter {
      if current === inserter { return }
      try leaveThread()
    }
    guard thread.isDue(for: inserter) else { return }
    try writeBuffered()
    thread.begin(for: inserter)
  }

  /// Returns to writing on this thread.
  private mutating func leaveThread() throws {
    try writeBuffered()
    thread.end()
  }

  /// Writes a model and, before it, the models that it refers to.
  private mutating func insertDestinations(of model: any PersistentModel) throws {
    var stack = [model]
    while let top = stack.last {
      let state = top._$modelState
      guard isWaiting(state) else {
        stack.removeLast()
        continue
      }
      let inserter = try inserters.inserter(of: try context.plan(of: top))
      let unresolved = try inserter.table.encode(top)
      if !unresolved.isEmpty, isBuffering {
        try writeBuffered()
        continue
      }
      if !unresolved.isEmpty, begun.insert(ObjectIdentifier(top)).inserted {
        let first = unresolved.map(\.destination).filter {
          isWaiting($0._$modelState) && context.isOwn($0) && !begun.contains(ObjectIdentifier($0))
        }
        if !first.isEmpty {
          stack += first.reversed()
          continue
        }
      }
      stack.removeLast()
      // Destinations still without a row are waiting for this model.
      for (property, destination) in unresolved {
        context.openReferences.append(
          SaveContext.OpenReference(owner: top, property: property, destination: destination))
      }
      try put(top, state, inserter)
    }
  }

  /// Writes the models that are held for others of their class.
  mutating func writeBuffered() throws {
    guard isBuffering else { return }
    if let inserter = thread.inserter { try record(inserter.table.writeBuffered(), inserter) }
    for inserter in inserters.all { try record(inserter.table.writeBuffered(), inserter) }
    isBuffering = false
  }

  private mutating func record(_ outcomes: [WriteOutcome], _ inserter: ModelInserter) throws {
    guard !outcomes.isEmpty else { return }
    for (model, outcome) in zip(inserter.models, outcomes) {
      let rowID = try outcome.rowID()
      let state = model._$modelState
      state.rowID = rowID
      state.flags.remove(.buffered)
      written.record(outcome, of: model)
    }
    inserter.models.removeFirst(outcomes.count)
  }
}
