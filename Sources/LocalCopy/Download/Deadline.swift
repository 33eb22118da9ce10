import Foundation
import WireFormats

/// Runs a task against a deadline.
/// - Parameters:
///   - deadline: the time that the task may take.
///   - clock: measures the time.
///   - body: the task; it is cancelled and awaited when the time is over.
/// - Returns: the result of the task, even when it is cancelled too late to stop it.
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
    do {
      if let first = try await group.next(), let result = first { return result }
    } catch let error as CancellationError {
      // A task that commits doesn't stop any more: without its result, nobody would know what it has stored.
      group.cancelAll()
      if case .success(let last) = await group.nextResult(), let last { return last }
      throw error
    }
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
