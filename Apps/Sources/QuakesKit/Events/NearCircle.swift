import Foundation

/// The points of the globe within a distance of a centre.
///
/// The store selects those in ``boxes``, and the exact test leaves events out of them (decision 0061).
struct NearCircle: Hashable, Sendable {
  /// A part of the circle's surroundings that doesn't cross the date line.
  struct Box: Hashable, Sendable {
    /// Degrees north.
    var latitudes: ClosedRange<Double>
    /// Degrees east, from -180 to 180.
    var longitudes: ClosedRange<Double>
  }

  /// Degrees north.
  let latitude: Double
  /// Degrees east.
  let longitude: Double
  /// Kilometres.
  let radius: Double
  /// One to three boxes that cover the circle.
  let boxes: [Box]

  /// Room round the boxes for rounding, in degrees: a centimetre.
  private static let margin = 1e-7
  /// The latitude from which a box has all longitudes, because a circle may contain the pole.
  private static let polar = 89.9

  /// - Parameters:
  ///   - latitude: Degrees north, from -90 to 90.
  ///   - longitude: Degrees east, from -180 to 180.
  ///   - radius: Kilometres, from 0 to half of the Earth's girth.
  init(latitude: Double, longitude: Double, radius: Double) {
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
    let degree = Double.pi / 180
    let angle = min(radius / GreatCircle.radius / degree, 180)
    let (south, north) = (latitude - angle - Self.margin, latitude + angle + Self.margin)
    let latitudes = max(south, -90)...min(north, 90)
    var width = 180.0
    if south > -Self.polar, north < Self.polar {
      // Of the right spherical triangle of the pole, the centre and the point where a meridian touches the circle.
      let sine = sin(angle * degree) / cos(latitude * degree)
      width = asin(min(1, sine * (1 + 1e-8))) / degree + Self.margin
    }
    boxes = [0.0, -360, 360].compactMap { turn in
      let (west, east) = (
        max(longitude + turn - width, -180), min(longitude + turn + width, 180)
      )
      return west <= east ? Box(latitudes: latitudes, longitudes: west...east) : nil
    }
  }

  /// Returns whether a point is in the circle.
  func contains(latitude: Double, longitude: Double) -> Bool {
    let centre = (longitude: self.longitude, latitude: self.latitude)
    return GreatCircle.distance(from: centre, to: (longitude, latitude)) <= radius
  }
}
