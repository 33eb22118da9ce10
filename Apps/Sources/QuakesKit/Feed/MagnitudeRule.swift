/// A rule for the events of a feed that are kept.
public enum MagnitudeRule: String, Hashable, Sendable, Codable {
  /// Events with a magnitude above zero, as in the sample application.
  case aboveZero
  /// All events, including those with a magnitude of zero, a negative one or none.
  case all

  /// Returns whether an event with this magnitude is kept.
  public func keeps(_ magnitude: Double?) -> Bool {
    switch self {
    case .aboveZero: (magnitude ?? 0) > 0
    case .all: true
    }
  }
}
