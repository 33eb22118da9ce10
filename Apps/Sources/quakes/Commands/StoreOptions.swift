import ArgumentParser
import Foundation
import LocalApp
import QuakesKit

/// The option that all commands with a store share.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store's file; by default in the place where your system keeps such data.",
      discussion: "On Linux, $XDG_DATA_HOME/quakes/quakes.store or ~/.local/share/quakes/….",
      valueName: "path"))
  var store: String?

  /// The store's file.
  var file: URL { EnvironmentVariables().store(store) }

  /// Opens the store of a command that writes, and creates it if it doesn't exist.
  /// - Throws: ``QuakesError`` when it cannot be opened.
  func open() throws -> QuakeStore { try QuakeStore(file: file) }

  /// Opens the store of a command that only reads: a mistyped path must not create a store.
  /// - Throws: ``LocalAppError`` when there is no store, ``QuakesError`` when it cannot be opened.
  func openExisting() throws -> QuakeStore {
    try ExistingFile.requireStore(file, madeBy: "quakes refresh")
    return try open()
  }
}

/// The options of commands that load a feed.
struct FeedOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What to load: a USGS feed's name, an address, or a GeoJSON file.",
      discussion: """
        The names are a level (significant, 4.5, 2.5, 1.0, all), an underscore and a window (hour, day, \
        week, month), for example significant_month. By default all_day.
        """,
      valueName: "feed"))
  var feed: String?

  @Flag(help: "Keep events with a magnitude of zero, a negative one or none, too.")
  var allMagnitudes = false

  /// Returns the feed.
  func selection() throws -> FeedSelection { try EnvironmentVariables().feed(feed) }

  /// Returns the rule for the events that are kept.
  func rule() throws -> MagnitudeRule {
    try EnvironmentVariables().isOn(allMagnitudes, "QUAKES_ALL_MAGNITUDES") ? .all : .aboveZero
  }
}
