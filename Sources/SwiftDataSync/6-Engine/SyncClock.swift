import Foundation

/// The clock of an engine; tests provide their own.
package protocol SyncClock: Sendable {
  /// The current date, for display.
  var now: Date { get }
  /// Monotonic time since an arbitrary moment, for pauses.
  var uptime: Duration { get }
  func sleep(for duration: Duration) async throws
}

/// The system clock.
struct SystemSyncClock: SyncClock {
  private let start = ContinuousClock.now

  var now: Date { Date() }
  var uptime: Duration { start.duration(to: .now) }
  func sleep(for duration: Duration) async throws {
    try await ContinuousClock().sleep(for: duration)
  }
}
