import ArgumentParser
import DemoFeed
import Foundation
import LocalApp
import QuakesKit

extension Fault: ExpressibleByArgument {}

/// `quakes demo-feed`: a feed without a network.
struct DemoFeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo-feed",
    abstract: "Serve made-up or captured earthquakes as USGS would.",
    discussion: """
      Listens on this machine only. The same seed gives the same events.

      EXAMPLES
        quakes demo-feed --advance-every 10s
        quakes demo-feed --replay monday.geojson tuesday.geojson
        quakes demo-feed --write big.geojson --events 1000000

      The feeds are at http://127.0.0.1:8081/earthquakes/feed/v1.0/summary/NAME.geojson, which \
      `quakes serve --feed` takes. While it runs, requests below http://127.0.0.1:8081/control steer it.

      REQUESTS
        curl -X POST HOST/control/advance               let something happen
        curl -X POST 'HOST/control/fault?kind=503'      make it fail
        curl -X POST 'HOST/control/fault?kind=none'     and work again
        curl -X POST 'HOST/control/fault?kind=503&after=3'
                                                        fail after three requests
        curl HOST/control/state                         see where it stands

      Faults: none, 400, 404, 413, 429, 500, 503, timeout, truncated, bad-gzip, malformed, malformed-feature, \
      slow-drip, html

      HOST/fdsnws/event/1 is an event service with the events of the years before, which `quakes backfill --service \
      HOST` loads.
      """)

  @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "number"))
  var port: Int = 8081

  @Option(help: ArgumentHelp("Decides which events there are.", valueName: "number"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("The number of events in 30 days.", valueName: "count"))
  var events: Int = 10_000

  @Option(
    help: ArgumentHelp("The years of events that the event service has.", valueName: "count"))
  var years: Int = 10

  @Option(
    help: ArgumentHelp(
      "The moment of the newest event, in ISO 8601; by default now.", valueName: "time"))
  var anchor: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Serve these captures one after the other instead of made-up events.", valueName: "file"))
  var replay: [String] = []

  @Option(help: ArgumentHelp("A fault from the start on.", valueName: "kind"))
  var fault: Fault = .none

  @Option(
    help: ArgumentHelp("Let something happen this often, for example 10s.", valueName: "span"))
  var advanceEvery: String?

  @Option(
    help: ArgumentHelp("The age of answers that caches may use, in seconds.", valueName: "seconds"))
  var maxAge: Int = 60

  @Flag(help: "Send entity tags, which the real feeds do not.")
  var etag = false

  @Flag(help: "Let time stand still but for a minute a step, so that everything repeats exactly.")
  var steps = false

  @Option(
    help: ArgumentHelp("Write the month's feed to a file and end.", valueName: "file"))
  var write: String?

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port takes a number from 0 to 65535.")
    }
    guard (0...40_000_000).contains(events) else {
      throw ValidationError("--events takes a number from 0 to 40000000.")
    }
    guard (0...1_000).contains(years) else {
      throw ValidationError("--years takes a number from 0 to 1000.")
    }
    guard write == nil || (replay.isEmpty && advanceEvery == nil && fault == .none) else {
      throw ValidationError(
        "--write writes made-up events; it goes without --replay, --advance-every and --fault.")
    }
    guard maxAge >= 0 else { throw ValidationError("--max-age takes a number of seconds.") }
  }

  func run() async throws {
    let settings = try settings()
    if let write {
      let month = SummaryFeed(level: .all, window: .month)
      let file = URL(fileURLWithPath: write)
      let size = try FeedFile.write(month, of: settings.catalogue, to: file)
      complain("\(write): \(events) events, \(ProgressBar.size(size))")
      return
    }
    try await untilStopped {
      try await DemoFeedServer(settings).run { port in
        announce("http://127.0.0.1:\(port)")
      }
    }
  }

  private func settings() throws -> DemoFeedServer.Settings {
    var settings = DemoFeedServer.Settings()
    settings.port = port
    settings.seed = seed
    settings.events = events
    settings.years = years
    settings.anchor = try anchor.map { try Moment.parse($0, now: Date(), of: "--anchor") }
    settings.clock = steps ? .steps : .live
    settings.fault = fault
    settings.maximumAge = maxAge
    settings.entityTags = etag
    if !replay.isEmpty {
      settings.replay = try Replay(files: replay.map { URL(fileURLWithPath: $0) })
    }
    if let advanceEvery {
      let seconds = try EnvironmentVariables([:]).span(advanceEvery, "", otherwise: "10s")
      settings.advanceEvery = .seconds(seconds)
    }
    return settings
  }
}
