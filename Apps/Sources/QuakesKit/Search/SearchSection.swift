/// The surroundings of a line between two places, of which a search shows the section: `section:35.5,139..38,145 50km`.
public struct SearchSection: Hashable, Sendable {
  /// The name of the beginning, such as `Tokyo, Japan`; nil for a point that the search names by its coordinates.
  public let fromName: String?
  /// The name of the end.
  public let toName: String?
  let band: SectionBand

  /// The half width of a section without one, and the greatest, in kilometres.
  static let usualHalfWidth = 50.0
  static let greatestHalfWidth = 1_000.0

  /// Degrees north and east of the beginning.
  public var from: (latitude: Double, longitude: Double) {
    (band.from.latitude, band.from.longitude)
  }
  /// Degrees north and east of the end.
  public var to: (latitude: Double, longitude: Double) { (band.to.latitude, band.to.longitude) }
  /// The greatest distance of an event from the line, in kilometres.
  public var halfWidth: Double { band.halfWidth }
  /// The distance between the ends, in kilometres.
  public var length: Double { band.length }
}
