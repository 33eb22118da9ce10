import LandmarksKit
import LocalCopy
import Logging
import ServiceLifecycle
import SwiftDataSync
import WireFormats

/// Exchanges with the server as long as the page's program runs. The engine exchanges periodically and when any program
/// edits the store. The landmarks are refreshed periodically. A request of the user does both.
struct ExchangeLoop: Service {
  /// The delay after a first failure; it doubles with each further one.
  static let firstPause = Duration.seconds(2)

  let source: AppSource
  /// The time between refreshes of the landmarks when there are no changes.
  let every: Duration
  let logger: Logger

  func run() async throws {
    await source.sync.engine.start()
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await follow() }
        group.addTask { await source.followExchange() }
        group.addTask { await loop() }
        await group.waitForAll()
      }
    }
    await source.sync.engine.stop()
  }

  private func follow() async {
    await source.followStore { logger.error("changes of other programs can't be followed: \($0)") }
  }

  private func loop() async {
    var failures = 0
    var timer: Task<Void, Never>?
    source.wantRefresh()
    for await _ in source.exchangeWishes {
      timer?.cancel()
      // Switching the exchange on requests one.
      if source.isWorkingOffline { continue }
      do {
        if source.takeWish() { try await source.retry() }
        _ = try await source.refreshLandmarks()
        failures = 0
        await source.resume()
      } catch is CancellationError {
        break
      } catch {
        failures += 1
        logger.info("the exchange failed: \(error)")
      }
      let pause = Self.pause(every: every, failures: failures)
      timer = Task {
        do { try await Task.sleep(for: pause) } catch { return }  // Another exchange came first.
        source.wantRefresh()
      }
    }
    timer?.cancel()
  }

  /// Returns the time until the next refresh.
  /// - Parameters:
  ///   - every: The usual time.
  ///   - failures: The number of refreshes in a row that have failed.
  static func pause(every: Duration, failures: Int) -> Duration {
    guard failures > 0 else { return every }
    let backoff = ExponentialBackoff(
      baseDelay: firstPause, maximumDelay: min(every, firstPause * 1_024))
    return backoff.longestDelay(afterFailures: failures)
  }
}
