import Foundation
import LocalApp
import Logging
import ServiceLifecycle

/// The page of `landmarks app` and its exchange with the server.
struct AppServer: Sendable {
  let place: LocalServer.Settings
  let source: AppSource
  let files: StaticFiles
  /// The time between exchanges when there are no changes.
  let every: Duration
  /// The origin of a page that may show this one in a frame; nil for none.
  var framedBy: PageOrigin?
  let logger: Logger

  /// Runs until the task is cancelled or its service group shuts down.
  func run(onListening: @escaping @Sendable (String) async -> Void) async throws {
    let hub = StreamHub(epoch: String(UInt64.random(in: 0...UInt64.max), radix: 36))
    let services: [any Service] = [
      ExchangeLoop(source: source, every: every, logger: logger),
      PageFeeder(source: source, hub: hub, heartbeat: .seconds(15), logger: logger),
    ]
    let responder = AppResponder(
      source: source, files: files, hub: hub, hosts: place.hostRule,
      security: SecurityHeaders(tileStyle: nil, framedBy: framedBy?.text), logger: logger)
    try await LocalServer(place, services: services, logger: logger)
      .run(responder, onListening: onListening)
  }
}
