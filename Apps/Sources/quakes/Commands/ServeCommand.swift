import ArgumentParser
import Foundation
import LocalApp
import LocalCopy
import Logging
import QuakesKit

/// `quakes serve`: the page and the refresh loop.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a page with list and map, and keep the store up to date.",
    discussion: """
      Works without a network: the page shows the last good copy and says how old it is. Its "Get more" loads older \
      earthquakes from the event service of the USGS, or the one that QUAKES_SERVICE names.

      EXAMPLES
        quakes serve
        quakes serve --feed all_week --every 2m --port 9000
        quakes serve --tile-style https://tiles.example.org/style.json
        quakes serve --host 0.0.0.0          for other machines too, without log-in
        quakes serve --connections 4000      for a thousand open pages
        quakes serve --store postgresql:///quakes
                                             one of several servers on a database
      """)

  @Option(help: ArgumentHelp("The port; 0 takes a free one. By default 8080.", valueName: "number"))
  var port: Int?

  @Option(
    help: ArgumentHelp("The address to listen on; by default 127.0.0.1.", valueName: "address"))
  var host: String?

  @Option(
    help: ArgumentHelp(
      "Time between refreshes, for example 30s, 5m or 1h; by default 5m.", valueName: "span"))
  var every: String?

  @Option(
    help: ArgumentHelp(
      "An online MapLibre style for the map; without it the map needs no network.",
      valueName: "url"))
  var tileStyle: String?

  @Option(
    help: ArgumentHelp(
      "The most connections at the same time, 16 to 100000; a quarter of them may be open pages. By default 256.",
      valueName: "number"))
  var connections: Int?

  @OptionGroup var feedOptions: FeedOptions
  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let environment = EnvironmentVariables()
    var settings = WebServer.Settings()
    settings.port = try environment.port(port, "QUAKES_PORT", otherwise: settings.port)
    settings.host = environment.value(host, "QUAKES_HOST") ?? settings.host
    settings.tileStyle = try environment.value(tileStyle, "QUAKES_TILE_STYLE").map(style)
    settings.maximumConnections = try environment.count(
      connections, "--connections", "QUAKES_CONNECTIONS", in: 16...100_000,
      otherwise: settings.maximumConnections)
    try OpenFiles.makeRoom(forConnections: settings.maximumConnections)
    let every = try environment.span(every, "QUAKES_EVERY", otherwise: "5m")
    let logger = Logger.standardError("quakes")
    let (selection, rule) = (try feedOptions.selection(), try feedOptions.rule())
    let store = try storeOptions.open()
    let service = try environment.namedEventService(nil)
    let source = try LiveSource(
      selection, store: store, rule: rule, service: service,
      backfill: (service ?? selection.archive).map { service in
        Backfill(from: service, into: store, rule: rule, logger: logger)
      },
      every: .seconds(max(every, 1)), logger: logger)
    let server = try WebServer(
      settings, source: source, files: .bundled(),
      services: [RefreshLoop(source), FirstSteps(source)], logger: logger)
    complain("Store \(store.location), feed \(FeedAddress.shown(selection))")
    try await untilStopped { try await server.run { announce($0) } }
  }

  private func style(_ text: String) throws -> URL {
    guard let url = URL(string: text), SecurityHeaders.origin(url) != nil else {
      throw QuakesError(
        .invalidArgument, text, reason: "--tile-style takes an http: or https: address")
    }
    return url
  }
}

extension FeedSelection {
  /// The event service that has the feed's earthquakes of all years, as far as that is known.
  fileprivate var archive: EventService? {
    url.host()?.lowercased() == EventService.usgs.url.host() ? .usgs : nil
  }
}
