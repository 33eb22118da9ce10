/// The changes to write. The models are read during the call only, in their context's isolation.
package struct StoreChanges {
  package var inserted: [any PersistentModel] = []
  package var updated: [any PersistentModel] = []
  package var deleted: [any PersistentModel] = []
  /// Deletions by predicate, which are carried out before all other changes.
  package var batchDeletions: [any BatchDeletion] = []
  /// The context that saves, with its author.
  package var editingState = EditingState.unknown
  package var author: String? { editingState.author }
  /// The policy for models whose rows others have changed since they were read.
  package var mergePolicy = MergePolicy.deletionTrump
  /// Additional work in the transaction.
  package var companion: SaveCompanion?
  /// The state shared with the saves of other stores; nil for a save of one store.
  package var joint: JointSave?

  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && batchDeletions.isEmpty
  }
}

/// The result of a save.
package struct StoreSaveOutcome {
  /// The row of each inserted model in the given order, and the actual effect of its insertion.
  package var insertions: [WriteOutcome]
  package var generation: UInt64
  /// Rows that differ from the passed values; registered models take them over.
  package var reregistered: [EntityRow] = []
  /// The position in the history after the save; nil when nothing was written, or the store has no history.
  package var historyToken: (any HistoryToken)?
  /// The rows, by entity, that deletions by predicate and their delete rules deleted.
  package var deletedRows: [String: [Int64]] = [:]
  /// The changes that the merge policy discarded in favor of the changes of others.
  package var discarded = DiscardedChanges()

  package init(insertions: [WriteOutcome], generation: UInt64) {
    self.insertions = insertions
    self.generation = generation
  }
}
