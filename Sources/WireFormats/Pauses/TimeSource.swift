import Foundation

/// The time as a client of a server needs it: date, uptime and pauses. Tests provide their own.
package protocol TimeSource: Sendable {
  /// The current date, for headers, for the age of what was received, and for display.
  var now: Date { get }
  /// Monotonic time since an arbitrary moment, for deadlines, pauses and durations.
  var uptime: Duration { get }
  /// Suspends the task for a duration.
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The system's time.
package struct SystemTime: TimeSource {
  private let start = ContinuousClock.now

  package init() {}

  package var now: Date { Date() }
  package var uptime: Duration { start.duration(to: .now) }

  /// The longest pause: the clock's instants end some way beyond it.
  private static let century: Duration = .seconds(3_153_600_000)

  package func sleep(for duration: Duration) async throws {
    try await ContinuousClock().sleep(for: min(duration, Self.century))
  }
}
