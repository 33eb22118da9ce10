import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// A save in progress, inside its transaction.
///
/// Inserted models get their row IDs immediately, because models that refer to them need the IDs; when the transaction
/// fails, ``revert()`` removes them again.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class SaveOperation {
  let connection: Connection
  let store: DefaultStore
  /// The models to insert.
  private let inserted: [any PersistentModel]
  /// Whether only this save uses the connection while it runs: false for a store in memory and for a migration's stage.
  private let ownsConnection: Bool
  /// Whether the save inserts enough models for indices to be created after the last row.
  let isLarge: Bool
  /// Models whose destinations are being written; visiting one again closes a cycle.
  @exclusivity(unchecked) private var begun: Set<ObjectIdentifier> = []
  /// The outcomes of insertions that met existing rows.
  @exclusivity(unchecked) private var matchedInsertions: [ObjectIdentifier: WriteOutcome] = [:]
  /// The treatment of models whose rows others have changed.
  @exclusivity(unchecked) var policy = MergePolicy.deletionTrump
  /// The changes that the policy gave up.
  @exclusivity(unchecked) var discarded = DiscardedChanges()
  /// Changed properties that keep the store's values, by model.
  @exclusivity(unchecked) var kept: [ObjectIdentifier: Set<Int>] = [:]
  /// The commit after which the rows of models were read, if they are unchanged since; nil when that isn't known.
  @exclusivity(unchecked) var present: UInt64?
  /// Whether changed links were set to NULL before the deletions.
  @exclusivity(unchecked) var hasUnlinked = false
  @exclusivity(unchecked) private var writers: [ObjectIdentifier: ModelInserter] = [:]
  @exclusivity(unchecked) private var lastWriter: ModelInserter?
  /// Whether written models are held for others of their class, and so have no row IDs yet.
  @exclusivity(unchecked) private var isBuffering = false
  /// The outcomes of insertions, as long as they arrive in the order of the models.
  @exclusivity(unchecked) private var results: [WriteOutcome] = []
  /// The number of models of one class inserted since another class's.
  @exclusivity(unchecked) private var run = 0
  @exclusivity(unchecked) private var runWriter: ModelInserter?
  @exclusivity(unchecked) private var pipelined: ModelInserter?
  /// Whether another thread may write models: only during insertions, and until this thread has to write one of them.
  @exclusivity(unchecked) private var allowsPipeline = false
  /// The updated models, by position, that refer to new ones: they are written after the others, which may have to give
  /// up unique values that the new models need.
  @exclusivity(unchecked) var leadingToNew: [Int] = []
  /// Whether ``leadingToNew`` collects models; otherwise they are written.
  @exclusivity(unchecked) var defersNew = false
  @exclusivity(unchecked) var updates: [ObjectIdentifier: RowUpdater] = [:]
  @exclusivity(unchecked) var lastUpdating: RowUpdater?
  /// References that were left empty because their destination is written later: they complete a cycle.
  @exclusivity(unchecked) var open:
    [(owner: any PersistentModel, property: Int, destination: any PersistentModel)] = []

  init(connection: Connection, store: DefaultStore, inserted: [any PersistentModel]) {
    self.connection = connection
    self.store = store
    self.inserted = inserted
    ownsConnection = !store.location.isInMemory && store.stage == nil
    isLarge = ownsConnection && inserted.count >= DeferredIndices.minimumRows
  }

  func revert() {
    for model in inserted {
      model._$modelState.rowID = 0
      model._$modelState.flags.remove(.buffered)
    }
    // Under other policies the flag isn't set before the save is done.
    for model in discarded.deletedInStore { model._$modelState.flags.remove(.rowDeleted) }
  }

  /// The rows of all inserted models, and the outcomes of their insertions.
  var insertions: [WriteOutcome] {
    if results.count == inserted.count { return results }
    return inserted.map { model in
      // Most saves meet no existing rows, and looking up each model costs as much as encoding it.
      let matched = matchedInsertions.isEmpty ? nil : matchedInsertions[ObjectIdentifier(model)]
      return matched ?? .inserted(model._$modelState.rowID)
    }
  }

  /// Whether a model of this save still has to be written.
  private func isWaiting(_ state: _ModelState) -> Bool {
    state.rowID == 0 && state.flags.contains(.inserted) && !state.flags.contains(.buffered)
  }

  func plan(of model: any PersistentModel) throws -> EntityPlan {
    guard let plan = model._$modelState.plan else { throw SwiftDataError.missingModelContext }
    return plan
  }

  /// Whether a model belongs to the context being saved.
  func isOwn(_ model: any PersistentModel) -> Bool {
    model._$modelState.link === inserted.first?._$modelState.link
  }

  private func writer(_ plan: EntityPlan) throws -> ModelInserter {
    if let lastWriter, lastWriter.table.plan === plan { return lastWriter }
    let writer =
      try writers[ObjectIdentifier(plan)]
      ?? ModelInserter(
        TableWriter(
          connection: connection, statements: try store.statements(of: plan), needsRowIDs: true,
          defersIndices: isLarge))
    writers[ObjectIdentifier(plan)] = writer
    lastWriter = writer
    return writer
  }

  // MARK: Insertions

  /// Writes a model after the inserted models that it refers to: it needs their row IDs.
  func insert(_ model: any PersistentModel) throws {
    let state = model._$modelState
    guard isWaiting(state) else { return }
    guard let plan = state.plan else { throw SwiftDataError.missingModelContext }
    let writer = try writer(plan)
    try chooseThread(for: writer)
    // Most models refer to no model without a row.
    if try writer.table.encode(model).isEmpty { return try put(model, state, writer) }
    if pipelined != nil {
      try stopPipeline()
      if try writer.table.encode(model).isEmpty { return try put(model, state, writer) }
    }
    try insertDestinations(of: model)
  }

  private func put(
    _ model: any PersistentModel, _ state: _ModelState, _ writer: ModelInserter
  ) throws {
    writer.models.append(model)
    state.flags.insert(.buffered)
    try record(writer.table.put(), writer)
    if !writer.models.isEmpty { isBuffering = true }
  }

  /// Lets another thread write the next model if it is one of many of a class, which don't depend on each other.
  private func chooseThread(for writer: ModelInserter) throws {
    if let pipelined {
      if pipelined === writer { return }
      try stopPipeline()
    }
    guard allowsPipeline else { return }
    run = runWriter === writer ? run + 1 : 0
    runWriter = writer
    guard run == RowPipeline.start, writer.table.canPipeline else { return }
    try writeBuffered()
    writer.table.startPipeline()
    pipelined = writer
  }

  /// Returns to writing on this thread.
  private func stopPipeline() throws {
    try writeBuffered()
    endPipeline()
    allowsPipeline = false
  }

  /// Begins the insertions: until ``finishInsertions()`` only ``insert(_:)`` is called, so another thread may use the
  /// connection meanwhile.
  func beginInsertions() {
    allowsPipeline = ownsConnection
  }

  /// Ends the other thread. Call it before the transaction ends, whether by commit or rollback.
  func endPipeline() {
    pipelined?.table.endPipeline()
    pipelined = nil
  }

  /// Writes a model and, before it, the models that it refers to.
  private func insertDestinations(of model: any PersistentModel) throws {
    var stack = [model]
    while let top = stack.last {
      let state = top._$modelState
      guard isWaiting(state) else {
        stack.removeLast()
        continue
      }
      let writer = try writer(try plan(of: top))
      let unresolved = try writer.table.encode(top)
      if !unresolved.isEmpty, isBuffering {
        try writeBuffered()
        continue
      }
      if !unresolved.isEmpty, begun.insert(ObjectIdentifier(top)).inserted {
        let first = unresolved.map(\.destination).filter {
          isWaiting($0._$modelState) && isOwn($0) && !begun.contains(ObjectIdentifier($0))
        }
        if !first.isEmpty {
          stack += first.reversed()
          continue
        }
      }
      stack.removeLast()
      // Destinations still without a row are waiting for this model.
      for (property, destination) in unresolved { open.append((top, property, destination)) }
      try put(top, state, writer)
    }
  }

  /// Writes the models that are held for others of their class.
  func writeBuffered() throws {
    guard isBuffering else { return }
    if let pipelined { try record(pipelined.table.writeBuffered(), pipelined) }
    for writer in writers.values { try record(writer.table.writeBuffered(), writer) }
    isBuffering = false
  }

  /// Writes the held models, and creates the indices that were postponed until the last row.
  func finishInsertions() throws {
    try writeBuffered()
    endPipeline()
    allowsPipeline = false
    for writer in writers.values { try writer.table.finish() }
  }

  private func record(_ written: [WriteOutcome], _ writer: ModelInserter) throws {
    guard !written.isEmpty else { return }
    for (model, outcome) in zip(writer.models, written) {
      let rowID = try outcome.rowID()
      let state = model._$modelState
      state.rowID = rowID
      state.flags.remove(.buffered)
      if !outcome.isInserted { matchedInsertions[ObjectIdentifier(model)] = outcome }
      if results.count < inserted.count, inserted[results.count] === model {
        results.append(outcome)
      }
    }
    writer.models.removeFirst(written.count)
  }

  func resolveCycles() throws {
    for (owner, property, destination) in open {
      let plan = try plan(of: owner)
      let rowID = destination._$modelState.rowID
      guard rowID != 0 else { throw Self.missingStoreRow(plan, property) }
      let sql = try store.statements(of: plan).update(
        columns: Array(plan.properties[property].columns))
      let statement = try connection.statement(sql)
      try statement.bind([.integer(rowID), .integer(owner._$modelState.rowID)])
      try statement.run()
    }
  }
}

/// The insertions of one class.
private final class ModelInserter {
  let table: TableWriter
  /// The models being written. Changed in place by code that calls no other code.
  @exclusivity(unchecked) var models: [any PersistentModel] = []

  init(_ table: TableWriter) { self.table = table }
}
