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
    let store = try storeOptions.openExisting()
    var output = StandardOutput()
    if let exported = format.exported {
      try print(exported, query, store, &output)
    } else {
      if limit == nil { query.limit = 100 }
      try printTable(query, store, &output)
    }
    try output.flush()
  }

  private func printTable(
    _ query: EventQuery, _ store: QuakeStore, _ output: inout StandardOutput
  ) throws {
    let table = EventTable(
      terminal: Terminal.at(FileHandle.standardOutput.fileDescriptor), zone: .current)
    let page = try store.page(query)
    guard !page.events.isEmpty else {
      return complain(try nothing(query, store, table))
    }
    try output.line(table.heading)
    for event in page.events { try output.line(table.row(event)) }
    if page.events.count < page.total {
      try output.flush()
      complain("\(page.events.count) of \(page.total) events; --limit shows more.")
    }
  }

  /// Explains why there is nothing to print, and what to do.
  private func nothing(_ query: EventQuery, _ store: QuakeStore, _ table: EventTable) throws
    -> String
  {
    guard let newest = try store.page(EventQuery(limit: 1)).events.first else {
      return "The store is empty; `quakes refresh` loads events."
    }
    guard let since = query.since, newest.time < since else { return "No event matches." }
    return "No event matches: the newest in the store is of \(table.zonedTime(newest.time)), "
      + "\(Age.text(since: newest.time, now: Date())) ago; `quakes refresh` loads newer ones."
  }

  private func print(
    _ format: EventFormat, _ query: EventQuery, _ store: QuakeStore,
    _ output: inout StandardOutput
  ) throws {
    var writer = EventWriter(format)
    try output.write(writer.opening)
    try store.forEachBatch(query) { events in
      for event in events { try output.write(writer.bytes(event)) }
    }
    try output.write(writer.closing)
  }
}
