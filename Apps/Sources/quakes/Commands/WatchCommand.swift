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
        quakes watch --format json | jq .event.place
        quakes watch --min-magnitude 6 --limit 1 && echo "a strong one"

      In a pipe or a file there is a line for each event that is new or has changed since the start.
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

  @Flag(inversion: .prefixedNo, help: "Load the feed again and again.")
  var refresh = true

  @Option(
    help: ArgumentHelp(
      "Time between refreshes, for example 30s, 5m or 1h; by default 5m.", valueName: "span"))
  var every: String?

  @OptionGroup var feedOptions: FeedOptions
  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number of 1 or more.") }
  }

  func run() async throws {
    let terminal = Terminal.at(FileHandle.standardOutput.fileDescriptor)
    let format = format ?? (terminal.isInteractive ? .screen : .lines)
    if format == .screen, !terminal.isInteractive {
      throw ValidationError("--format screen needs a terminal; use lines or json.")
    }
    _ = try filters.query(now: Date())
    let every = try EnvironmentVariables().span(every, "QUAKES_EVERY", otherwise: "5m")
    let (selection, rule) = (try feedOptions.selection(), try feedOptions.rule())
    let store = try refresh ? storeOptions.open() : storeOptions.openExisting()
    let source = try LiveSource(
      selection, store: store, rule: rule,
      every: .seconds(max(every, 1)),
      logger: format == .screen ? QuakeFeed.silence : .standardError("quakes"))
    let query: @Sendable () throws -> EventQuery = { [filters] in
      try filters.query(now: Date())
    }
    guard format == .screen else {
      var room = terminal
      room.columns = max(1, room.columns - WatchLines.wordWidth)
      let table = EventTable(terminal: room, zone: .current)
      let lines = WatchLines(table: format == .lines ? table : nil, query: query, limit: limit)
      return try await write(lines, source, StoreFollower(store, large: .inPieces))
    }
    let screen = WatchScreen(
      filter: filters.shown, refreshes: refresh, terminal: terminal, zone: .current)
    try await WatchView(source: source, query: query, limit: limit, screen: screen).run()
  }

  private func write(
    _ lines: WatchLines, _ source: LiveSource, _ follower: StoreFollower
  ) async throws {
    try await untilStopped {
      try await cancelWhenGracefulShutdown {
        try await withThrowingTaskGroup(of: Void.self) { group in
          defer { group.cancelAll() }
          if refresh { group.addTask { await RefreshLoop(source).untilCancelled() } }
          group.addTask { try await lines.run(follower) }
          try await group.next()
        }
      }
    }
  }
}
