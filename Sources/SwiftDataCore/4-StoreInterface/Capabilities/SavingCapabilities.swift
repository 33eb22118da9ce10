/// A store whose saves carry out ``StoreChanges/batchDeletions``. For any other store a context loads the models and
/// deletes each.
package protocol PredicateDeleting: RowStore {}

/// A store whose save can pause between writing and committing, so that saves of other stores can run in between.
package protocol PreparedSaving: RowStore {
  /// The identifier under which other stores record that they were saved together with this one; nil for a store that
  /// keeps no such records.
  var jointSaveIdentifier: String? { get }
}

/// A store that is used by one thread at a time, and that may call code of the program meanwhile.
package protocol ExclusiveUse: RowStore {
  /// Runs `body` while no other thread uses the store; the same thread may use it.
  func withExclusiveUse<Result>(_ body: () throws -> Result) rethrows -> Result

  /// Does the same unless another thread uses the store; returns nil then.
  func withExclusiveUseIfFree<Result>(_ body: () throws -> Result) rethrows -> Result?
}
