import Synchronization

/// Reads the history a page at a time, and waits at its end.
final class RemoteChangeReader {
  private let changes: RemoteChanges
  private let signal = RemoteChangeSignal()
  private var subscriptions: [StoreCommits.Subscription]?
  private var ending = 0
  private var positions: [String: Int64] = [:]
  private var page: ArraySlice<DefaultHistoryTransaction> = []
  private var isOver = false

  init(_ changes: RemoteChanges) { self.changes = changes }

  deinit { changes.lifetime.forget(ending) }

  func next(isolation: isolated (any Actor)?) async throws -> DefaultHistoryTransaction? {
    do {
      try begin()
      while !isOver, !Task.isCancelled, !signal.isOver {
        // Before the read: commits during it are read in the next round.
        signal.reset()
        if let transaction = try read() { return transaction }
        await signal.wait()
      }
    } catch {
      end()
      throw error
    }
    end()
    return nil
  }

  private func begin() throws {
    guard subscriptions == nil, !isOver else { return }
    positions = try changes.start.get()
    let signal = signal
    ending = changes.lifetime.onRelease { signal.end() }
    subscriptions = changes.stores.map { store in store.commits.subscribe { _ in signal.set() } }
  }

  private func end() {
    isOver = true
    subscriptions = []
    page = []
  }

  private func read() throws -> DefaultHistoryTransaction? {
    while true {
      while let transaction = page.popFirst() {
        positions[transaction.storeIdentifier] = transaction.transactionIdentifier
        if changes.filter.passes(transaction) { return positioned(transaction) }
      }
      guard try loadNextPage() else { return nil }
    }
  }

  /// Gives a transaction the position in each store: the token of one store would say nothing about the others.
  private func positioned(_ transaction: DefaultHistoryTransaction) -> DefaultHistoryTransaction {
    guard changes.stores.count > 1 else { return transaction }
    let stores = Set(changes.stores.map(\.identifier))
    return transaction.positioned(
      at: DefaultHistoryToken(positions.filter { stores.contains($0.key) }))
  }

  private func loadNextPage() throws -> Bool {
    for store in changes.stores {
      let found = try store.historyPage(after: positions[store.identifier] ?? 0)
      guard !found.isEmpty else { continue }
      page = found[...]
      return true
    }
    return false
  }
}

/// Wakes one waiting task, from any thread.
final class RemoteChangeSignal: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isSet = false
    var isOver = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  func reset() { state.withLock { $0.isSet = false } }

  func set() { wake { $0.isSet = true } }

  func end() { wake { $0.isOver = true } }

  private func wake(_ change: @Sendable (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Waits for the next ``set()`` or ``end()``, or the task's cancellation.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if state.isSet || state.isOver || Task.isCancelled { return true }
          state.waiting = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      wake { _ in }
    }
  }
}
