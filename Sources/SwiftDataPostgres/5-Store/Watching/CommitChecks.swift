import Dispatch
import Synchronization

/// Decides when reads look for the commits of others, and counts those of other programs.
final class CommitChecks: Sendable {
  /// The time after a check within which reads don't check again, in nanoseconds.
  private static let interval: UInt64 = 20_000_000
  /// The time between two removals of old notes.
  private static let removalInterval: UInt64 = 300_000_000_000

  private struct State {
    /// The commits of this process that were noticed.
    var localCount: UInt64
    var foreign: CommitProgress.Foreign?
    /// The number of commits of other programs that were noticed.
    var foreignCount: Int64 = 0
    var lastCheck: UInt64 = 0
    /// The time of the next removal of old notes.
    var nextRemoval: UInt64 = 0
    /// Whether a watcher is told of commits, so that reads needn't look for them.
    var isWatched = false
  }

  private let state: Mutex<State>
  private let local: LocalCommits

  /// - Parameter store: The store's identifier.
  init(store: String) {
    local = LocalCommits.of(store)
    state = Mutex(State(localCount: local.count))
  }

  /// Whether a read has to check now; if so, others needn't for a while. Commits of this process are looked for at
  /// once.
  func isDue() -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    return state.withLock { state in
      let count = local.count
      guard
        count != state.localCount || !state.isWatched && now &- state.lastCheck >= Self.interval
      else { return false }
      state.localCount = count
      state.lastCheck = now
      return true
    }
  }

  /// Tells the other instances of this process of a commit of this one, which needn't look for it.
  func recordOwnCommit() {
    state.withLock { state in
      let count = local.increment()
      if state.localCount == count &- 1 { state.localCount = count }
    }
  }

  /// The noted transactions of other programs at the last check.
  var foreign: CommitProgress.Foreign {
    state.withLock { $0.foreign ?? CommitProgress.Foreign(sum: 0, last: 0) }
  }

  /// Whether notes may have to be removed now; if so, nobody else needs to for a while.
  func isRemovalDue() -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    return state.withLock { state in
      guard let last = state.foreign?.last, last > StoreState.noteCount, now >= state.nextRemoval
      else { return false }
      state.nextRemoval = now + Self.removalInterval
      return true
    }
  }

  /// Records that a removal has left old notes.
  func expectRemoval() { state.withLock { $0.nextRemoval = 0 } }

  func setWatched(_ isWatched: Bool) { state.withLock { $0.isWatched = isWatched } }

  /// Counts the commits of other programs. Their rows are numbered when they are written and visible when they are
  /// committed, so both the last one and those before it matter.
  ///
  /// - Returns: A number that has grown when there was a new one.
  func count(_ mark: CommitProgress.Foreign) -> Int64 {
    state.withLock { state in
      guard let known = state.foreign else {
        state.foreign = mark
        return state.foreignCount
      }
      // Nothing new, or a check that another one has overtaken.
      guard (mark.last, mark.sum) > (known.last, known.sum) else { return state.foreignCount }
      state.foreignCount += 1
      state.foreign = mark
      return state.foreignCount
    }
  }
}
