import ArgumentParser
import Foundation
import LocalApp
import QuakesKit

/// The option that all commands with a store share.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store: a file, or a database as postgresql://user@host:port/name; by default a file.",
      discussion: """
        On Linux, the file is $XDG_DATA_HOME/quakes/quakes.store or ~/.local/share/quakes/…. A database's password \
        belongs into ~/.pgpass: other users of the machine can read the arguments of programs.
        """,
      valueName: "path-or-address"))
  var store: String?

  /// The store's location.
  /// - Throws: ``QuakesError`` for an address of a server that can't be read.
  var location: StoreLocation { get throws { try EnvironmentVariables().store(store) } }

  /// Opens the store of a command that writes, and creates it if it doesn't exist.
  /// - Throws: ``QuakesError`` when it cannot be opened.
  func open() throws -> QuakeStore { try QuakeStore(location) }

  /// Opens the store of a command that only reads: a mistyped path must not create a store.
  /// - Throws: ``LocalAppError`` when there is no store, ``QuakesError`` when it cannot be opened.
  func openExisting() throws -> QuakeStore {
    let location = try location
    if case .file(let file) = location {
      try ExistingFile.requireStore(file, madeBy: "quakes refresh")
    }
    return try QuakeStore(location, isReadOnly: true)
  }

  /// Opens a store that exists, for a command that also writes to it.
  /// - Throws: ``LocalAppError`` when there is no store, ``QuakesError`` when it cannot be opened.
  func openExistingForWriting() throws -> QuakeStore {
    let store = try openExisting()
    // A file can be written already.
    guard case .server = store.location else { return store }
    return try QuakeStore(store.location)
  }
}

/// The options of commands that load a feed.
struct FeedOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The feed: the name of one of the USGS, an address, or a GeoJSON file.",
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
