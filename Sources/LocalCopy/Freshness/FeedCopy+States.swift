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
      // The state may have changed by itself since it was published.
      publish(&shared)
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
    if state != shared.published {
      shared.published = state
      for continuation in shared.subscribers.values { continuation.yield(state) }
    }
    // Also for the same state: the timer may have ended before it was due by a clock that was set back.
    armTimer(&shared)
  }

  /// The longest time until the clock is read again, which may be set meanwhile.
  private static var longestWait: Double { 3_600 }

  /// Schedules a notification for the time at which the state changes by itself, such as that of a
  /// fresh copy, if there are subscribers.
  private func armTimer(_ shared: inout Shared) {
    shared.timer?.cancel()
    shared.timer = nil
    guard !shared.subscribers.isEmpty,
      let wait = shared.machine.untilChange(at: clock.now)
    else { return }
    let clock = clock
    shared.timer = Task { [weak self] in
      do { try await clock.sleep(for: .seconds(min(wait, Self.longestWait))) } catch { return }
      self?.change { _ in }
    }
  }
}
