import Foundation

/// A part of the globe between two latitudes and two longitudes, with its edges.
///
/// The longitudes run eastwards from ``west`` to ``east``, so that a box with a greater west crosses the date line.
public struct EventBox: Hashable, Sendable {
  /// Degrees north, from -90 to 90.
  public let south: Double
  /// Degrees east, from -180 to 180.
  public let west: Double
  /// Degrees north, from the south on.
  public let north: Double
  /// Degrees east, from -180 to 180.
  public let east: Double

  /// Reads the south-western and the north-eastern corner, such as `32,-125..42,-114`.
  /// - Parameters:
  ///   - text: The corners, each as latitude and longitude in degrees.
  ///   - term: The term as typed, which errors name.
  /// - Throws: ``SearchError``.
  public init(_ text: String, term: String) throws(SearchError) {
    let form = /([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?),([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?)/
    let corners = text.components(separatedBy: "..").map { corner in
      corner.wholeMatch(of: form).flatMap { match -> (Double, Double)? in
        guard let latitude = Double(match.1), let longitude = Double(match.2) else { return nil }
        return (latitude, longitude)
      }
    }
    guard corners.count == 2, let (south, west) = corners[0], let (north, east) = corners[1] else {
      throw SearchError(
        .badValue, term,
        "a box is its south-western and its north-eastern corner, as in box:32,-125..42,-114")
    }
    guard abs(south) <= 90, abs(north) <= 90, abs(west) <= 180, abs(east) <= 180 else {
      throw SearchError(
        .badValue, term,
        "latitudes are from -90 to 90 and longitudes from -180 to 180, as in box:32,-125..42,-114")
    }
    guard south <= north else {
      throw SearchError(
        .emptyRange, term, "the southern corner comes first, as in box:32,-125..42,-114")
    }
    (self.south, self.west, self.north, self.east) = (south, west, north, east)
  }

  /// Returns whether a point is in the box.
  func contains(latitude: Double, longitude: Double) -> Bool {
    guard latitude >= south, latitude <= north else { return false }
    return west <= east
      ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
  }
}
