/// The phases of a save inside its transaction, in the order in which they run.
///
/// ``SaveOperation`` runs them. Each reads and changes the save's ``SaveContext``, and skips itself when the save has
/// nothing for it.
enum SavePhase: CaseIterable {
  /// Finds the rows of deletions by predicate, before anything changes: ``BatchDeletionPhase``.
  case batchDeletionPreparation
  /// Begins the additional work in the transaction, that of side tables.
  case companionBegin
  /// Deletes the rows of deletions by predicate, and those that delete rules reach: ``BatchDeletionPhase``.
  case batchDeletions
  /// Compares the rows of changed models with those that were read, and applies the merge policy: ``ConflictPhase``.
  case conflicts
  /// Removes links that the deletions would follow: ``UnlinkingPhase``.
  case unlinking
  /// Deletes the rows of deleted models: ``DeletionPhase``.
  case deletions
  /// Writes the changes of models: ``UpdatePhase``. Inserted models that they refer to are written with them.
  case updates
  /// Sets links to models whose rows the updates found missing to NULL: ``MissingRowPhase``.
  case missingRows
  /// Writes the inserted models: ``InsertionPhase``.
  case insertions
  /// Completes cycles of references, and writes the changed pairs: ``LinkPhase``.
  case links
  /// Writes the positions of ordered relationships: ``OrderPhase``.
  case orders
  /// Checks the foreign keys, which the transaction defers until here.
  case foreignKeys
  /// Ends the additional work in the transaction.
  case companionEnd
  /// Marks a save over several stores: ``JointSaveMarks``.
  case jointMark
}
