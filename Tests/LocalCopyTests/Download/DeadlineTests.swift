import Foundation
import Testing
import WireFormats

@testable import LocalCopy

@Suite("A task with a deadline") struct DeadlineTests {
  /// A clock whose sleepers are woken at once, as by a cancellation.
  private struct CancelledSleep: TimeSource {
    var now: Date { Date(timeIntervalSince1970: 0) }
    var uptime: Duration { .zero }

    func sleep(for duration: Duration) async throws { throw CancellationError() }
  }

  /// Waits until the task is cancelled.
  private static func waitForCancellation() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    await withTaskCancellationHandler {
      for await _ in stream {}
    } onCancel: {
      continuation.finish()
    }
  }

  @Test("that is cancelled too late to stop has its result") func lateCancellation() async throws {
    let result: Int = try await withDeadline(.seconds(1), CancelledSleep()) {
      await Self.waitForCancellation()
      return 5
    }
    #expect(result == 5)
  }

  @Test("that stops when it is cancelled throws a cancellation") func cancellation() async {
    await #expect(throws: CancellationError.self) {
      let _: Int = try await withDeadline(.seconds(1), CancelledSleep()) {
        await Self.waitForCancellation()
        throw CancellationError()
      }
    }
    await #expect(throws: CancellationError.self) {
      let _: Int = try await withDeadline(.seconds(1), VirtualClock()) { throw CancellationError() }
    }
  }
}
