import Foundation

/// The clock of a local copy; tests provide their own.
package protocol CopyClock: Sendable {
  /// The current date, for headers and for the age of the copy.
  var now: Date { get }
  /// Monotonic time since an arbitrary moment, for deadlines and durations.
  var uptime: Duration { get }
  /// Suspends the task for a duration.
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The system clock.
package struct SystemClock: CopyClock {
  private let start = ContinuousClock.now

  package init() {}

  package var now: Date { Date() }
  package var uptime: Duration { start.duration(to: .now) }

  package func sleep(for duration: Duration) async throws {
    try await ContinuousClock().sleep(for: duration)
  }
}

/// Runs a task against a deadline.
/// - Parameters:
///   - deadline: the time that the task may take.
///   - clock: measures the time.
///   - body: the task; it is cancelled and awaited when the time is over.
/// - Throws: ``LocalCopyError`` with the code `timedOut`, or the error of the task.
func withDeadline<Result: Sendable>(
  _ deadline: Duration, _ clock: any CopyClock,
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await clock.sleep(for: deadline)
      return nil
    }
    defer { group.cancelAll() }
    if let first = try await group.next(), let result = first { return result }
    // The time is over. The result of a task that finished at the same moment still counts.
    group.cancelAll()
    do {
      if let last = try await group.next(), let result = last { return result }
    } catch is CancellationError {
      try Task.checkCancellation()
    }
    throw LocalCopyError(
      .timedOut, reason: "The refresh took longer than \(deadline.inSeconds) s",
      advice: "Nothing was changed; try again later or allow more time.")
  }
}

extension Duration {
  /// The duration in seconds.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
