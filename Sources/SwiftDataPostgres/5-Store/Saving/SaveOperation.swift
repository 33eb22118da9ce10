import SwiftDataCore
import SwiftDataSQL

/// A save in progress, inside its transaction.
///
/// Inserted models get their row IDs before anything is written, because those that refer to them need the IDs;
/// keys are checked at the end. When the transaction fails, ``revert()`` removes the IDs again.
final class SaveOperation {
  let store: PostgresStore
  let connection: PostgresConnection
  let changes: StoreChanges
  /// The updated models that are written: without those whose changes the policy gives up.
  private(set) var updated: [any PersistentModel]
  /// The changed properties of models that keep the store's values.
  private(set) var kept: [ObjectIdentifier: Set<Int>] = [:]
  private(set) var discarded = DiscardedChanges()
  /// The rows that deletions by predicate and their delete rules deleted, by entity.
  private(set) var deletedRows: [String: [Int64]] = [:]
  /// Whether all rows of updates and deletions were locked before the first write.
  private(set) var hasLockedRows = false
  private var insertions: Insertions
  /// Whether stored rows with the unique values of inserted models are looked for in any case.
  private let looksForValues: Bool
  /// The changes for the history.
  let recording: HistoryRecording

  init(
    _ changes: StoreChanges, _ connection: PostgresConnection, _ recording: HistoryRecording,
    of store: PostgresStore, looksForValues: Bool
  ) {
    self.looksForValues = looksForValues
    self.changes = changes
    self.connection = connection
    self.store = store
    updated = changes.updated
    insertions = Insertions(changes.inserted)
    self.recording = recording
  }

  /// Whether stored rows with the unique values of inserted models needn't be looked for, because a failed save is run
  /// again.
  var mayExpectNewValues: Bool { !looksForValues }

  /// Whether inserted models of a class are expected to have new unique values.
  func expectsNewValues(of plan: EntityPlan) -> Bool {
    !looksForValues && store.newValues.expectsNewValues(of: plan)
  }

  /// The rows of all inserted models, and the outcomes of their insertions.
  var outcomes: [WriteOutcome] { insertions.outcomes }

  func run() throws {
    let rows = PostgresRowTransaction(connection: connection, store: store, recording: recording)
    try changes.companion?.begin(rows)
    try deleteByPredicate()
    try lockRows()
    try applyMergePolicy()
    try insertions.assignRowIDs(self)
    try unlink()
    let links = PairLinks(self)
    try links.remove(of: updated + changes.deleted)
    try delete()
    try update()
    try unlinkMissing()
    try insertions.write(self)
    try links.add(of: updated + changes.inserted)
    var positions = ListPositions()
    for model in updated + changes.inserted { positions.append(model, self) }
    try positions.write(self)
    try changes.companion?.end(rows)
  }

  /// Records updates whose rows were compared with the new values, in the order of the rows' IDs.
  ///
  /// - Parameters:
  ///   - results: The results of ``RowBatch/comparingUpdate(onlyDifferent:)`` of all batches.
  ///   - columns: The columns of the batches.
  func record(comparedIn results: [PostgresResult], _ columns: [Int], of plan: EntityPlan) {
    let rows = results.flatMap { result in
      (0..<result.rowCount).map { row in
        (
          rowID: result.integer(row, 0) ?? 0,
          changed: RowBatch.differences(result, row, of: columns, in: plan)
        )
      }
    }
    for row in rows.sorted(by: { $0.rowID < $1.rowID }) {
      recording.update([row.rowID], row.changed, of: plan)
    }
  }

  /// Marks the models again, after a transaction whose end wasn't known has turned out to be stored.
  func confirm() throws {
    try insertions.assignRowIDsAgain()
    for model in discarded.deletedInStore { model._$modelState.flags.insert(.rowDeleted) }
  }

  /// Removes the marks of a transaction that failed from the models.
  func revert() {
    for model in changes.inserted { model._$modelState.rowID = 0 }
    for model in discarded.deletedInStore { model._$modelState.flags.remove(.rowDeleted) }
  }

