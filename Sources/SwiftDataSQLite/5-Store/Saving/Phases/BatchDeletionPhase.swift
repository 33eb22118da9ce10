import SwiftDataCore

/// Deletes by predicate.
struct BatchDeletionPhase {
  private let context: SaveContext
  private var prepared: [PreparedDeletion] = []

  init(_ context: SaveContext) { self.context = context }

  /// Prepares the deletions: in the transaction, so that the rows don't change between the query and the deletion.
  mutating func prepare() throws {
    let changes = context.changes
    for deletion in changes.batchDeletions {
      prepared.append(
        try context.store.prepare(
          deletion, changes.editingState,
          findingRowsOn: prepared.isEmpty ? nil : context.connection))
    }
  }

  /// Deletes the rows. Updated models that had one of them aren't written.
  func run() throws {
    let gone = try context.store.delete(prepared, on: context.connection)
    guard !gone.isEmpty else { return }
    context.updated.removeAll { model in
      let state = model._$modelState
      return gone[state.plan?.name ?? ""]?.contains(state.rowID) ?? false
    }
  }
}
