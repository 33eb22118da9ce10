/// A rule for the events of a feed that are kept.
public enum MagnitudeRule: String, Hashable, Sendable, Codable {
  /// Events with a magnitude above zero, as in the sample application.
  case aboveZero
  /// All events, including those with a magnitude of zero, a negative one or none.
  case all

  /// The end of the names of copies that keep all events.
  static let allSuffix = " (all magnitudes)"

  /// The end of the name of a copy with this rule.
  var nameSuffix: String { self == .all ? Self.allSuffix : "" }

  /// Returns whether an event with this magnitude is kept.
  public func keeps(_ magnitude: Double?) -> Bool {
    switch self {
    case .aboveZero: (magnitude ?? 0) > 0
    case .all: true
    }
  }
}
