import Foundation
import HTTPLimits
import LocalApp
import Logging
import ServiceLifecycle

/// The web server of `quakes serve`.
package struct WebServer: Sendable {
  /// How the server is set up.
  package struct Settings: Sendable {
    /// The host name or address to listen on.
    package var host = "127.0.0.1"
    /// The TCP port; 0 takes a free one.
    package var port = 8080
    /// The address of an online map style for the page.
    package var tileStyle: URL?
    /// Time between the comments that keep event streams open.
    package var heartbeat = Duration.seconds(15)
    /// Connections at the same time; more wait.
    package var maximumConnections = 256
    /// Streams of changes at the same time, a connection each; one more ends the one that has been open longest.
    package var maximumStreams: Int { max(1, maximumConnections / 4) }
    /// How long it waits for clients.
    package var limits = LocalServer.Settings.limits

    package init() {}
  }

  private let settings: Settings
  private let source: any QuakeSource
  private let files: StaticFiles
  private let services: [any Service]
  private let logger: Logger

  /// - Parameters:
  ///   - settings: how it is set up.
  ///   - source: what it shows.
  ///   - files: the page.
  ///   - services: what runs beside it, for example a refresh loop.
  ///   - logger: where failures go.
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
  /// - Parameter onListening: called once with the address, for example `http://127.0.0.1:8080`.
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
      security: SecurityHeaders(tileStyle: settings.tileStyle), tileStyle: settings.tileStyle,
      logger: logger)
    try await LocalServer(place, services: services + [feeder], logger: logger)
      .run(responder, onListening: onListening)
  }
}

extension StaticFiles {
  /// The files of Quakes.
  package static func bundled() throws -> StaticFiles { try bundled(Bundle.module) }
}
