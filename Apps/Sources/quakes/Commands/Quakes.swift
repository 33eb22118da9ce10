import ArgumentParser
import LocalApp
import SwiftData

/// The command `quakes`.
@main
struct Quakes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quakes",
    abstract: "Earthquakes of the U.S. Geological Survey in a local copy.",
    discussion: """
      Loads the USGS feeds into a store on this machine, which stays readable without a network, or into a \
      PostgreSQL database that several servers share.

      EXAMPLES
        quakes refresh                        load the events of the past day
        quakes refresh --feed all_month       load those of the past 30 days
        quakes backfill --from 2016-01-01     load those since then
        quakes list --min-magnitude 4.5       the strong ones
        quakes list --since 24h --format csv  for a spreadsheet
        quakes near tokyo --within 300km      the ones near a place
        quakes open nc75176351                the page of one at the USGS
        quakes stats --since 30d              events a day, magnitudes, b value
        quakes watch                          the newest, as they come
        quakes serve                          a page with list and map
        quakes demo-feed                      a feed that needs no network

      ENVIRONMENT
        QUAKES_STORE, QUAKES_FEED, QUAKES_SERVICE, QUAKES_PORT (not of demo-feed),
        QUAKES_HOST, QUAKES_EVERY, QUAKES_TILE_STYLE, QUAKES_CONNECTIONS and
        QUAKES_ALL_MAGNITUDES (1 or 0) stand in for the options of the same names;
        an option beats its variable.
        NO_COLOR switches colour off.

      EXIT CODES
          0  done
          1  no such event
         64  wrong usage
         65  the feed's data cannot be used
         66  a feed's file cannot be read
         69  the feed cannot be reached
         70  a defect of this program
         74  the store, a file or a port fails; a store to be read is not there
         75  the feed is busy, try again later
        130  interrupted
      """,
    version: QuakesVersion.current,
    subcommands: [
      RefreshCommand.self, BackfillCommand.self, CoverageCommand.self, ListCommand.self,
      NearCommand.self, ShowCommand.self, OpenCommand.self, StatsCommand.self, WatchCommand.self,
      ServeCommand.self, DemoFeedCommand.self,
    ])

  /// Runs the command and converts an error into a message and an exit code.
  static func main() async {
    // Not notices: a database leaves parts of searches to this program, and the result is the same.
    SwiftDataLog.handler = { message in
      if message.level != .notice { complain("\(message)") }
    }
    await runProgram("quakes") { ExitStatus($0) }
  }
}
