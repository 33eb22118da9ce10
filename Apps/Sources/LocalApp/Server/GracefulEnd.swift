import Logging
import ServiceLifecycle

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
  var logger = Logger(label: "server") { _ in SwiftLogNoOpLogHandler() }
  logger.logLevel = .critical
  let group = ServiceGroup(
    configuration: ServiceGroupConfiguration(
      services: [
        .init(
          service: Serving(serve: serve), successTerminationBehavior: .gracefullyShutdownGroup,
          failureTerminationBehavior: .cancelGroup)
      ], logger: logger))
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

private struct Serving: Service {
  let serve: @Sendable () async throws -> Void

  func run() async throws { try await serve() }
}
