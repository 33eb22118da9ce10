import Foundation
import QuakesKit

/// Prints the events of a query, as `quakes list` and `quakes near` do.
struct EventList {
  let format: ListCommand.Format
  let storeOptions: StoreOptions

  /// - Throws: ``QuakesError`` when the store cannot be read, and the errors of the output.
  func print(_ query: EventQuery) throws {
    var query = query
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
