import Synchronization

/// Brings the news of commits from the thread that made them into the isolation of an observer.
///
/// Commits that come while one is on its way are delivered with it. Nothing here waits for anything, so committing
/// never depends on an observer.
final class ObserverDelivery: @unchecked Sendable {
  // Unchecked: `isolation` is set once before anybody else has the object; `receive` is only called in that isolation,
  // or, without one, is `outside` and safe anywhere.

  /// Weak, because an actor may own its observer.
  private weak var isolation: (any Actor)?
  private let hasIsolation: Bool
  private let isPending = Atomic<Bool>(false)
  private let receive: () -> Void

  /// - Parameters:
  ///   - isolation: Where to deliver; nil delivers at once, on the thread that commits.
  ///   - receive: What to do; it must be safe on any thread when there is no isolation.
  init(to isolation: (any Actor)?, _ receive: @escaping () -> Void) {
    self.isolation = isolation
    hasIsolation = isolation != nil
    self.receive = receive
  }

  /// Called on any thread.
  func announce() {
    guard hasIsolation else { return receive() }
    guard let isolation, !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    Task { await self.deliver(on: isolation) }
  }

  private func deliver(on isolation: isolated any Actor) {
    // Before the work: a commit during it must be announced again.
    isPending.store(false, ordering: .releasing)
    receive()
  }
}
