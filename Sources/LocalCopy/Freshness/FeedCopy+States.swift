import Foundation
import Synchronization

extension FeedCopy {
  /// The current state.
  package var state: LocalCopyState {
    shared.withLock { $0.machine.state(at: clock.now) }
  }

  /// The report of the last successful refresh, which may be from an earlier run of the program.
  package var lastReport: RefreshReport? { shared.withLock { $0.record?.report } }

  /// Returns the states from now on, the current one first. A slow reader misses states in between.
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

  /// Changes the shared values and notifies the subscribers.
  func change(_ body: (inout Shared) -> Void) {
    shared.withLock { shared in
      body(&shared)
      publish(&shared)
    }
  }

  /// Notifies the subscribers if the state has changed. Yielding under the lock preserves the order
  /// of states and runs no subscriber code.
  func publish(_ shared: inout Shared) {
    let state = shared.machine.state(at: clock.now)
    guard state != shared.published else { return }
    shared.published = state
    for continuation in shared.subscribers.values { continuation.yield(state) }
    armTimer(&shared)
  }

  /// Schedules a notification for the time at which a fresh copy becomes stale, if there are
  /// subscribers.
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
