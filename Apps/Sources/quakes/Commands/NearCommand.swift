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
      state, or a point. Of several places with a name, the most important one is taken, and told: the one with the \
      most inhabitants, of which a capital's count five times.

      EXAMPLES
        quakes near tokyo
        quakes near san francisco --within 50km --since 7d
        quakes near paris,tx --within 200mi
        quakes near 35.7,139.7 --json
        quakes near -- -33.4,-70.6
      """)

  @Argument(
    help: ArgumentHelp(
      "A place such as tokyo or 'paris, texas', or a latitude and a longitude.",
      valueName: "place"))
  var words: [String]

  @Option(
    help: ArgumentHelp(
      "The radius, in km or mi, such as 300km or 200mi; at most 20000km.", valueName: "radius"))
  var within = "100km"

  @OptionGroup var filters: EventFilters

  @OptionGroup var list: EventList

  /// The place: words with blanks between them, two numbers with a comma.
  private var place: String {
    let isPoint = words.count == 2 && words.allSatisfy { Double($0) != nil }
    return words.joined(separator: isPoint ? "," : " ")
  }

  func validate() throws {
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
    do { _ = try EventSearch("\(term) \(within)", now: Date()) } catch {
      throw error.of(error.term == within ? "--within" : place)
    }
    try list.print(try filters.query(now: Date(), and: "\(term) \(within)"))
  }
}
