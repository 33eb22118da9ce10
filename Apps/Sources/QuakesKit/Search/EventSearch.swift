import Foundation

/// A search: terms in the form that people type, all of which an event has to meet.
///
/// | term | meaning |
/// |---|---|
/// | `blast` | a part of the place or of the kind of event, a country, state, magnitude or day |
/// | `"san francisco"` | the same text as a part of the place or kind, and nothing else |
/// | `m>4`, `m<=5`, `m:4..5`, `m:6.4` | magnitudes |
/// | `depth<30`, `depth>=70mi`, `depth:10..30` | depths, in kilometres below sea level |
/// | `since:2024-05`, `until:2024-05-03`, `since:7d` | times |
/// | `type:blast`, `status:reviewed`, `id:nc75176351` | the kind of event, its state, one event |
/// | `near:tokyo 300km`, `near:35.7,139.7 200mi` | the surroundings of a place |
/// | `box:32,-125..42,-114` | between two latitudes and two longitudes |
/// | `section:35.5,139..38,145 50km` | on both sides of the line between two places |
/// | `-blast`, `-near:tokyo` | events that the rest doesn't fit |
///
/// Anything else is a word, and a whole identifier finds its event. The page has the same rules in `search.js`; the
/// cases of `Apps/Tests/SearchCases` hold for both.
public struct EventSearch: Hashable, Sendable {
  /// The maximum number of places and sections of a search.
  static let mostPlaces = 5

  /// The search as typed.
  public let text: String
  /// The terms, each of which has to be met.
  let terms: [SearchTerm]
  /// The identifier that the text is, if it consists of words only.
  let identifier: String?

  /// Reads a search.
  /// - Parameters:
  ///   - text: The search as typed.
  ///   - now: The time from which spans such as `7d` count back.
  ///   - places: The places that can be named.
  /// - Throws: ``SearchError`` for the first term that has the form of one and cannot be read.
  public init(
    _ text: String, now: Date = Date(), places: Gazetteer = .own
  ) throws(SearchError) {
    try self.init(parts: [text], now: now, places: places)
  }

  /// Reads the terms of several searches, all of which an event has to meet. An open quotation mark of one encloses
  /// nothing of the next.
  /// - Parameters:
  ///   - parts: The searches as typed.
  ///   - now: The time from which spans such as `7d` count back.
  ///   - places: The places that can be named.
  /// - Throws: ``SearchError`` for the first term that has the form of one and cannot be read.
  public init(
    parts: [String], now: Date = Date(), places: Gazetteer = .own
  ) throws(SearchError) {
    text = parts.joined(separator: " ")
    var terms: [SearchTerm] = []
    var known: Set<SearchTerm> = []
    var count = 0
    let context = SearchTerm.Context(now: now, places: places)
    for part in parts {
      var rest = SearchToken.tokens(of: part)[...]
      while let token = rest.popFirst() {
        let term = try SearchTerm(token, &rest, context)
        if term.isMeasured { count += 1 }
        guard count <= Self.mostPlaces else {
          throw SearchError(
            .tooMany, token.source, "a search has at most \(Self.mostPlaces) places")
        }
        if known.insert(term).inserted { terms.append(term) }
      }
    }
    self.terms = terms
    let isOfWords = terms.allSatisfy { term in
      if case .word = term.meaning { return true }
      return false
    }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    identifier = isOfWords && !terms.isEmpty ? trimmed : nil
  }

  /// The places in whose surroundings events have to be, without negated ones.
  public var places: [SearchPlace] {
    terms.compactMap { term in
      if case .near(let place) = term.meaning, !term.isNegated { return place }
      return nil
    }
  }

  /// The lines on both sides of which events have to be, without negated ones.
  public var sections: [SearchSection] {
    terms.compactMap { term in
      if case .section(let section) = term.meaning, !term.isNegated { return section }
      return nil
    }
  }

  /// The terms that the store can't decide alone.
  private var circles: [SearchTerm] { terms.filter(\.isMeasured) }

  /// Whether the store's condition selects the search's events and no others.
  var isStoreExact: Bool { circles.isEmpty }

  /// Returns whether an event meets the terms that the store can't decide alone.
  func meetsCircles(_ event: Event) -> Bool { circles.allSatisfy { $0.isMet(by: event) } }

  /// Returns whether an event meets the search, with the same result as the store.
  func includes(_ event: Event) -> Bool {
    terms.allSatisfy { $0.isMet(by: event) } || event.id == identifier
  }
}
