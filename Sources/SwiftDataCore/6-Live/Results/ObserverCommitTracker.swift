import Synchronization

/// Records whether something was committed since an observer last looked, and from which transaction on it has to look.
final class ObserverCommitTracker: Sendable {
  private struct State {
    var interest: Set<String> = []
    /// The transaction up to which the observer has seen everything.
    var through: Int64 = 0
    var isStale = false
  }

  private let store: String
  private let state = Mutex(State())

  /// - Parameter store: The identifier of the store that has the entities.
  init(of store: String) { self.store = store }

  /// Records that the observer has read everything anew, as of a position or later. It may be an earlier one than
  /// before, in a file that was restored from a copy.
  ///
  /// - Parameters:
  ///   - position: The position; nil from a store that doesn't count commits.
  ///   - interest: The names of the entities that matter from then on.
  func begin(at position: StorePosition?, interest: Set<String>) {
    state.withLock { state in
      state.interest = interest
      if let position { state.through = position.transaction }
    }
  }

  /// Records that the observer has seen everything up to a transaction.
  ///
  /// - Parameter interest: The names of the entities that matter from then on.
  func begin(after transaction: Int64, interest: Set<String>) {
    state.withLock { state in
      state.interest = interest
      state.through = max(state.through, transaction)
    }
  }

  /// The transaction up to which the observer has seen everything.
  var through: Int64 { state.withLock { $0.through } }

  /// Records that something was committed without a notification.
  func recordMissedCommit() { state.withLock { $0.isStale = true } }

  /// - Returns: Whether the commit matters to the observer.
  func record(_ commit: StoreCommit) -> Bool {
    let number = (commit.token as? DefaultHistoryToken)?.tokenValue?[store]
    return state.withLock { state in
      if let number, number <= state.through { return false }
      guard state.interest.contains(where: { commit.mayAffect($0) }) else {
        // Commits that don't matter needn't be read.
        if number == state.through + 1, !state.isStale { state.through += 1 }
        return false
      }
      state.isStale = true
      return true
    }
  }

  /// - Returns: The last transaction that was seen, when there is something new, which is then no longer new; otherwise
  ///   nil.
  func consume() -> Int64? {
    state.withLock { state in
      guard state.isStale else { return nil }
      state.isStale = false
      return state.through
    }
  }
}
