import Foundation

/// The time, as far as an engine needs it; a test gives its own.
package protocol SyncClock: Sendable {
  /// The date: for what people read.
  var now: Date { get }
  /// Time that never jumps, from an arbitrary moment on: for pauses.
  var uptime: Duration { get }
  func sleep(for duration: Duration) async throws
}

/// The clock of the machine.
struct SystemSyncClock: SyncClock {
  private let start = ContinuousClock.now

  var now: Date { Date() }
  var uptime: Duration { start.duration(to: .now) }
  func sleep(for duration: Duration) async throws {
    try await ContinuousClock().sleep(for: duration)
  }
}
