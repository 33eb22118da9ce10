import Foundation

/// Places, lines between them, and distances.
extension SearchTerm {
  /// A distance that may follow a term: without one, the usual one holds.
  struct DistanceRule {
    /// Kilometres.
    var usual: Double
    /// The greatest, in kilometres.
    var most: Double
    /// What is possible, for an error.
    var advice: String

    static let radius = DistanceRule(
      usual: 100, most: 20_000,
      advice: "a radius is more than 0 and at most 20000 km, as in near:tokyo 300km")
    static let halfWidth = DistanceRule(
      usual: SearchSection.usualHalfWidth, most: SearchSection.greatestHalfWidth,
      advice: "a section has more than 0 and at most 1000 km on each side of its line, "
        + "as in \(sectionExample)")
  }

  private static let sectionExample = "section:35.5,139..38,145 50km"

  static func place(
    _ value: String, _ token: SearchToken, _ next: inout ArraySlice<SearchToken>,
    _ context: Context
  ) throws(SearchError) -> SearchPlace {
    guard !value.isEmpty else {
      throw bad(token, "lacks a place, as in near:tokyo or near:35.7,139.7")
    }
    let whole = longName(value, token, &next, context)
    let radius = try distance(&next, .radius)
    let (name, point) = try point(whole, token, context, example: "near:35.7,139.7")
    return SearchPlace(
      name: name,
      circle: NearCircle(latitude: point.latitude, longitude: point.longitude, radius: radius))
  }

  /// Returns a name of several words that a populated place has, and takes its further words, at most two, from the
  /// tokens that follow: `near:new york`. Otherwise the name itself.
  private static func longName(
    _ value: String, _ token: SearchToken, _ next: inout ArraySlice<SearchToken>,
    _ context: Context
  ) -> String {
    guard !token.hasQuotes, value.firstMatch(of: /[0-9,]/) == nil else { return value }
    let words = next.prefix(2).prefix { $0.isNameWord }.map(\.text)
    for count in stride(from: words.count, to: 0, by: -1) {
      let name = ([value] + words.prefix(count)).joined(separator: " ")
      guard context.places.place(name) != nil else { continue }
      next = next.dropFirst(count)
      return name
    }
    return value
  }

  static func section(
    _ value: String, _ token: SearchToken, _ next: inout ArraySlice<SearchToken>,
    _ context: Context
  ) throws(SearchError) -> SearchSection {
    let halfWidth = try distance(&next, .halfWidth)
    let ends = value.components(separatedBy: "..")
    guard ends.count == 2, !ends.contains("") else {
      throw bad(
        token, "a section is its two ends, as in \(sectionExample) or section:tokyo..sendai")
    }
    let (fromName, from) = try point(ends[0], token, context, example: sectionExample)
    let (toName, to) = try point(ends[1], token, context, example: sectionExample)
    guard let band = SectionBand(from: from, to: to, halfWidth: halfWidth) else {
      throw bad(
        token,
        "the ends of a section are from 1 to 20000 km apart: equal and opposite points have no "
          + "line of their own, as in \(sectionExample)")
    }
    return SearchSection(fromName: fromName, toName: toName, band: band)
  }

  /// Reads a point, or looks up the place with a name.
  private static func point(
    _ value: String, _ token: SearchToken, _ context: Context, example: String
  ) throws(SearchError) -> (name: String?, point: SectionBand.Point) {
    if let match = value.wholeMatch(
      of: /([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?),([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?)/)
    {
      guard let latitude = Double(match.1), let longitude = Double(match.2), abs(latitude) <= 90,
        abs(longitude) <= 180
      else {
        throw bad(
          token,
          "latitudes are from -90 to 90 and longitudes from -180 to 180, as in \(example)")
      }
      return (nil, SectionBand.Point(latitude: latitude, longitude: longitude))
    }
    guard let place = context.places.place(value) else {
      throw unknown(value, token.source, context.places)
    }
    return (
      place.fullName, SectionBand.Point(latitude: place.latitude, longitude: place.longitude)
    )
  }

  /// The error for a name that no populated place has.
  static func unknown(_ name: String, _ term: String, _ places: Gazetteer) -> SearchError {
    if let failure = places.failure {
      return SearchError(
        .unknownPlace, term,
        "the list of places cannot be read (\(failure)); near:35.7,139.7 names a point")
    }
    let similar = places.suggestions(name).map { "near:\($0)" }
    let advice =
      similar.isEmpty
      ? "names of several words are in quotation marks, as in near:\"san francisco\""
      : "there are \(similar.joined(separator: ", "))"
    return SearchError(
      .unknownPlace, term,
      "no populated place has this name; \(advice), or near:35.7,139.7 names a point")
  }

  /// Takes the distance `300km` or `200 mi` from the following tokens.
  private static func distance(
    _ next: inout ArraySlice<SearchToken>, _ rule: DistanceRule
  ) throws(SearchError) -> Double {
    func plain(_ token: SearchToken) -> String? {
      token.isNegated || token.isQuoted ? nil : SearchWord.folded(token.text)
    }
    guard let first = next.first, let text = plain(first) else { return rule.usual }
    var (whole, source, count) = (text, first.source, 1)
    if text.wholeMatch(of: /[0-9.]+/) != nil, let second = next.dropFirst().first,
      let unit = plain(second), ["km", "mi"].contains(unit)
    {
      (whole, source, count) = (text + unit, "\(first.source) \(second.source)", 2)
    }
    guard let match = whole.wholeMatch(of: /([0-9]+(?:\.[0-9]+)?)(km|mi)/) else {
      // A magnitude, such as 6.4, may follow.
      guard text.wholeMatch(of: /[0-9]+/) == nil else {
        throw SearchError(.badValue, source, rule.advice)
      }
      return rule.usual
    }
    let value = match.1.utf8.count <= 12 ? Double(match.1) ?? 0 : 0
    let distance = match.2 == "mi" ? value * kilometresPerMile : value
    guard distance > 0, distance <= rule.most else {
      throw SearchError(.badValue, source, rule.advice)
    }
    next = next.dropFirst(count)
    return distance
  }
}