  @discardableResult
  func run(_ sql: String, _ values: [PostgresValue] = []) throws -> PostgresResult {
    try connection.run(PostgresCommand(PostgresStatementText.finished(sql), values))
  }

  /// Runs a statement whose result isn't needed, with the next one whose result is. Long lists aren't kept.
  func runLater(_ sql: String, _ values: [PostgresValue]) throws {
    try runLater(PostgresCommand(PostgresStatementText.finished(sql), values))
  }

  func runLater(_ command: PostgresCommand) throws {
    try connection.runLater(command)
    if case .list(let list) = command.values.first, list.count >= RowBatch.minimumCopied {
      try connection.sendDeferred()
    }
  }

  /// Runs `body`, which writes batches of rows. When a row has a unique value of another one that is yet to be written,
  /// all of them get placeholders, and `body` runs again.
  ///
  /// - Parameter batches: The batches; empty when no rows can exchange values.
  func exchanging<Result>(_ batches: [RowBatch], _ body: () throws -> Result) throws -> Result {
    let placeholders = batches.compactMap { batch in
      batch.placeholderUpdate.map { ($0, batch.values) }
    }
    guard !placeholders.isEmpty else { return try body() }
    try connection.sendDeferred()
    do { return try connection.transaction { try body() } } catch let error as StoreError
      where error.code == .notUnique
    {
      for (sql, values) in placeholders { try run(sql, values) }
      return try body()
    }
  }

  func plan(of model: any PersistentModel) throws -> EntityPlan {
    guard let plan = model._$modelState.plan else { throw SwiftDataError.missingModelContext }
    return plan
  }

  static func missingStoreRow(_ plan: EntityPlan, _ property: Int) -> SwiftDataError {
    SwiftDataError.missingModelContext.explained(
      "\(plan.name).\(plan.properties[property].name) leads to a model that is in no context."
        + " Insert it before saving.")
  }

  /// Leaves the models that are written, and records the changes that are given up.
  ///
  /// - Throws: ``MergeConflictError`` under the policy `error`.
  private func applyMergePolicy() throws {
    let policy = changes.mergePolicy
    // Changes made here win, and only they are written: the rows needn't be read.
    if [.deletionTrump, .propertyObjectTrump, .overwrite].contains(policy) { return }
    var comparison = RowComparison()
    let wanted = updated
    for model in wanted { comparison.append(model) }
    if policy == .error {
      for model in changes.deleted { comparison.append(model, isDeleted: true) }
    }
    let differences = try comparison.run(self)
    guard !differences.isEmpty else { return }
    if policy == .error {
      throw MergeConflictError(
        conflicts: (wanted + changes.deleted).compactMap {
          differences[ObjectIdentifier($0)]?.conflict($0)
        })
    }
    updated.removeAll()
    for model in wanted {
      guard let found = differences[ObjectIdentifier(model)] else {
        updated.append(model)
        continue
      }
      if found.stored == nil {
        discarded.deletedInStore.append(model)
      } else if policy == .rollback {
        discarded.dropped.append(model)
      } else {
        kept[ObjectIdentifier(model)] = Set(found.changed)
        discarded.partial.append(model)
        updated.append(model)
      }
    }
  }

  /// Locks the rows of deletions and updates, unless one statement writes all of them. Updates alone are written in the
  /// order of the rows where that is possible.
  private func lockRows() throws {
    guard !changes.deleted.isEmpty else { return }
    var locks = RowLocks()
    for model in changes.deleted {
      locks.append([model._$modelState.rowID], of: try plan(of: model))
    }
    var hasUpdates = false
    for model in updated {
      let plan = try plan(of: model)
      guard changesRow(of: model, plan) else { continue }
      locks.append([model._$modelState.rowID], of: plan)
      hasUpdates = true
    }
    guard hasUpdates || locks.tableCount > 1 else { return }
    try locks.take(self)
    hasLockedRows = true
  }

