import Synchronization

/// A transaction that a store has committed.
package struct StoreCommit: Sendable {
  package let storeIdentifier: String
  /// The names of the entities with changes; nil when that isn't known.
  package let entities: Set<String>?
  package let author: String?

  package init(storeIdentifier: String, entities: Set<String>?, author: String?) {
    self.storeIdentifier = storeIdentifier
    self.entities = entities
    self.author = author
  }

  /// Whether models of an entity may have changed.
  package func touches(_ entity: String) -> Bool { entities?.contains(entity) ?? true }
}

/// Tells whoever wants to know of a store's commits.
///
/// The callbacks are collected under the lock and called outside of it, on the thread that committed, so they may
/// do anything but take long.
package final class StoreCommits: Sendable {
  package typealias Callback = @Sendable (StoreCommit) -> Void

  private let state = Mutex(State())

  private struct State {
    var callbacks: [Int: Callback] = [:]
    var next = 0
  }

  package init() {}

  /// Calls `callback` after every commit as long as the subscription lives.
  package func subscribe(_ callback: @escaping Callback) -> Subscription {
    let number = state.withLock { state in
      state.next += 1
      state.callbacks[state.next] = callback
      return state.next
    }
    return Subscription(commits: self, number: number)
  }

  package func post(_ commit: StoreCommit) {
    let callbacks = state.withLock { Array($0.callbacks.values) }
    for callback in callbacks { callback(commit) }
  }

  fileprivate func remove(_ number: Int) {
    let removed = state.withLock { $0.callbacks.removeValue(forKey: number) }
    // What the callback holds goes outside of the lock.
    withExtendedLifetime(removed) {}
  }

  /// Ends when it is released.
  package final class Subscription: Sendable {
    private let commits: StoreCommits
    private let number: Int

    fileprivate init(commits: StoreCommits, number: Int) {
      self.commits = commits
      self.number = number
    }

    deinit { commits.remove(number) }
  }
}
