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

/// Prints the line that scripts wait for.
package func announce(_ address: String) {
  FileHandle.standardOutput.write(Data("listening on \(address)\n".utf8))
}

private struct Work: Service {
  let work: @Sendable () async throws -> Void

  init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

  func run() async throws { try await work() }
}

private func run(_ work: Work, cancellationSignals: Bool) async throws {
  var logger = Logger(label: "application") { _ in SwiftLogNoOpLogHandler() }
  logger.logLevel = .critical
  let signals: [UnixSignal] = [.sigint, .sigterm]
  let group = ServiceGroup(
    configuration: ServiceGroupConfiguration(
      services: [
        .init(
          service: work, successTerminationBehavior: .gracefullyShutdownGroup,
          failureTerminationBehavior: .cancelGroup)
      ],
      gracefulShutdownSignals: cancellationSignals ? [] : signals,
      cancellationSignals: cancellationSignals ? signals : [],
      logger: logger))
  try await group.run()
}
