import ArgumentParser
import Foundation
import QuakesKit

extension EventQuery.Sort: ExpressibleByArgument {}
extension EventQuery.Order: ExpressibleByArgument {}

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
    help: "Its direction: asc has the oldest, weakest or alphabetically first at the beginning.")
  var order: EventQuery.Order?

  @Option(
    help: ArgumentHelp(
      "At most so many events; by default 100 in a table and all in the other formats.",
      valueName: "count"))
  var limit: Int?

  @Option(help: "How to print them; by default as a table.")
  var format: Format?

  @Flag(help: "Print them as a JSON array: --format json.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The columns of the table or of csv, in their order: \(ColumnList.names).",
      valueName: "names"),
    transform: ColumnList.init)
  var columns: ColumnList?

  @OptionGroup var presentation: Presentation

  @OptionGroup var storeOptions: StoreOptions

  private var chosenFormat: Format { json ? .json : format ?? .table }

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number of 1 or more.") }
    guard !json || format == nil || format == .json else {
      throw ValidationError("--json is --format json; give one of them.")
    }
    let format = chosenFormat
    guard columns == nil || [.table, .csv].contains(format) else {
      throw ValidationError("--columns goes with the table and csv.")
    }
    guard format == .table || !presentation.units.miles else {
      throw ValidationError("--miles goes with the table; other formats have kilometres.")
    }
  }

  /// Prints the events of a query, which is given the order and the limit.
  /// - Throws: ``QuakesError`` when the store cannot be read, and the errors of the output.
  func print(_ query: EventQuery) throws {
    var query = query
    query.sort = sort
    query.order = order ?? sort.usualOrder
    query.limit = limit
    let store = try storeOptions.openExisting()
    CoverageText.tell(query, store, option: storeOptions.store)
    var output = StandardOutput()
    if let exported = chosenFormat.exported {
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
      terminal: Terminal.at(FileHandle.standardOutput.fileDescriptor),
      zone: presentation.zone, unit: presentation.unit)
    let page = try store.page(query)
    guard !page.events.isEmpty else {
      tell(query)
      return complain(try nothing(query, store, table))
    }
    tell(query)
    if let columns {
      let lines = ColumnTable(columns.columns, table).lines(page.events)
      for line in lines { try output.line(line) }
    } else {
      try output.line(table.heading)
      for event in page.events { try output.line(table.row(event)) }
    }
    if page.events.count < page.total {
      try output.flush()
      complain("\(page.events.count) of \(page.total) events; --limit shows more.")
    }
  }

  /// Tells which places the search's names mean.
  private func tell(_ query: EventQuery) {
    for place in query.search?.places ?? [] {
      guard let name = place.name else { continue }
      complain("Within \(distance(place.radius)) of \(name).")
    }
    for section in query.search?.sections ?? []
    where section.fromName != nil || section.toName != nil {
      let (from, to) = (section.fromName ?? "the point", section.toName ?? "the point")
      complain("Within \(distance(section.halfWidth)) of the line from \(from) to \(to).")
    }
  }

  private func distance(_ kilometres: Double) -> String {
    // 200 miles are 200 of them, though they come as kilometres.
    func isWhole(_ value: Double) -> Bool { abs(value - value.rounded()) < 1e-6 }
    var unit = presentation.unit
    if !isWhole(unit.value(kilometres)), isWhole(DistanceUnit.miles.value(kilometres)) {
      unit = .miles
    }
    let value = unit.value(kilometres)
    let places = isWhole(value) ? 0 : 1
    return "\(EventTable.decimal(value, places)) \(unit.symbol)"
  }

  /// Explains why there is nothing to print, and what to do.
  private func nothing(_ query: EventQuery, _ store: QuakeStore, _ table: EventTable) throws
    -> String
  {
    guard let newest = try store.page(EventQuery(limit: 1)).events.first else {
      return "The store is empty; `quakes refresh` loads events."
    }
    guard let since = query.since, newest.time < since else { return "No event matches." }
    let now = Date()
    // The clock of this machine, or of the feed, can be wrong.
    let age = newest.time > now ? nil : Age.text(since: newest.time, now: now)
    // Of an event from long ago, the date tells more.
    let ago = age.flatMap { $0.hasPrefix(">") ? nil : ", \($0) ago" } ?? ""
    return "No event matches: the newest in the store is of \(table.zonedTime(newest.time))\(ago); "
      + "`quakes refresh` loads newer ones."
  }

  private func export(
    _ format: EventFormat, _ query: EventQuery, _ store: QuakeStore,
    _ output: inout StandardOutput
  ) throws {
    var writer = EventWriter(format, columns: columns?.columns)
    try output.write(writer.opening)
    try store.forEachBatch(query) { events in
      for event in events { try output.write(writer.bytes(event)) }
    }
    try output.write(writer.closing)
  }
}
