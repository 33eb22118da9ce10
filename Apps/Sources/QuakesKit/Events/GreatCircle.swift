import Foundation

/// Distances on a sphere with the Earth's mean radius. The distance on the ellipsoid differs by up to 0.5 %.
enum GreatCircle {
  /// The mean radius of the Earth in kilometres (IUGG, Moritz 2000).
  static let radius = 6_371.008_8

  /// The distance between two points in kilometres, by the haversine formula (Sinnott 1984), which is accurate for near
  /// points, too.
  /// - Parameters: Degrees east and north.
  static func distance(
    from first: (longitude: Double, latitude: Double),
    to second: (longitude: Double, latitude: Double)
  ) -> Double {
    let degree = Double.pi / 180
    let (north, south) = (first.latitude * degree, second.latitude * degree)
    let height = sin((south - north) / 2)
    let width = sin((second.longitude - first.longitude) * degree / 2)
    let share = height * height + cos(north) * cos(south) * width * width
    return 2 * radius * asin(min(1, share.squareRoot()))
  }
}
