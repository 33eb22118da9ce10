import Foundation
import WireFormats

/// Runs a task against a deadline.
/// - Parameters:
///   - deadline: the time that the task may take.
///   - clock: measures the time.
///   - body: the task; it is cancelled and awaited when the time is over.
/// - Throws: ``LocalCopyError`` with the code `timedOut`, or the error of the task.
func withDeadline<Result: Sendable>(
  _ deadline: Duration, _ clock: any TimeSource,
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
