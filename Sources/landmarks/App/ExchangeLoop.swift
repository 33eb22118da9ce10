import LandmarksKit
import Logging
import ServiceLifecycle

/// Exchanges with the server when the store was edited, when somebody asks, and now and then.
/// After a failure it tries again by itself, each time after a longer pause.
struct ExchangeLoop: Service {
  /// The pause after a first failure; it doubles with each further one.
  static let firstPause = Duration.seconds(2)

  let source: AppSource
  /// The time between exchanges when nothing happens.
  let every: Duration
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await follow() }
        group.addTask { await loop() }
        await group.waitForAll()
      }
    }
  }

  private func follow() async {
    do {
      try await source.follow()
    } catch is CancellationError {
      return
    } catch {
      logger.error("changes of other programs can't be followed: \(error)")
    }
  }

  private func loop() async {
    var failures = 0
    var timer: Task<Void, Never>?
    source.wantExchange()
    for await _ in source.exchangeWishes {
      timer?.cancel()
      do {
        _ = try await source.exchange()
        failures = 0
      } catch is CancellationError {
        break
      } catch {
        failures += 1
        logger.info("the exchange failed: \(error)")
      }
      let pause = Self.pause(every: every, failures: failures)
      timer = Task {
        do { try await Task.sleep(for: pause) } catch { return }  // Another exchange came first.
        source.wantExchange()
      }
    }
    timer?.cancel()
  }

  /// The time until the next exchange.
  /// - Parameters:
  ///   - every: the usual time.
  ///   - failures: how many exchanges in a row have failed.
  static func pause(every: Duration, failures: Int) -> Duration {
    failures == 0 ? every : min(every, firstPause * (1 << min(failures - 1, 10)))
  }
}
