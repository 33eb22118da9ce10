import Foundation
import ServiceLifecycle
import WireFormats

/// Refreshes the copy periodically while the server runs. After a failure the next attempt comes
/// sooner than usual, so that the page recovers by itself.
package struct RefreshLoop: Service {
  /// The delay after a first failure; it doubles with each further one.
  static let firstPause = Duration.seconds(10)

  private let source: LiveSource

  package init(_ source: LiveSource) { self.source = source }

  package func run() async throws {
    await cancelWhenGracefulShutdown { await untilCancelled() }
  }

  /// Refreshes, and follows the changes of other processes, until the task is cancelled.
  func untilCancelled() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await source.keepUp() }
      group.addTask { await loop() }
      await group.waitForAll()
    }
  }

  private func loop() async {
    var failures = 0
    while !Task.isCancelled {
      source.planNext(nil)
      var retryAfter: Double?
      switch await source.refreshOnce(force: false) {
      case .done: failures = 0
      case .failed(let asked):
        failures += 1
        retryAfter = asked
      }
      let pause = Self.pause(every: source.every, failures: failures, retryAfter: retryAfter)
      source.planNext(pause)
      do {
        try await source.plan.wait()
      } catch {
        return  // Cancelled: the server stops.
      }
    }
  }

  /// Returns the time until the next refresh.
  /// - Parameters:
  ///   - every: The usual time.
  ///   - failures: The number of refreshes in a row that have failed.
  ///   - retryAfter: The delay that the feed's server asked for, in seconds.
  static func pause(every: Duration, failures: Int, retryAfter: Double?) -> Duration {
    guard failures > 0 else { return every }
    let backoff = ExponentialBackoff(
      baseDelay: firstPause, maximumDelay: min(every, firstPause * 1_024))
    let asked = Duration.seconds(min(max(retryAfter ?? 0, 0), 86_400))
    return max(backoff.longestDelay(afterFailures: failures), asked)
  }
}
