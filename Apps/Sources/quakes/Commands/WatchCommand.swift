import ArgumentParser
import Foundation
import LocalCopy
import Logging
import QuakesKit
import ServiceLifecycle

/// `quakes watch`: shows the newest events as they arrive.
struct WatchCommand: AsyncParsableCommand {
  /// The format in which events are shown.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case screen, lines, json
  }

  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show the newest events in the terminal as they come.",
    discussion: """
      Loads the feed again and again, and shows what this and other programs write to the store: another \
      `quakes serve`, or a `quakes refresh` of cron's. New events are marked with +, changed ones with ~, \
      for a minute. Keys: r loads the feed now, q or Ctrl-C ends.

      EXAMPLES
        quakes watch
        quakes watch --min-magnitude 4.5 --since 24h
        quakes watch --no-refresh                    only look at what others load
        quakes watch --json | jq .event.place
        quakes watch --min-magnitude 6 --limit 1 && echo "a strong one"
        quakes watch --since 1h --run 'notify-send -- "$QUAKES_PLACE"'
        quakes watch --run 'jq -r .place >> places.txt'

      In a pipe or a file there is a line for each event that is new or has changed since the start.

      --run starts a command for each new event that the filters choose, once for an earthquake, also when it comes \
      under several identifiers; --since 1h leaves out those that arrive late, as after a pause. Events that the first \
      refresh brings into an empty store are no news and start none; with --since, those since then do. /bin/sh reads the \
      command as you write it. The feed's text is never a part of it: it is in the variables QUAKES_ID, \
      QUAKES_MAGNITUDE, QUAKES_PLACE, QUAKES_TIME (UTC), QUAKES_LATITUDE, QUAKES_LONGITUDE, QUAKES_DEPTH (km) and \
      QUAKES_URL, empty where the feed has none and without control characters, and as the API's JSON object on the \
      standard input. Put it into single quotation marks here, and variables into double ones in it. The commands run \
      one after the other; what they print goes to the standard error, or nowhere beside the screen. One that fails is \
      told there, and the watch goes on.
      """)

  @OptionGroup var filters: EventFilters

  @Option(
    help: ArgumentHelp(
      "At most so many events on the screen; as lines, the end after so many.", valueName: "count"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "How to show them; by default the screen on a terminal, lines elsewhere."))
  var format: Format?

  @Flag(help: "Write a JSON object a line: --format json.")
  var json = false

  @Flag(inversion: .prefixedNo, help: "Load the feed again and again.")
  var refresh = true

  @Option(
    help: ArgumentHelp(
      "Time between refreshes, for example 30s, 5m or 1h; by default 5m.", valueName: "span"))
  var every: String?

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("A command to run for each new event.", valueName: "command"))
  var command: String?

  @Option(
    help: ArgumentHelp(
      "Time after which a command is ended, for example 30s or 5m; by default 1m.",
      valueName: "span"))
  var runLimit: String?

  @OptionGroup var presentation: Presentation
  @OptionGroup var feedOptions: FeedOptions
  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number of 1 or more.") }
    if let command, !command.contains(where: { !$0.isWhitespace }) {
      throw ValidationError("--run takes a command, such as 'echo \"$QUAKES_PLACE\"'.")
    }
    guard !json || format == nil || format == .json else {
      throw ValidationError("--json is --format json; give one of them.")
    }
    guard !json && format != .json || !presentation.units.miles else {
      throw ValidationError("--miles goes with the screen and lines; JSON has kilometres.")
    }
    guard command != nil || runLimit == nil else {
      throw ValidationError("--run-limit goes with --run.")
    }
  }

  func run() async throws {
    let terminal = Terminal.at(FileHandle.standardOutput.fileDescriptor)
    let format = json ? .json : format ?? (terminal.isInteractive ? .screen : .lines)
    if format == .screen, !terminal.isInteractive {
      throw ValidationError("--format screen needs a terminal; use lines or json.")
    }
    _ = try filters.query(now: Date())
    let every = try EnvironmentVariables().span(every, "QUAKES_EVERY", otherwise: "5m")
    let runLimit = try EnvironmentVariables([:]).span(runLimit, "", otherwise: "1m")
    let (selection, rule) = (try feedOptions.selection(), try feedOptions.rule())
    let store = try refresh ? storeOptions.open() : storeOptions.openExisting()
    let source = try LiveSource(
      selection, store: store, rule: rule,
      every: .seconds(max(every, 1)),
      logger: format == .screen ? QuakeFeed.silence : .standardError("quakes"))
    let query: @Sendable () throws -> EventQuery = { [filters] in
      try Self.query(filters, now: Date())
    }
    guard format == .screen else {
      var room = terminal
      room.columns = max(1, room.columns - WatchLines.wordWidth)
      let table = EventTable(
        terminal: room, zone: presentation.zone, unit: presentation.unit)
      let runner = command.map {
        let command = EventCommand(text: $0, limit: .seconds(runLimit), output: .standardError)
        return EventRunner(store, takesFirstLoad: filters.since != nil, run: command.run) {
          if let failure = $0 { complain(failure) }
        }
      }
      let lines = WatchLines(
        table: format == .lines ? table : nil, query: query, limit: limit, runner: runner)
      return try await write(lines, source, StoreFollower(store, large: .inPieces), runner)
    }
    let screen = WatchScreen(
      filter: filters.shown, refreshes: refresh, terminal: terminal, zone: presentation.zone,
      unit: presentation.unit)
    var view = WatchView(source: source, query: query, limit: limit, screen: screen)
    guard let command else { return try await view.run() }
    let failures = CommandFailures()
    view.failures = failures
    defer { failures.tell() }
    let runner = EventRunner(
      store, takesFirstLoad: filters.since != nil,
      run: EventCommand(text: command, limit: .seconds(runLimit), output: failures.output).run,
      report: failures.add)
    let follower = try StoreFollower(store, large: .inPieces)
    // The end of this function cancels both, and waits for them.
    async let _ = runner.follow(follower, query)
    async let _ = runner.run()
    try await view.run()
  }

  /// Returns the query of a time at which the store is read. A range such as the past day before some time becomes
  /// empty as time passes.
  static func query(_ filters: EventFilters, now: Date) throws -> EventQuery {
    try filters.query(now: now, refusesEmpty: false)
  }

  private func write(
    _ lines: WatchLines, _ source: LiveSource, _ follower: StoreFollower, _ runner: EventRunner?
  ) async throws {
    try await untilStopped {
      try await cancelWhenGracefulShutdown {
        try await withThrowingTaskGroup(of: Void.self) { group in
          defer { group.cancelAll() }
          if refresh { group.addTask { await RefreshLoop(source).untilCancelled() } }
          group.addTask {
            guard let runner else { return try await lines.run(follower) }
            try await runner.during { try await lines.run(follower) }
          }
          try await group.next()
        }
      }
    }
  }
}
