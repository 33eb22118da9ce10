import ArgumentParser
import Foundation
import QuakesKit

extension EventQuery.Sort: ExpressibleByArgument {}

/// `quakes list`: prints the events of the store.
struct ListCommand: ParsableCommand {
  /// The format in which events are printed.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json, csv
    case usgsCSV = "usgs-csv"
    case geojson, kml, quakeml, atom

    /// The format of an export; nil for the table.
    var exported: EventFormat? { EventFormat(rawValue: rawValue) }
  }

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

      usgs-csv has the columns of the USGS's own files; what geojson writes can be loaded again with `quakes refresh \
      --feed FILE`.

      Times of the table are local; those of the other formats are in UTC.
      """)

  @OptionGroup var filters: EventFilters

  @Option(help: "The order: newest, strongest or alphabetically first.")
  var sort: EventQuery.Sort = .time

  @Option(
    help: ArgumentHelp(
      "At most so many events; by default 100 in a table and all in the other formats.",
      valueName: "count"))
  var limit: Int?

  @Option(help: "How to print them.")
  var format: Format = .table

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number of 1 or more.") }
  }

  func run() throws {
    var query = try filters.query(now: Date())
    query.sort = sort
    query.order = sort.usualOrder
    query.limit = limit
    try EventList(format: format, storeOptions: storeOptions).print(query)
  }
}
