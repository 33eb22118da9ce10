import Foundation
import HTTPLimits
import LocalApp
import Logging
import QuakesKit
import ServiceLifecycle

/// The web server of `quakes serve`.
package struct WebServer: Sendable {
  /// The settings of the server.
  package struct Settings: Sendable {
    /// The host name or address to listen on.
    package var host = "127.0.0.1"
    /// The TCP port; 0 uses a free one.
    package var port = 8080
    /// The address of an online map style for the page.
    package var tileStyle: URL?
    /// The time between the comments that keep event streams open.
    package var heartbeat = Duration.seconds(15)
    /// The maximum number of simultaneous connections; further ones wait.
    package var maximumConnections = 256
    /// The maximum number of simultaneous event streams, each on its own connection; a further one ends the one that
    /// has been open longest.
    package var maximumStreams: Int { max(1, maximumConnections / 4) }
    /// The time limits for clients.
    package var limits = LocalServer.Settings.limits

    package init() {}
  }

  private let settings: Settings
  private let source: any QuakeSource
  private let files: StaticFiles
  private let services: [any Service]
  private let logger: Logger

  /// - Parameters:
  ///   - settings: The settings of the server.
  ///   - source: The source of its data.
  ///   - files: The files of the page.
  ///   - services: Services that run beside the server, for example a refresh loop.
  ///   - logger: The logger for failures.
  package init(
    _ settings: Settings, source: any QuakeSource, files: StaticFiles,
    services: [any Service] = [], logger: Logger
  ) {
    self.settings = settings
    self.source = source
    self.files = files
    self.services = services
    self.logger = logger
  }

  /// Runs until the task is cancelled or its service group shuts down.
  /// - Parameter onListening: Called once with the address, for example `http://127.0.0.1:8080`.
  /// - Throws: ``LocalAppError`` when it cannot listen.
  package func run(onListening: @escaping @Sendable (String) async -> Void) async throws {
    let hub = StreamHub(
      epoch: String(UInt64.random(in: 0...UInt64.max), radix: 36),
      maximumListeners: settings.maximumStreams)
    let feeder = StreamFeeder(
      source: source, hub: hub, heartbeat: settings.heartbeat, logger: logger)
    let place = LocalServer.Settings(
      host: settings.host, port: settings.port, maximumConnections: settings.maximumConnections,
      limits: settings.limits)
    let responder = WebResponder(
      source: source, files: files, hub: hub, hosts: place.hostRule,
      security: SecurityHeaders(tileStyle: settings.tileStyle, asksForPosition: true),
      tileStyle: settings.tileStyle,
      logger: logger)
    try await LocalServer(place, services: services + [feeder], logger: logger)
      .run(responder, onListening: onListening)
  }
}

extension StaticFiles {
  /// Returns the files of the quakes page.
  package static func bundled() throws -> StaticFiles {
    try bundled(Bundle.module, made: ["/js/place-names.js": PlaceName.module])
  }
}
