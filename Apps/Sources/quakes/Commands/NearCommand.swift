import ArgumentParser
import Foundation
import QuakesKit

/// `quakes near`: prints the events in the surroundings of a place.
struct NearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "near",
    abstract: "Print the events near a place.",
    discussion: """
      The same as `quakes list --search 'near:PLACE RADIUS'`. A place is a populated one, perhaps with its country or \
      state, or a point. Of several places with a name, the one with the most inhabitants is taken, and told.

      EXAMPLES
        quakes near tokyo
        quakes near 'san francisco' --within 50km --since 7d
        quakes near paris,tx --within 200mi
        quakes near 35.7,139.7 --json
        quakes near -- -33.4,-70.6
      """)

  @Argument(help: "A place such as tokyo or 'paris, texas', or a latitude and a longitude.")
  var place: String

  @Option(
    help: ArgumentHelp(
      "The radius, in km or mi, such as 300km or 200mi; at most 20000km.", valueName: "radius"))
  var within = "100km"

  @OptionGroup var filters: EventFilters

  @Option(help: "The order: newest, strongest or alphabetically first.")
  var sort: EventQuery.Sort = .time

  @Option(
    help: ArgumentHelp(
      "At most so many events; by default 100 in a table and all in the other formats.",
      valueName: "count"))
  var limit: Int?

  @Option(help: "How to print them.")
  var format: ListCommand.Format = .table

  @Flag(help: "Print them as a JSON array: --format json.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number of 1 or more.") }
    if place.contains("\"") || place.isEmpty {
      throw ValidationError("A place has a name, without quotation marks.")
    }
    guard within.wholeMatch(of: /[0-9]+(\.[0-9]+)? ?(km|mi)/) != nil else {
      throw ValidationError("--within takes a radius such as 300km or 200mi.")
    }
  }

  func run() throws {
    let point = place.filter { $0 != " " }
    let isPoint = point.wholeMatch(of: /[-+0-9.]+,[-+0-9.]+/) != nil
    let term = isPoint ? "near:\(point)" : "near:\"\(place)\""
    var query = try filters.query(now: Date(), and: "\(term) \(within)")
    query.sort = sort
    query.order = sort.usualOrder
    query.limit = limit
    try EventList(format: json ? .json : format, storeOptions: storeOptions).print(query)
  }
}
