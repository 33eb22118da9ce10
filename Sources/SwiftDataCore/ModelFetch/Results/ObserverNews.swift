import Synchronization

/// Whether something was committed since an observer last looked.
final class ObserverNews: Sendable {
  private struct State {
    var interest: Set<String>
    var isStale = false
  }

  private let state: Mutex<State>

  /// - Parameter interest: The names of the entities that matter.
  init(interest: Set<String>) { state = Mutex(State(interest: interest)) }

  func set(interest: Set<String>) { state.withLock { $0.interest = interest } }

  /// - Returns: Whether the commit matters.
  func note(_ commit: StoreCommit) -> Bool {
    state.withLock { state in
      let matters = state.interest.contains { commit.touches($0) }
      if matters { state.isStale = true }
      return matters
    }
  }

  /// - Returns: Whether there was something; there isn't any more.
  func take() -> Bool {
    state.withLock { state in
      defer { state.isStale = false }
      return state.isStale
    }
  }
}
