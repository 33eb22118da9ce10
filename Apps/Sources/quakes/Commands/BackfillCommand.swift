import ArgumentParser
import Foundation
import LocalApp
import QuakesKit

/// `quakes backfill`: loads the events of the past.
struct BackfillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backfill",
    abstract: "Load the events of a time range from an event service.",
    discussion: """
      The feeds have the events of the past 30 days; the service of the USGS has those of all years. A range is loaded \
      in parts, newest first. Loaded parts stay when this ends early, and are not loaded again: the same command \
      continues. `quakes coverage` shows the ranges.

      EXAMPLES
        quakes backfill --from 2016-01-01 --min-magnitude 2.5
        quakes backfill --from 2020-01-01 --to 2021-01-01
        quakes backfill --from 30d --force
        quakes backfill --from 2016-01-01 --service http://127.0.0.1:8081
                                              from `quakes demo-feed`
      """)

  @Option(
    help: ArgumentHelp(
      "The start: a time in UTC such as 2016-01-31 or 2016, or 30d and the like for so long ago.",
      valueName: "time"))
  var from: String

  @Option(
    help: ArgumentHelp(
      "The end, in the same forms, which is not loaded itself; by default now.", valueName: "time"))
  var to: String?

  @Option(
    name: [.customLong("min-magnitude"), .customLong("minimum-magnitude")],
    help: ArgumentHelp("Only events of at least this magnitude.", valueName: "number"))
  var minMagnitude: Double?

  @Option(
    help: ArgumentHelp(
      "An FDSN event service with GeoJSON; by default that of the USGS.", valueName: "address"))
  var service: String?

  @Flag(help: "Keep events with a magnitude of zero, a negative one or none, too.")
  var allMagnitudes = false

  @Flag(help: "Load again what is already loaded.")
  var force = false

  @Flag(help: "Print the report as one JSON object.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    if let minMagnitude, !(-10...10).contains(minMagnitude) {
      throw ValidationError("--min-magnitude takes a number from -10 to 10.")
    }
  }

  func run() async throws {
    let (environment, now) = (EnvironmentVariables(), Date())
    // A mistyped option must not leave an empty store behind.
    let service = try environment.eventService(service)
    let since = try Moment.parse(from, now: now, of: "--from")
    let until = try to.map { try Moment.parse($0, now: now, of: "--to") }
    if since >= until ?? now {
      throw QuakesError(
        .invalidArgument, "--from \(from)",
        reason: "the range ends before it starts; --to is the later time")
    }
    let rule: MagnitudeRule =
      try environment.isOn(allMagnitudes, "QUAKES_ALL_MAGNITUDES") ? .all : .aboveZero
    let store = try storeOptions.open()
    let backfill = Backfill(from: service, into: store, rule: rule)
    let start = ContinuousClock.now
    let report = try await interruptible { try await load(backfill, since, until) }
    let text = BackfillText(
      report, service: service, store: store.location, minimumMagnitude: minMagnitude,
      seconds: start.duration(to: .now) / .seconds(1))
    var output = StandardOutput()
    if json { try output.write(text.json) } else { try output.write(text.plain) }
    try output.flush()
  }

  private func load(
    _ backfill: Backfill, _ since: Date, _ until: Date?
  ) async throws -> BackfillReport {
    let terminal = Terminal.at(FileHandle.standardError.fileDescriptor)
    let bar = terminal.isInteractive ? ProgressBar(terminal: terminal) : nil
    bar?.show(bar?.line(share: 0, "asking \(backfill.service.url.host() ?? "")") ?? "")
    defer { bar?.clear() }
    return try await backfill.run(
      since: since, until: until, minimumMagnitude: minMagnitude, force: force,
      onWait: {
        complain("Another program is loading from this service; waiting for its end …")
      },
      onProgress: { progress in
        guard let bar else { return }
        bar.show(bar.line(share: progress.report.share, BackfillText.step(progress)))
      })
  }
}
