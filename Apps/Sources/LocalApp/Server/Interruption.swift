import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs an operation that SIGINT and SIGTERM cancel.
/// - Throws: `CancellationError` when a signal ended the operation, and the errors of the
///   operation.
package func interruptible<Result: Sendable>(
  _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let (results, finished) = AsyncThrowingStream.makeStream(of: Result.self)
  let service = Work {
    do {
      finished.yield(try await work())
      finished.finish()
    } catch {
      finished.finish(throwing: error)
    }
  }
  try await run(service, cancellationSignals: true)
  for try await result in results { return result }
  throw CancellationError()
}

/// Runs a server until SIGINT or SIGTERM ends it gracefully.
package func untilStopped(_ serve: @escaping @Sendable () async throws -> Void) async throws {
  try await run(Work(serve), cancellationSignals: false)
}

/// Prints the line that scripts wait for; to standard error where standard output can't be written.
package func announce(_ address: String) {
  let line = "listening on \(address)"
  do { try StandardOutput.write(Array((line + "\n").utf8), to: STDOUT_FILENO) } catch {
    complain(line)
  }
}

/// Runs a server, which shuts down gracefully when the task is cancelled.
///
/// A server of SwiftNIO whose own task is cancelled while it accepts a connection may end the program
/// (https://github.com/apple/swift-nio/issues/2637).
///
/// - Parameters:
///   - limit: The time after the cancellation for requests that are being answered; then they are cancelled.
///   - serve: Runs the server until its service group shuts down.
package func endingGracefully(
  within limit: Duration = .seconds(5), _ serve: @escaping @Sendable () async throws -> Void
) async throws {
  let group = group(Work(serve))
  // A task of its own, which isn't cancelled with the caller's.
  let running = Task { try await group.run() }
  try await withTaskCancellationHandler {
    try await running.value
  } onCancel: {
    Task {
      await group.triggerGracefulShutdown()
      try? await Task.sleep(for: limit)
      running.cancel()
    }
  }
}

private struct Work: Service {
  let work: @Sendable () async throws -> Void

  init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

  func run() async throws { try await work() }
}

private func run(_ work: Work, cancellationSignals: Bool) async throws {
  let signals: [UnixSignal] = [.sigint, .sigterm]
  let group = group(
    work, gracefulShutdownSignals: cancellationSignals ? [] : signals,
    cancellationSignals: cancellationSignals ? signals : [])
  try await group.run()
}

private func group(
  _ work: Work, gracefulShutdownSignals: [UnixSignal] = [], cancellationSignals: [UnixSignal] = []
) -> ServiceGroup {
  var logger = Logger(label: "application") { _ in SwiftLogNoOpLogHandler() }
  logger.logLevel = .critical
  return ServiceGroup(
    configuration: ServiceGroupConfiguration(
      services: [
        .init(
          service: work, successTerminationBehavior: .gracefullyShutdownGroup,
          failureTerminationBehavior: .cancelGroup)
      ],
      gracefulShutdownSignals: gracefulShutdownSignals,
      cancellationSignals: cancellationSignals,
      logger: logger))
}
