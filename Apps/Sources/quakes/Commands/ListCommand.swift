import ArgumentParser
import Foundation
import QuakesKit

/// `quakes list`: prints the events of the store.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print the events in the store.",
    discussion: """
      EXAMPLES
        quakes list
        quakes list --min-magnitude 4.5 --since 7d --sort magnitude
        quakes list --search alaska --format csv > alaska.csv
        quakes list --search 'california m>4 depth<30 since:2024 -type:blast'
        quakes list --format geojson | jq '.features | length'
        quakes list --format kml --min-magnitude 4.5 > strong.kml
        quakes list --type blast --order asc --columns time,magnitude,place --utc

      usgs-csv has the columns of the USGS's own files; what geojson writes can be loaded again with `quakes refresh \
      --feed FILE`.

      Times of the table are local without --utc; those of the other formats are in UTC. A depth with an arrow, such \
      as ↑1 km, is above sea level.
      """)

  @OptionGroup var filters: EventFilters

  @OptionGroup var list: EventList

  func run() throws { try list.print(try filters.query(now: Date())) }
}
