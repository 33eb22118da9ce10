import Foundation
import Synchronization

extension FeedCopy {
  /// The state now.
  package var state: LocalCopyState {
    shared.withLock { $0.machine.state(at: clock.now) }
  }

  /// The report of the last refresh that succeeded, also of an earlier run of the program.
  package var lastReport: RefreshReport? { shared.withLock { $0.record?.report } }

  /// The states from now on, the current one first. A slow reader misses states in between.
  package func states() -> AsyncStream<LocalCopyState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LocalCopyState.self, bufferingPolicy: .bufferingNewest(1))
    let identifier = shared.withLock { shared in
      let identifier = shared.identifier()
      shared.subscribers[identifier] = continuation
      continuation.yield(shared.machine.state(at: clock.now))
      armTimer(&shared)
      return identifier
    }
    continuation.onTermination = { [weak self] _ in
      self?.shared.withLock { shared in
        shared.subscribers[identifier] = nil
        if shared.subscribers.isEmpty { shared.timer?.cancel() }
      }
    }
    return stream
  }

  /// Changes something and tells the subscribers.
  func change(_ body: (inout Shared) -> Void) {
    shared.withLock { shared in
      body(&shared)
      publish(&shared)
    }
  }

  /// Tells the subscribers if the state has changed. Yielding under the lock keeps the order of
  /// states, and runs no code of the subscribers.
  func publish(_ shared: inout Shared) {
    let state = shared.machine.state(at: clock.now)
    guard state != shared.published else { return }
    shared.published = state
    for continuation in shared.subscribers.values { continuation.yield(state) }
    armTimer(&shared)
  }

  /// Wakes up when a fresh copy becomes stale, if anybody wants to know.
  private func armTimer(_ shared: inout Shared) {
    shared.timer?.cancel()
    shared.timer = nil
    guard !shared.subscribers.isEmpty,
      let wait = shared.machine.untilChange(at: clock.now)
    else { return }
    let clock = clock
    shared.timer = Task { [weak self] in
      do { try await clock.sleep(for: .seconds(wait)) } catch { return }
      self?.change { _ in }
    }
  }
}
