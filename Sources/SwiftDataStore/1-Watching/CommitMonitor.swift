import SwiftDataCore
import Synchronization

/// The state of a store's commits at one check of its file.
package struct CommitState: Sendable {
  /// The number of commits counted by the write-ahead log's index; nil where it can't be read.
  package let count: UInt32?
  /// The last transaction of the history.
  package let transaction: Int64
  /// The number of commits of this library that aren't in the history.
  package let unrecorded: Int64

  package init(count: UInt32?, transaction: Int64, unrecorded: Int64) {
    self.count = count
    self.transaction = transaction
    self.unrecorded = unrecorded
  }
}

/// Tracks the commits to a store, by this process and by others.
///
/// Commits of programs that don't write the history are those that a file's log has counted beyond the transactions of
/// the history, so that none is missed even when others commit at the same time; a server counts them itself.
package final class CommitMonitor: Sendable {
  private struct State {
    var position = StorePosition(generation: 1, transaction: 0, unrecorded: 0)
    /// The number of commits that the log has counted beyond the history; nil before the first check.
    var surplus: Int64?
    var lastCount: UInt32 = 0
    var hasObserved = false
    /// The last transaction reported to listeners; nil without a watcher.
    var reported: Int64?
    var reportedUnrecorded: UInt64 = 0
    /// Transactions that this store is making, and reports itself.
    var reserved: Set<Int64> = []
    /// Transactions that this store has made and reported, and the watcher hasn't reached.
    var claimed: Set<Int64> = []
    var isReplaced = false

    /// Takes over the last transaction that the watcher sees. When that is before what it has reported, the file is an
    /// older copy, in which later transactions have numbers that were reported before.
    mutating func goBack(to transaction: Int64) {
      guard let last = reported, transaction < last else { return }
      reported = transaction
      claimed = []
    }
  }

  private let state = Mutex(State())

  package init() {}

  package var position: StorePosition { state.withLock { $0.position } }

  /// Whether another file has replaced the store's.
  package var isReplaced: Bool { state.withLock { $0.isReplaced } }

  // MARK: - Checking

  /// Processes the result of a check of the file, at any time and in any order.
  ///
  /// - Parameters:
  ///   - observed: The result. That of a reader may be outdated, and have the count of a commit that its snapshot
  ///     lacks.
  ///   - isByWatcher: Whether the caller is the one that reports, whose results come in the order of the commits.
  package func observe(_ observed: CommitState, isByWatcher: Bool = false) {
    state.withLock { state in
      defer { state.hasObserved = true }
      let isFirst = !state.hasObserved
      let known = state.position.transaction
      var hasUnrecorded = false
      if let count = observed.count {
        // The numbers are in the file, which others can write: the difference wraps around instead of trapping.
        let surplus = Int64(count) &- observed.transaction &- observed.unrecorded
        if !isFirst, count < state.lastCount {
          // An outdated check by another thread, or the log's index was created again.
          guard observed.transaction >= known else { return }
          hasUnrecorded = true
        } else if let last = state.surplus {
          hasUnrecorded = surplus &- last > 0
        }
        state.lastCount = count
        state.surplus = surplus
      } else {
        hasUnrecorded = observed.transaction == known
      }
      // A smaller number is that of a restored older copy.
      if observed.transaction < known { hasUnrecorded = true }
      if isByWatcher { state.goBack(to: observed.transaction) }
      guard !isFirst else {
        state.position.transaction = observed.transaction
        return
      }
      if hasUnrecorded { state.position.unrecorded += 1 }
      if hasUnrecorded || observed.transaction != known { state.position.generation += 1 }
      state.position.transaction = observed.transaction
    }
  }

  /// Processes the numbers of a store that counts the commits of other programs, read at any time and in any order.
  ///
  /// - Parameters:
  ///   - transaction: The number of the last transaction of the history.
  ///   - foreign: The number of commits of other programs.
  package func observe(transaction: Int64, foreign: Int64) {
    state.withLock { state in
      guard state.hasObserved, let last = state.surplus else {
        state.hasObserved = true
        state.surplus = foreign
        state.position.transaction = max(state.position.transaction, transaction)
        return
      }
      let isForeign = foreign > last
      let isNew = transaction > state.position.transaction
      state.surplus = max(last, foreign)
      if isForeign { state.position.unrecorded += 1 }
      if isForeign || isNew { state.position.generation += 1 }
      state.position.transaction = max(state.position.transaction, transaction)
    }
  }

  /// Records that others may have committed what can't be named.
  package func recordUnknown() {
    state.withLock { state in
      state.position.generation += 1
      state.position.unrecorded += 1
    }
  }

  /// Records that the file at the path is no longer the one that was opened.
  package func recordReplacement() {
    state.withLock { state in
      state.isReplaced = true
      state.position.generation += 1
      state.position.unrecorded += 1
      state.surplus = nil
      state.lastCount = 0
    }
  }

  // MARK: - Own commits

  /// Reserves a transaction number that is about to be committed.
  package func reserve(_ number: Int64) { _ = state.withLock { $0.reserved.insert(number) } }

  /// Releases the number of a transaction that wasn't committed: the next one will get it.
  package func release(_ number: Int64) { _ = state.withLock { $0.reserved.remove(number) } }

  /// Counts a commit of the store itself.
  ///
  /// - Parameter number: Its number in the history; nil when it isn't in the history.
  /// - Returns: The generation after it.
  package func recordOwnCommit(_ number: Int64?) -> UInt64 {
    state.withLock { state in
      state.position.generation += 1
      guard let number else { return state.position.generation }
      // Another program has committed in between: the saving context doesn't have everything.
      if number &- 1 > state.position.transaction { state.position.generation += 1 }
      state.position.transaction = max(state.position.transaction, number)
      let isReserved = state.reserved.remove(number) != nil
      if isReserved, let last = state.reported, number > last { state.claimed.insert(number) }
      return state.position.generation
    }
  }

  // MARK: - Reporting

  /// Starts reporting commits to listeners.
  package func beginReporting() {
    state.withLock { state in
      if state.reported == nil { state.reported = state.position.transaction }
      state.reportedUnrecorded = state.position.unrecorded
    }
  }

  /// The last reported transaction, when there are later ones.
  package var lastReportedIfBehind: Int64? {
    state.withLock { state in
      state.reported.flatMap { $0 < state.position.transaction ? $0 : nil }
    }
  }

  /// Records that the store reports a commit of its own, so that a watcher needn't read it when it is the next one.
  package func recordOwnReport(_ number: Int64) {
    state.withLock { state in
      if state.reported == number &- 1 { state.reported = number }
    }
  }

  /// - Returns: Whether the caller, which read a transaction in the history, has to report it.
  package func markReported(_ number: Int64) -> Bool {
    state.withLock { state in
      guard let last = state.reported, number > last else { return false }
      state.reported = number
      let isOwn = state.reserved.remove(number) != nil
      return state.claimed.remove(number) == nil && !isOwn
    }
  }

  /// Records that the transactions up to now can't be read any more: only their existence can be reported.
  package func skip() {
    state.withLock { state in
      state.reported = state.position.transaction
      state.reserved = state.reserved.filter { $0 > state.position.transaction }
      state.claimed = state.claimed.filter { $0 > state.position.transaction }
      state.position.unrecorded += 1
      state.position.generation += 1
    }
  }

  /// - Returns: Whether there was a commit that isn't in the history and wasn't reported.
  package func consumeUnrecorded() -> Bool {
    state.withLock { state in
      defer { state.reportedUnrecorded = state.position.unrecorded }
      return state.position.unrecorded != state.reportedUnrecorded
    }
  }
}
