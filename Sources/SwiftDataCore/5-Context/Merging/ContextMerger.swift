import Dispatch
import Synchronization

/// Merges the commits of others into the models of a context: the commits that it knows, and the subscriptions by which
/// it learns of new ones.
final class ContextMerger {
  /// The state behind ``ModelContext/mergesChangesAutomatically``.
  var isAutomatic = true
  /// The isolation in which the context can be entered from outside.
  var isolation: Isolation?
  /// Models that have to wait because they have unsaved changes of their own.
  var deferred = RowsToMerge()
  /// Whether a merge is under way. It decodes values, whose code may call the context again.
  var isMerging = false
  /// The stores that report which rows others have changed.
  @exclusivity(unchecked) private var followed: [FollowedStore]
  private var subscriptions: [StoreCommits.Subscription] = []

  enum Isolation {
    case mainActor
    case queue(DispatchQueue)
  }

  private struct FollowedStore {
    let store: any CommitTracking
    let capabilities: StoreCapabilities
    /// The position up to which the models follow the store.
    var position: StorePosition
    /// The context's own transactions after that position.
    var own: Set<Int64> = []
  }

  init(_ core: ContainerCore) {
    followed = core.capabilities.compactMap { found in
      guard let store = found.commitTracking else { return nil }
      return FollowedStore(store: store, capabilities: found, position: store.position)
    }
  }

  /// Whether any store has a commit since the last merge.
  var isBehind: Bool {
    for index in followed.indices where followed[index].position != followed[index].store.position {
      return true
    }
    return false
  }

  /// Records a transaction of the context itself: its models have the values already.
  func recordOwnTransaction(_ outcome: StoreSaveOutcome, in store: any RowStore) {
    guard let index = followed.firstIndex(where: { $0.store === store }),
      let token = outcome.historyToken as? DefaultHistoryToken,
      let number = token.tokenValue?[store.identifier]
    else { return }
    var position = followed[index].position
    // The usual case, without other writers: there is nothing to read.
    if position.transaction + 1 == number, position.generation + 1 == outcome.generation {
      position.transaction = number
      position.generation = outcome.generation
      followed[index].position = position
    } else {
      followed[index].own.insert(number)
    }
  }

  /// Reads the rows that other contexts and processes have changed since the last call.
  ///
  /// - Returns: The rows of all stores that can be read, and the error of the first store that can't: its position
  ///   stays where it is, so its changes are found by a later call.
  func consumeChanges(in link: ContextLink) -> (rows: RowsToMerge, failure: (any Error)?) {
    var found = RowsToMerge()
    var failure: (any Error)?
    for index in followed.indices {
      do { try consumeChanges(of: index, in: link, into: &found) } catch {
        failure = failure ?? error
      }
    }
    return (found, failure)
  }

  private func consumeChanges(
    of index: Int, in link: ContextLink, into found: inout RowsToMerge
  ) throws {
    let (store, position) = (followed[index].store, followed[index].position)
    let now = store.position
    guard now != position else { return }
    let own = followed[index].own
    let foreign = followed[index].capabilities.foreign
    var next = now
    if now.unrecorded == position.unrecorded {
      do {
        next.transaction = try store.forEachChange(after: position.transaction) { change in
          guard !own.contains(change.transaction),
            foreign.isEmpty || !foreign.contains(change.plan.name)
          else { return }
          found.insert(change, registered: link.rowIDMaps[change.plan.table])
        }
      } catch SwiftDataError.historyTokenExpired {
        try next.transaction =
          consumeAll(of: followed[index], in: link, into: &found) ?? now.transaction
      }
    } else {
      try next.transaction =
        consumeAll(of: followed[index], in: link, into: &found) ?? now.transaction
    }
    followed[index].position = next
    followed[index].own = followed[index].own.filter { $0 > next.transaction }
  }

  /// Marks every registered model as possibly changed, because the changes of the store aren't known. Returns the
  /// number of its last transaction.
  private func consumeAll(
    of followed: FollowedStore, in link: ContextLink, into rows: inout RowsToMerge
  ) throws -> Int64? {
    let store = followed.store
    let last = try store.lastHistoryToken() as? DefaultHistoryToken
    for plan in followed.capabilities.plans {
      rows.linked.insert(plan.name)
      for rowID in link.rowIDMaps[plan.table]?.rowIDs ?? [] {
        rows.insert(rowID, of: plan, .all)
      }
    }
    return last?.tokenValue?[store.identifier]
  }

  // MARK: - Following commits

  /// Subscribes to commits, to learn of them as they happen.
  func follow(_ link: ContextLink, of context: EditingState.ID) {
    guard isAutomatic, let isolation, subscriptions.isEmpty else { return }
    let notifier = CommitNotifier(link, isolation)
    subscriptions = followed.map { followed in
      followed.store.commits.subscribe { commit in
        if commit.context != context { notifier.schedule() }
      }
    }
  }

  func pause() { subscriptions = [] }

  /// Reports commits from the thread that made them to the context's isolation. Commits that are made while a
  /// report is pending are merged with it, and committing never waits.
  private final class CommitNotifier: @unchecked Sendable {
    // Unchecked: the link is only followed in the context's isolation.
    private let link: ContextLink
    private let isolation: Isolation
    private let isPending = Atomic<Bool>(false)

    init(_ link: ContextLink, _ isolation: Isolation) {
      self.link = link
      self.isolation = isolation
    }

    func schedule() {
      guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
      switch isolation {
      case .mainActor: Task { @MainActor in self.deliver() }
      case .queue(let queue): queue.async { self.deliver() }
      }
    }

    private func deliver() {
      // Before the merge: a commit during it must be announced again.
      isPending.store(false, ordering: .releasing)
      link.context?.catchUp()
    }
  }
}
