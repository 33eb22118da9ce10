import Foundation

/// A term of a search, such as `california`, `m>4` or `-type:blast`, of which an event has to meet each.
struct SearchTerm: Hashable, Sendable {
  /// The limits of a number.
  struct Bounds: Hashable, Sendable {
    /// Inside of the limits, with what is equal to it.
    var least: Double?
    /// Outside of the limits.
    var above: Double?
    /// Inside of the limits.
    var most: Double?
    /// Outside of the limits.
    var below: Double?

    /// Whether a value is within the limits; one that isn't known never is.
    func contains(_ value: Double?) -> Bool {
      guard let value else { return false }
      return value >= least ?? value && value <= most ?? value
        && (above.map { value > $0 } ?? true) && (below.map { value < $0 } ?? true)
    }
  }

  /// What a term asks for.
  enum Meaning: Hashable, Sendable {
    /// A word without a form of its own.
    case word(SearchWord)
    /// A text in quotation marks, folded: a part of the place or of a kind of event other than earthquake.
    case text(String)
    case magnitude(Bounds)
    /// Kilometres below sea level.
    case depth(Bounds)
    case since(Date)
    case until(Date)
    /// A part of the kind of event, folded.
    case type(String)
    case status(String)
    case id(String)
    case near(SearchPlace)
    case box(EventBox)
    case section(SearchSection)
  }

  var isNegated = false
  var meaning: Meaning

  /// Whether distances decide it, which the store doesn't know.
  var isMeasured: Bool {
    switch meaning {
    case .near, .section: true
    default: false
    }
  }

  /// Returns whether an event meets the term, with the same result as ``condition``.
  func isMet(by event: Event) -> Bool { meaning.isMet(by: event) != isNegated }
}

extension SearchTerm.Meaning {
  fileprivate func isMet(by event: Event) -> Bool {
    switch self {
    case .word(let word): word.isMet(by: event)
    case .text(let text): SearchWord.isIn(event, text)
    case .magnitude(let bounds): bounds.contains(event.magnitude)
    case .depth(let bounds): bounds.contains(event.depth)
    case .since(let start): event.time >= start
    case .until(let end): event.time < end
    case .type(let text): event.type.localizedStandardContains(text)
    case .status(let status): event.status == status
    case .id(let id): event.eventID == id || event.aliases?.contains(",\(id),") ?? false
    case .near(let place):
      place.circle.contains(latitude: event.latitude, longitude: event.longitude)
    case .box(let box): box.contains(latitude: event.latitude, longitude: event.longitude)
    case .section(let section):
      section.band.contains(latitude: event.latitude, longitude: event.longitude)
    }
  }
}

/// The surroundings of a place that a search asks for.
public struct SearchPlace: Hashable, Sendable {
  /// The name with its region, such as `Paris, France`; nil for a point that the search names by its coordinates.
  public let name: String?
  let circle: NearCircle

  /// Degrees north.
  public var latitude: Double { circle.latitude }
  /// Degrees east.
  public var longitude: Double { circle.longitude }
  /// Kilometres.
  public var radius: Double { circle.radius }
}
