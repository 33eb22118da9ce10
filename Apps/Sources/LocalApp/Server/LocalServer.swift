import Foundation
import HTTPLimits
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// A web server in this process, which answers requests through a responder and shuts down gracefully.
package struct LocalServer: Sendable {
  /// The address and the limits of a server.
  package struct Settings: Sendable {
    /// The host name or address to listen on.
    package var host: String
    /// The TCP port; 0 uses a free one.
    package var port: Int
    /// The maximum number of simultaneous connections; further ones wait.
    package var maximumConnections: Int
    /// The time limits for clients.
    package var limits: ConnectionLimits

    package init(
      host: String = "127.0.0.1", port: Int, maximumConnections: Int = 256,
      limits: ConnectionLimits = Settings.limits
    ) {
      self.host = host
      self.port = port
      self.maximumConnections = maximumConnections
      self.limits = limits
    }

    /// Limits that suffice for a page and its program: the bodies of their requests have a few KiB.
    package static var limits: ConnectionLimits {
      var limits = ConnectionLimits()
      limits.request = .seconds(15)
      return limits
    }

    /// The rule for the `Host` fields that such a server answers.
    package var hostRule: HostRule {
      HostRule(boundHost: host, machineName: ProcessInfo.processInfo.hostName)
    }
  }

  private let settings: Settings
  private let services: [any Service]
  private let logger: Logger

  /// - Parameters:
  ///   - settings: The address and the limits.
  ///   - services: Services that run beside the server and end with it.
  ///   - logger: The logger for failures.
  package init(_ settings: Settings, services: [any Service], logger: Logger) {
    self.settings = settings
    self.services = services
    self.logger = logger
  }

  /// Runs until the task is cancelled or its service group shuts down, and ends gracefully.
  /// - Parameters:
  ///   - responder: Answers the requests.
  ///   - onListening: Called once with the address, for example `http://127.0.0.1:8080`.
  /// - Throws: ``LocalAppError`` when it cannot listen.
  package func run<Responder: HTTPResponder>(
    _ responder: Responder, onListening: @escaping @Sendable (String) async -> Void
  ) async throws where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let shownHost = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    // Services such as loading a feed wait until the port is bound: another instance may already be running on it.
    let services = services.map { AfterListening(service: $0) }
    let application = Application(
      responder: responder, server: .http1(configuration: connection),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port),
        availableConnectionsDelegate: MaximumAvailableConnections(settings.maximumConnections)),
      services: services,
      onServerRunning: { channel in
        for service in services { service.listening.begin() }
        await onListening("http://\(shownHost):\(channel.localAddress?.port ?? settings.port)")
      },
      logger: quietLogger)
    do {
      try await endingGracefully { try await application.run() }
    } catch {
      guard let reason = ListeningFailure.reason(error) else { throw error }
      throw LocalAppError("\(shownHost):\(settings.port)", reason: "cannot listen: \(reason)")
    }
  }

  private var connection: HTTP1Channel.Configuration {
    .guarded(settings.limits, ConnectionPlaces(settings.maximumConnections))
  }

  /// Connections that clients drop aren't logged.
  private var quietLogger: Logger {
    var logger = logger
    logger.logLevel = .critical
    return logger
  }
}

/// Signals that a server listens. The signal is sent once, and one task waits for it.
private final class Listening: Sendable {
  private let moments: AsyncStream<Void>
  private let moment: AsyncStream<Void>.Continuation

  init() { (moments, moment) = AsyncStream.makeStream(of: Void.self) }

  func begin() { moment.finish() }

  /// Waits until the server listens.
  /// - Returns: false when the task is cancelled or its service group shuts down first.
  func wait() async -> Bool {
    await cancelWhenGracefulShutdown {
      for await _ in self.moments {}
      return !Task.isCancelled
    }
  }
}

/// A service that starts when the server listens.
private struct AfterListening: Service {
  let service: any Service
  let listening = Listening()

  func run() async throws {
    guard await listening.wait() else { return }
    try await service.run()
  }
}
