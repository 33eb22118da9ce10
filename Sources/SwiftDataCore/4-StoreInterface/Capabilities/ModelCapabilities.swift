/// A store whose identifiers contain the row IDs themselves, and that finds the rows that lead to a row.
package protocol RowIDStore: RowStore {
  /// Returns the rows of an entity whose relationship leads to one of the rows `destinations`.
  func owners(
    of plan: EntityPlan, _ property: Int, destinations: [Int64]
  ) throws -> [Int64]
}

/// A store that keeps whole models, each with its own end of every relationship: both models have to be written when a
/// relationship changes, see ``WholeModelStatement``.
package protocol WholeModelStore: RowStore {}

/// A store that keeps a state for each context that uses it.
package protocol EditingStateTracking: RowStore {
  /// Called when a context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// Called when a context has been released.
  func invalidateState(for editingState: EditingState)
}
