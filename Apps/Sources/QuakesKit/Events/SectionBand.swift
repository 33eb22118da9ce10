import Foundation

/// The points of the globe within a distance of the line between two points: of the shorter arc of the great circle
/// through both, without what lies beyond its ends.
///
/// A point's place is told by its distance along the great circle and its distance from it, by products of vectors from
/// the Earth's centre (Gade 2010, “A Non-singular Horizontal Position Representation”), which hold over the date line
/// and at the poles, too. The store selects the events in ``circles``, and the exact test leaves events out of them.
struct SectionBand: Hashable, Sendable {
  /// The place of a point beside a line, in kilometres.
  struct Place: Hashable, Sendable {
    /// The distance from the line's beginning to the nearest point of its great circle; negative before it.
    var along: Double
    /// The distance from the great circle, positive on its left side.
    var across: Double
  }

  /// The limits of the distance between the ends, in kilometres: equal and opposite points have no line between them.
  static let lengths = 1.0...20_000.0
  /// The number of circles that cover a band.
  private static let parts = 4

  /// Degrees north and east.
  let from: Point
  let to: Point
  /// The greatest distance from the line, in kilometres.
  let halfWidth: Double
  /// The distance between the ends, in kilometres.
  let length: Double
  /// Circles that together cover the band.
  let circles: [NearCircle]
  /// From the Earth's centre to the beginning of the line.
  private let start: SIMD3<Double>
  /// The direction of the line at its beginning.
  private let ahead: SIMD3<Double>
  /// The left side of the line's plane.
  private let left: SIMD3<Double>

  struct Point: Hashable, Sendable {
    /// Degrees north.
    var latitude: Double
    /// Degrees east.
    var longitude: Double
  }

  /// Returns nil for ends whose distance isn't among ``lengths``.
  init?(from: Point, to: Point, halfWidth: Double) {
    length = GreatCircle.distance(
      from: (from.longitude, from.latitude), to: (to.longitude, to.latitude))
    guard Self.lengths.contains(length) else { return nil }
    (self.from, self.to, self.halfWidth) = (from, to, halfWidth)
    start = Self.vector(from)
    left = Self.unit(Self.cross(start, Self.vector(to)))
    ahead = Self.cross(left, start)
    let step = length / Double(Self.parts)
    let (start, ahead) = (start, ahead)
    circles = (0..<Self.parts).map { part in
      let angle = (Double(part) + 0.5) * step / GreatCircle.radius
      let centre = Self.point(start * cos(angle) + ahead * sin(angle))
      // A metre more: the test of the band has the last word.
      return NearCircle(
        latitude: centre.latitude, longitude: centre.longitude,
        radius: step / 2 + halfWidth + 0.001)
    }
  }

  /// Returns the place of a point beside the line.
  func place(of point: Point) -> Place {
    let vector = Self.vector(point)
    return Place(
      along: atan2(Self.dot(vector, ahead), Self.dot(vector, start)) * GreatCircle.radius,
      across: asin(max(-1, min(1, Self.dot(vector, left)))) * GreatCircle.radius)
  }

  /// Returns whether a point is in the band.
  func contains(latitude: Double, longitude: Double) -> Bool {
    let place = place(of: Point(latitude: latitude, longitude: longitude))
    return abs(place.across) <= halfWidth && place.along >= 0 && place.along <= length
  }

  private static func vector(_ point: Point) -> SIMD3<Double> {
    let degree = Double.pi / 180
    let (north, east) = (point.latitude * degree, point.longitude * degree)
    return SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
  }

  private static func point(_ vector: SIMD3<Double>) -> Point {
    let degree = Double.pi / 180
    let width = (vector.x * vector.x + vector.y * vector.y).squareRoot()
    return Point(
      latitude: atan2(vector.z, width) / degree, longitude: atan2(vector.y, vector.x) / degree)
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  private static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    a.x * b.x + a.y * b.y + a.z * b.z
  }

  private static func unit(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    vector / dot(vector, vector).squareRoot()
  }
}
