/// A store that reports which rows others have changed.
package protocol CommitTracking: NumberedHistory {
  /// The position up to which commits are known.
  var position: StorePosition { get }
  /// Checks whether another process has committed.
  func checkForCommits() throws
  /// Called when no container uses the store any more: background checks for commits have ended when this returns.
  func stopWatching()
}

/// A store that reads in transactions whose queries all see the same commits.
package protocol ReadTransactionProviding: RowStore {
  /// Calls `body` with a view of the store's present state. Only that view may be used meanwhile.
  ///
  /// - Returns: False for a file without a history; then `body` wasn't called.
  func withReadTransaction(_ body: (any ReadTransaction) throws -> Void) throws -> Bool
}
