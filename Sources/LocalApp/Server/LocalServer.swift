import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// A web server of one process: listens, answers through a responder, ends gracefully.
package struct LocalServer: Sendable {
  /// Where it listens, and what it allows.
  package struct Settings: Sendable {
    /// The host name or address to listen on.
    package var host: String
    /// The TCP port; 0 takes a free one.
    package var port: Int
    /// Connections at the same time; more wait.
    package var maximumConnections: Int
    /// How long a connection may be silent between requests.
    package var idleTimeout: Duration

    package init(
      host: String = "127.0.0.1", port: Int, maximumConnections: Int = 256,
      idleTimeout: Duration = .seconds(60)
    ) {
      self.host = host
      self.port = port
      self.maximumConnections = maximumConnections
      self.idleTimeout = idleTimeout
    }

    /// Which `Host` fields such a server answers.
    package var hostRule: HostRule {
      HostRule(boundHost: host, machineName: ProcessInfo.processInfo.hostName)
    }
  }

  private let settings: Settings
  private let services: [any Service]
  private let logger: Logger

  /// - Parameters:
  ///   - settings: where it listens, and what it allows.
  ///   - services: what runs beside it and ends with it.
  ///   - logger: where failures go.
  package init(_ settings: Settings, services: [any Service], logger: Logger) {
    self.settings = settings
    self.services = services
    self.logger = logger
  }

  /// Runs until the task is cancelled or its service group shuts down.
  /// - Parameters:
  ///   - responder: answers the requests.
  ///   - onListening: called once with the address, for example `http://127.0.0.1:8080`.
  /// - Throws: ``LocalAppError`` when it cannot listen.
  package func run<Responder: HTTPResponder>(
    _ responder: Responder, onListening: @escaping @Sendable (String) async -> Void
  ) async throws where Responder.Context == BasicRequestContext {
    let shownHost = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    let application = Application(
      responder: responder, server: .http1(configuration: connection),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port),
        availableConnectionsDelegate: MaximumAvailableConnections(settings.maximumConnections)),
      services: services,
      onServerRunning: { channel in
        await onListening("http://\(shownHost):\(channel.localAddress?.port ?? settings.port)")
      },
      logger: quietLogger)
    do {
      try await application.run()
    } catch let error as IOError {
      throw cannotListen(error.localizedDescription)
    } catch let error as NIOConnectionError {
      throw cannotListen("\(error)")
    }
  }

  private func cannotListen(_ reason: String) -> LocalAppError {
    LocalAppError(
      "\(settings.host):\(settings.port)",
      reason: "cannot listen: \(reason); is it running already? --port takes another port")
  }

  private var connection: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      idleTimeout: .init(settings.idleTimeout),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 8 * 1_024, maxHeaderListSize: 16 * 1_024, maxHeaderFieldCount: 100))
  }

  /// Connections that clients drop are no news.
  private var quietLogger: Logger {
    var logger = logger
    logger.logLevel = .critical
    return logger
  }
}
