import SwiftDataCore
import Synchronization

/// What one look at a store's file says of its commits.
struct CommitSighting {
  /// How many commits the write-ahead log's index has counted; nil where it can't be read.
  let count: UInt32?
  /// The last transaction of the history.
  let transaction: Int64
  /// The commits of this library that aren't in the history.
  let unrecorded: Int64
}

/// What a store knows of the commits to its file, by this process and by others.
///
/// Commits of programs that don't keep the history are those that the log has counted beyond the transactions of the
/// history, so that none is overlooked even when others commit at the same time.
final class CommitMonitor: Sendable {
  private struct State {
    var position = StorePosition(generation: 1, transaction: 0, unrecorded: 0)
    /// What the log has counted beyond the history; nil before the first look.
    var surplus: Int64?
    var lastCount: UInt32 = 0
    var hasLooked = false
    /// Up to where commits were told to listeners; nil when nobody watches.
    var told: Int64?
    var toldUnrecorded: UInt64 = 0
    /// Transactions that this store makes and tells of by itself.
    var claimed: Set<Int64> = []
    var isReplaced = false
  }

  private let state = Mutex(State())

  var position: StorePosition { state.withLock { $0.position } }

  /// Whether another file has taken the store's place.
  var isReplaced: Bool { state.withLock { $0.isReplaced } }

  // MARK: - Looking

  /// Takes in what a look at the file has found, at any time and in any order.
  func observe(_ sighting: CommitSighting) {
    state.withLock { state in
      defer { state.hasLooked = true }
      let isFirst = !state.hasLooked
      let known = state.position.transaction
      var hasUnrecorded = false
      if let count = sighting.count {
        // The numbers stand in the file, which others can write: differences count, whatever they are.
        let surplus = Int64(count) &- sighting.transaction &- sighting.unrecorded
        if !isFirst, count < state.lastCount {
          // An old look of another thread, or the log's index was made anew.
          guard sighting.transaction >= known else { return }
          hasUnrecorded = true
        } else if let last = state.surplus {
          hasUnrecorded = surplus &- last > 0
        }
        state.lastCount = count
        state.surplus = surplus
      } else {
        hasUnrecorded = sighting.transaction == known
      }
      // A smaller number is that of an older copy, which somebody has restored.
      if sighting.transaction < known { hasUnrecorded = true }
      guard !isFirst else {
        state.position.transaction = sighting.transaction
        return
      }
      if hasUnrecorded { state.position.unrecorded += 1 }
      if hasUnrecorded || sighting.transaction != known { state.position.generation += 1 }
      state.position.transaction = sighting.transaction
    }
  }

  /// The file isn't the one that was opened any more.
  func noteReplacement() {
    state.withLock { state in
      state.isReplaced = true
      state.position.generation += 1
      state.position.unrecorded += 1
      state.surplus = nil
      state.lastCount = 0
    }
  }

  // MARK: - Own commits

  /// A transaction with that number is about to be committed.
  func claim(_ number: Int64) { _ = state.withLock { $0.claimed.insert(number) } }

  /// It wasn't: the number will be another's.
  func abandon(_ number: Int64) { _ = state.withLock { $0.claimed.remove(number) } }

  /// Counts a commit of the store's own.
  ///
  /// - Parameter number: Its number in the history; nil when it isn't in there.
  /// - Returns: The generation after it.
  func noteOwn(_ number: Int64?) -> UInt64 {
    state.withLock { state in
      state.position.generation += 1
      guard let number else { return state.position.generation }
      // Somebody else has committed in between: who saved doesn't have everything.
      if number &- 1 > state.position.transaction { state.position.generation += 1 }
      state.position.transaction = max(state.position.transaction, number)
      // A watcher that hasn't come there yet has to know it.
      if state.told.map({ number <= $0 }) ?? true { state.claimed.remove(number) }
      return state.position.generation
    }
  }

  // MARK: - Telling

  /// Somebody listens from now on.
  func beginTelling() {
    state.withLock { state in
      if state.told == nil { state.told = state.position.transaction }
      state.toldUnrecorded = state.position.unrecorded
    }
  }

  /// The last transaction that was told of, when there are later ones.
  var untold: Int64? {
    state.withLock { state in
      state.told.flatMap { $0 < state.position.transaction ? $0 : nil }
    }
  }

  /// - Returns: Whether a transaction of the history is to be told of by who read it there.
  func takeTransaction(_ number: Int64) -> Bool {
    state.withLock { state in
      guard let told = state.told, number > told else { return false }
      state.told = number
      return state.claimed.remove(number) == nil
    }
  }

  /// The transactions up to now can't be read any more: all that can be said is that there were some.
  func skip() {
    state.withLock { state in
      state.told = state.position.transaction
      state.claimed = state.claimed.filter { $0 > state.position.transaction }
      state.position.unrecorded += 1
      state.position.generation += 1
    }
  }

  /// - Returns: Whether something was committed that isn't in the history and wasn't told of.
  func takeUnrecorded() -> Bool {
    state.withLock { state in
      defer { state.toldUnrecorded = state.position.unrecorded }
      return state.position.unrecorded != state.toldUnrecorded
    }
  }
}
