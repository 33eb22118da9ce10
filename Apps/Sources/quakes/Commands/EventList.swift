import ArgumentParser
import Foundation
import QuakesKit

extension EventQuery.Sort: ExpressibleByArgument {}

/// The options with which `quakes list` and `quakes near` print the events of a query.
struct EventList: ParsableArguments {
  /// The format in which events are printed.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json, csv
    case usgsCSV = "usgs-csv"
    case geojson, kml, quakeml, atom

    /// The format of an export; nil for the table.
    var exported: EventFormat? { EventFormat(rawValue: rawValue) }
  }

  @Option(help: "The order: newest, strongest or alphabetically first.")
  var sort: EventQuery.Sort = .time

  @Option(
    help: ArgumentHelp(
      "At most so many events; by default 100 in a table and all in the other formats.",
      valueName: "count"))
  var limit: Int?

  @Option(help: "How to print them.")
  var format: Format = .table

  @Flag(help: "Print them as a JSON array: --format json.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number of 1 or more.") }
  }

  /// Prints the events of a query, which is given the order and the limit.
  /// - Throws: ``QuakesError`` when the store cannot be read, and the errors of the output.
  func print(_ query: EventQuery) throws {
    var query = query
    query.sort = sort
    query.order = sort.usualOrder
    query.limit = limit
    let format = json ? .json : format
    let store = try storeOptions.openExisting()
    var output = StandardOutput()
    if let exported = format.exported {
      try export(exported, query, store, &output)
    } else {
      if query.limit == nil { query.limit = 100 }
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
      tell(query)
      return complain(try nothing(query, store, table))
    }
    tell(query)
    try output.line(table.heading)
    for event in page.events { try output.line(table.row(event)) }
    if page.events.count < page.total {
      try output.flush()
      complain("\(page.events.count) of \(page.total) events; --limit shows more.")
    }
  }

  /// Tells which places the search's names mean.
  private func tell(_ query: EventQuery) {
    for place in query.search?.places ?? [] {
      guard let name = place.name else { continue }
      let places = place.radius == place.radius.rounded() ? 0 : 1
      complain("Within \(EventTable.decimal(place.radius, places)) km of \(name).")
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

  private func export(
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
