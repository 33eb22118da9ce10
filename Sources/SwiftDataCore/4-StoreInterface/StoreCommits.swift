import Foundation
import Synchronization

/// A transaction that a store has committed, by any writer.
package struct StoreCommit: Sendable {
  package let storeIdentifier: String
  /// The names of the entities with changes; nil when that isn't known.
  package let entities: Set<String>?
  package let author: String?
  /// The position after the commit in the store's history; nil when the commit isn't in the history.
  package let token: (any HistoryToken)?
  /// The context that saved; nil for a batch, another container and another process.
  package let context: EditingState.ID?

  package init(
    storeIdentifier: String, entities: Set<String>?, author: String?,
    token: (any HistoryToken)? = nil, context: EditingState.ID? = nil
  ) {
    self.storeIdentifier = storeIdentifier
    self.entities = entities
    self.author = author
    self.token = token
    self.context = context
  }

  /// Whether models of an entity may have changed.
  package func mayAffect(_ entity: String) -> Bool { entities?.contains(entity) ?? true }
}

/// The commits of a context's save, announced when its models have taken over the results: callbacks may call the
/// context again.
final class DeferredCommits: Sendable {
  /// Inherited by tasks that are created by code that a save runs, and that may outlive the save.
  @TaskLocal static var current: DeferredCommits?

  private struct State {
    var waiting: [(commits: StoreCommits, commit: StoreCommit)] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// - Returns: False when the save is over, so that the commit would never be announced.
  fileprivate func append(_ commit: StoreCommit, of commits: StoreCommits) -> Bool {
    state.withLock { state in
      if !state.isOver { state.waiting.append((commits, commit)) }
      return !state.isOver
    }
  }

  func post() {
    let told = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.waiting
    }
    for (commits, commit) in told { commits.post(commit) }
  }
}

/// Notifies subscribers of a store's commits.
///
/// The callbacks are collected under the lock and called outside of it, on the thread that committed or that noticed
/// the commit of another process. So they may do anything that doesn't take long.
package final class StoreCommits: Sendable {
  package typealias Callback = @Sendable (StoreCommit) -> Void

  private let state = Mutex(State())
  /// Held during the work before the first subscription, so that no other subscription returns before its end: commits
  /// from then on are noticed. Recursive, because the work may call code that subscribes.
  let starting = NSRecursiveLock()
  /// The threads that are calling callbacks.
  private let callers = ActiveThreads()

  private struct State {
    var callbacks: [Int: Callback] = [:]
    var next = 0
    var start: (@Sendable () -> Void)?
    var isStarting = false
  }

  package init() {}

  /// Sets the work that is done once, before the first subscription is added.
  package func onFirstSubscription(_ start: @escaping @Sendable () -> Void) {
    state.withLock { $0.start = start }
  }

  /// Calls `callback` after every commit as long as the subscription lives.
  package func subscribe(_ callback: @escaping Callback) -> Subscription {
    if state.withLock({ $0.start != nil || $0.isStarting }) {
      SwiftDataLog.withMessagesHeld { starting.withLock(startOnce) }
    }
    let number = state.withLock { state in
      state.next += 1
      state.callbacks[state.next] = callback
      return state.next
    }
    return Subscription(commits: self, number: number)
  }

  private func startOnce() {
    let start = state.withLock { state in
      defer { state.start = nil }
      if state.start != nil { state.isStarting = true }
      return state.start
    }
    guard let start else { return }
    start()
    state.withLock { $0.isStarting = false }
  }

  /// Must be called before a write.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` when callbacks commit, and are notified of that commit,
  ///   repeatedly.
  package func refuseRecursion() throws {
    guard callers.currentDepth < OperationDepth.limit else {
      throw OperationDepth.exceeded("Writing")
    }
  }

  package func post(_ commit: StoreCommit) {
    if let postponed = DeferredCommits.current, postponed.append(commit, of: self) { return }
    let callbacks = state.withLock { Array($0.callbacks.values) }
    guard !callbacks.isEmpty else { return }
    callers.begin()
    defer { callers.end() }
    for callback in callbacks { callback(commit) }
  }

  fileprivate func remove(_ number: Int) {
    let removed = state.withLock { $0.callbacks.removeValue(forKey: number) }
    // Objects that the callback holds are released outside of the lock.
    withExtendedLifetime(removed) {}
  }

  /// A subscription that ends when it is released.
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
