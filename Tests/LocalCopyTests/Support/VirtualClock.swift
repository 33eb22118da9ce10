import Foundation
import Synchronization
import WireFormats

@testable import LocalCopy

/// A clock that only advances when a test advances it.
final class VirtualClock: TimeSource {
  private struct Sleeper {
    let until: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let range: ClosedRange<Duration>
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var uptime = Duration.zero
    /// The sum of the steps by which the clock was set forward.
    var shift = Duration.zero
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [Watcher] = []
    var nextIdentifier = 0
  }

  private let start: Date
  private let state = Mutex(State())

  init(start: Date = Date(timeIntervalSince1970: 1_746_366_775)) { self.start = start }

  var uptime: Duration { state.withLock { $0.uptime } }
  var now: Date { start.addingTimeInterval(state.withLock { $0.uptime + $0.shift }.inSeconds) }

  func sleep(for duration: Duration) async throws {
    let identifier = state.withLock { state in
      state.nextIdentifier += 1
      return state.nextIdentifier
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isCancelled, watchers) = state.withLock { state -> (Bool, [Watcher]) in
          guard !Task.isCancelled else { return (true, []) }
          state.sleepers[identifier] = Sleeper(
            until: state.uptime + duration, continuation: continuation)
          let satisfied = state.watchers.filter { $0.range.contains(duration) }
          state.watchers.removeAll { $0.range.contains(duration) }
          return (false, satisfied)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        for watcher in watchers { watcher.continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: identifier) }?
        .continuation.resume(throwing: CancellationError())
    }
  }

  /// Sets the clock forward, or back, while no time passes.
  func set(by shift: Duration) { state.withLock { $0.shift += shift } }

  /// Advances the time and wakes the sleepers whose time has come.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.uptime += duration
      let due = state.sleepers.filter { $0.value.until <= state.uptime }
      for identifier in due.keys { state.sleepers[identifier] = nil }
      return due.values.sorted { $0.until < $1.until }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Waits until a task sleeps, from now, for a time in a range.
  func waitForSleeper(_ range: ClosedRange<Duration>) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        let isThere = state.sleepers.values.contains { range.contains($0.until - state.uptime) }
        if !isThere { state.watchers.append(Watcher(range: range, continuation: continuation)) }
        return isThere
      }
      if isThere { continuation.resume() }
    }
  }
}
