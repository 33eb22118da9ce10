import Synchronization

/// Reports commits from the thread that made them to the isolation of an observer.
///
/// Commits that are made while a delivery is pending are delivered with it. Nothing here waits, so committing never
/// depends on an observer.
final class ObserverDelivery: @unchecked Sendable {
  // Unchecked: `isolation` is set once before any other code has the object; `receive` is called only in that isolation
  // or, without one, must be safe on any thread.

  /// Weak, because an actor may own its observer.
  private weak var isolation: (any Actor)?
  private let hasIsolation: Bool
  private let isPending = Atomic<Bool>(false)
  private let receive: () -> Void

  /// - Parameters:
  ///   - isolation: The isolation to deliver to; nil delivers immediately, on the thread that commits.
  ///   - receive: The action; it must be safe on any thread when there is no isolation.
  init(to isolation: (any Actor)?, _ receive: @escaping () -> Void) {
    self.isolation = isolation
    hasIsolation = isolation != nil
    self.receive = receive
  }

  /// Announces a commit. Called on any thread.
  func announce() {
    guard hasIsolation else { return receive() }
    guard let isolation, !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    Task { await self.deliver(on: isolation) }
  }

  private func deliver(on isolation: isolated any Actor) {
    // Cleared before the work, so that a commit during it is announced again.
    isPending.store(false, ordering: .releasing)
    receive()
  }
}
