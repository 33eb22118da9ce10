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
  private var insertions: Insertions
  /// The changes for the history.
  let recording: HistoryRecording

  init(
    _ changes: StoreChanges, _ connection: PostgresConnection, _ recording: HistoryRecording,
    of store: PostgresStore
  ) {
    self.changes = changes
    self.connection = connection
    self.store = store
    updated = changes.updated
    insertions = Insertions(changes.inserted)
    self.recording = recording
  }

  /// The rows of all inserted models, and the outcomes of their insertions.
  var outcomes: [WriteOutcome] { insertions.outcomes }

  func run() throws {
    try applyMergePolicy()
    try insertions.assignRowIDs(self)
    // References first: a deletion must not follow a link that this save removes.
    try update(references: true)
    let links = PairLinks(self)
    try links.remove(of: updated + changes.deleted)
    if !changes.deleted.isEmpty {
      var deletions = Deletions(self)
      try deletions.run(changes.deleted)
    }
    try update(references: false)
    try insertions.write(self)
    try links.add(of: updated + changes.inserted)
  }

  /// Records updates whose rows were compared with the new values.
  func record(_ batch: RowBatch, comparedIn result: PostgresResult) {
    let rows = (0..<result.rowCount).map { (rowID: result.integer($0, 0) ?? 0, row: $0) }
      .sorted { $0.rowID < $1.rowID }
    for (rowID, row) in rows {
      recording.update([rowID], batch.differences(result, row), of: batch.plan)
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
    for model in changes.updated { comparison.append(model) }
    if policy == .error {
      for model in changes.deleted { comparison.append(model, isDeleted: true) }
    }
    let differences = try comparison.run(self)
    guard !differences.isEmpty else { return }
    if policy == .error {
      throw MergeConflictError(
        conflicts: (changes.updated + changes.deleted).compactMap {
          differences[ObjectIdentifier($0)]?.conflict($0)
        })
    }
    updated.removeAll()
    for model in changes.updated {
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

  // MARK: - Updates

  /// Writes the changes of models: those of one class with the same changed properties together.
  ///
  /// - Parameter references: Whether relationships are written, or the other properties.
  private func update(references: Bool) throws {
    var updates = Updates()
    for model in updated where !model._$modelState.flags.contains(.rowDeleted) {
      try updates.append(model, references: references, self)
    }
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