  // MARK: - Deletions

  /// Removes the links that updated models had, since a deletion must not follow them. The update writes those that
  /// they have now, which may need unique values that the deletions and other updates free.
  private func unlink() throws {
    guard !changes.deleted.isEmpty else { return }
    var rows: [String: [Int64]] = [:]
    for model in updated {
      let (state, plan) = (model._$modelState, try plan(of: model))
      let kept = kept[ObjectIdentifier(model)] ?? []
      for index in plan.relationships
      where state.changes.contains(index) && !kept.contains(index) {
        for column in plan.columnRanges[index] {
          // Not NULL: the update has to find another value than that of a model without a link.
          let update =
            "UPDATE \(SQLIdentifier.quoted(plan.table))"
            + " SET \(SQLIdentifier.quoted(plan.columns[column].name)) = \(UniquePlaceholders.noRow)"
            + " WHERE \(SQLIdentifier.rowID) = ANY (?)"
          rows[update, default: []].append(state.rowID)
        }
      }
    }
    for (update, rowIDs) in rows.sorted(by: { $0.key < $1.key }) {
      try runLater(update, [.integers(rowIDs)])
    }
  }

  /// Carries out the deletions by predicate. Updated models that had one of the rows aren't written.
  private func deleteByPredicate() throws {
    guard !changes.batchDeletions.isEmpty else { return }
    for (entity, rowIDs) in try store.delete(changes.batchDeletions, on: connection, recording) {
      deletedRows[entity, default: []] += rowIDs
    }
    guard !deletedRows.isEmpty else { return }
    let gone = deletedRows.mapValues { Set($0) }
    updated.removeAll { model in
      let state = model._$modelState
      return gone[state.plan?.name ?? ""]?.contains(state.rowID) ?? false
    }
  }

  /// Deletes the rows of the models.
  private func delete() throws {
    var rows: [String: Set<Int64>] = [:]
    for model in changes.deleted {
      rows[try plan(of: model).table, default: []].insert(model._$modelState.rowID)
    }
    var deletion = RowDeletion(store, on: connection, recording, following: .incoming)
    insertions.forget(try deletion.run(rows), self)
  }

  // MARK: - Updates

  /// Whether a property of an updated model has changed that has a column: an end of a relationship may have none.
  func changesRow(of model: any PersistentModel, _ plan: EntityPlan) -> Bool {
    model._$modelState.changes.indices.contains { !plan.columnRanges[$0].isEmpty }
  }

  /// Writes the changes of models: those of one class with the same changed properties together, in the order of the
  /// rows.
  private func update() throws {
    var updates = Updates()
    for model in Self.byRow(updated) where !model._$modelState.flags.contains(.rowDeleted) {
      try updates.append(model, self)
    }
    try write(updates)
  }

  private static func byRow(_ models: [any PersistentModel]) -> [any PersistentModel] {
    models.sorted { $0._$modelState.rowID < $1._$modelState.rowID }
  }

  /// Removes the links of updated models to those whose rows have turned out to be missing.
  private func unlinkMissing() throws {
    guard changes.mergePolicy == .deletionTrump, !discarded.deletedInStore.isEmpty else { return }
    updated.removeAll { $0._$modelState.flags.contains(.rowDeleted) }
    var updates = Updates()
    for model in Self.byRow(updated) {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      let leadsNowhere = plan.relationships.contains { index in
        guard state.changes.contains(index), case .one(let destination?) = model.links(at: index)
        else { return false }
        return destination._$modelState.flags.contains(.rowDeleted)
      }
      if leadsNowhere {
        try updates.append(model, linksOnly: true, self)
      }
    }
    try write(updates)
  }

  private func write(_ updates: Updates) throws {
    for model in try updates.write(self) {
      // Another program has deleted the row.
      if changes.mergePolicy == .deletionTrump {
        discarded.deletedInStore.append(model)
        model._$modelState.flags.insert(.rowDeleted)
      } else {
        insertions.restore(model)
      }
    }
  }
}
