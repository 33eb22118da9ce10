import Foundation

/// The time, as far as a local copy needs it; a test gives its own.
package protocol CopyClock: Sendable {
  /// The date: for headers, for the age of the copy.
  var now: Date { get }
  /// Time that never jumps, counted from an arbitrary moment: for deadlines and durations.
  var uptime: Duration { get }
  /// Waits.
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The clock of the machine.
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
///   - deadline: the time the task may take.
///   - clock: counts it.
///   - body: the task; it is cancelled when the time is over, and waited for.
/// - Throws: ``LocalCopyError`` with the code `timedOut`, or what the task throws.
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
    // The time is over. A task that was done in the same moment has done its work all the same.
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
