import Foundation

/// What is known of a synthetic event beyond the feed: its products, as the USGS's detail documents have them. They
/// follow from the event and the seed.
struct SyntheticProducts: Sendable {
  /// A plane along which the fault may have moved, in degrees.
  struct Plane: Hashable, Sendable {
    var strike: Double
    var dip: Double
    var rake: Double
  }

  let event: SyntheticEvent
  private let seed: UInt64

  init(_ event: SyntheticEvent, seed: UInt64) {
    self.event = event
    self.seed = seed
  }

  private var magnitude: Double? { event.magnitude.map { Double($0) / 100 } }
  private var depth: Double { max(1, Double(event.depth ?? 1_000) / 100) }
  private var isEarthquake: Bool { event.type == "earthquake" }

  var hasReports: Bool { event.felt != nil }
  var hasShaking: Bool { isEarthquake && (event.magnitude ?? 0) >= 350 && maximumIntensity >= 3 }
  var hasTensor: Bool { isEarthquake && (event.magnitude ?? 0) >= 450 }
  /// Networks determine planes of smaller ones from the first motions, where they have enough stations.
  var hasPlanes: Bool {
    isEarthquake && !hasTensor && (event.magnitude ?? 0) >= 300 && event.stations ?? 0 >= 40
  }
  /// The level of the estimated losses, once they are known.
  var alert: String? { event.alert.flatMap { $0 == "pending" ? nil : $0 } }

  /// The kinds of products, as the feed's `types` lists them.
  var kinds: [String] {
    var kinds: [String] = []
    if hasReports { kinds.append("dyfi") }
    if hasPlanes { kinds.append("focal-mechanism") }
    if alert != nil { kinds.append("losspager") }
    if hasTensor { kinds.append("moment-tensor") }
    kinds.append("nearby-cities")
    kinds.append("origin")
    kinds.append("phase-data")
    if hasShaking { kinds.append("shakemap") }
    return kinds
  }

  // MARK: Shaking

  /// An intensity at a distance from the source, in kilometres: it grows by 1.5 with each magnitude, and falls by 3.2
  /// with each tenfold distance. Plausible, not measured.
  private func intensity(at distance: Double) -> Double {
    min(9.5, 1.5 * (magnitude ?? 0) + 1.5 - 3.2 * log10(distance))
  }

  /// The greatest intensity, 1 to 9.5.
  var maximumIntensity: Double { max(1, intensity(at: depth)) }

  /// The rings of equal intensity in steps of a half, from 3 on: longitudes and latitudes in degrees. They are longer
  /// along the strike, and uneven.
  var rings: [(intensity: Double, points: [(longitude: Double, latitude: Double)])] {
    guard let magnitude else { return [] }
    var random = CounterRandom(seed: seed, stream: 8, index: event.time)
    let (strike, phase) = (random.unit() * .pi, random.unit() * 2 * .pi)
    return stride(from: 3.0, through: maximumIntensity, by: 0.5).compactMap { intensity in
      let source = pow(10, (1.5 * magnitude + 1.5 - intensity) / 3.2)
      guard source > depth else { return nil }
      let radius = min(1_500, (source * source - depth * depth).squareRoot())
      guard radius > 0.5 else { return nil }
      return (intensity, ring(radius, strike, phase))
    }
  }

  private func ring(
    _ radius: Double, _ strike: Double, _ phase: Double
  ) -> [(longitude: Double, latitude: Double)] {
    let (longitude, latitude) = (
      Double(event.longitude) / 10_000, Double(event.latitude) / 10_000
    )
    let count = 72
    return (0...count).map { step in
      let azimuth = Double(step % count) / Double(count) * 2 * .pi
      let shape = 1 + 0.18 * cos(2 * (azimuth - strike)) + 0.05 * sin(5 * azimuth + phase)
      let north = max(-85, min(85, latitude + radius * shape * cos(azimuth) / 111.2))
      let narrowing = max(0.1, cos(north * .pi / 180))
      return (longitude + radius * shape * sin(azimuth) / (111.2 * narrowing), north)
    }
  }

  // MARK: Mechanism

  /// The two nodal planes.
  var planes: [Plane] {
    var random = CounterRandom(seed: seed, stream: 9, index: event.time)
    // Thrusts below trenches and at depth, strike slip and normal faults elsewhere.
    let isThrust = depth > 25 || random.chance(0.25)
    let strike = (random.unit() * 360).rounded()
    let dip = (isThrust ? 15 + random.unit() * 40 : 55 + random.unit() * 34).rounded()
    let slip =
      isThrust
      ? 70 + random.unit() * 40
      : random.chance(0.3)
        ? -110 + random.unit() * 40 : (random.chance(0.5) ? 0 : 180) + 20 * random.bell()
    let rake = (slip > 180 ? slip - 360 : slip).rounded()
    let plane = Plane(strike: strike, dip: dip, rake: rake)
    return [plane, Self.auxiliary(plane)]
  }

  /// Returns the other nodal plane: its normal is the slip of the first one, and the reverse.
  /// Source: Aki and Richards, Quantitative Seismology (2002), section 4.2 and box 4.4.
  private static func auxiliary(_ plane: Plane) -> Plane {
    let degree = Double.pi / 180
    let (strike, dip, rake) = (plane.strike * degree, plane.dip * degree, plane.rake * degree)
    // North, east and down; the normal points up.
    let normal = (-sin(dip) * sin(strike), sin(dip) * cos(strike), -cos(dip))
    let slip = (
      cos(rake) * cos(strike) + cos(dip) * sin(rake) * sin(strike),
      cos(rake) * sin(strike) - cos(dip) * sin(rake) * cos(strike), -sin(rake) * sin(dip)
    )
    let sign = slip.2 > 0 ? -1.0 : 1.0
    let up = (slip.0 * sign, slip.1 * sign, slip.2 * sign)
    let along = (normal.0 * sign, normal.1 * sign, normal.2 * sign)
    let otherDip = acos(max(-1, min(1, -up.2)))
    let otherStrike = atan2(-up.0, up.1)
    let cosine = along.0 * cos(otherStrike) + along.1 * sin(otherStrike)
    let sine = -along.2 / max(1e-9, sin(otherDip))
    let turned = otherStrike < 0 ? otherStrike + 2 * .pi : otherStrike
    return Plane(
      strike: (turned / degree * 10).rounded() / 10, dip: (otherDip / degree * 10).rounded() / 10,
      rake: (atan2(sine, cosine) / degree * 10).rounded() / 10)
  }

  /// The scalar moment in newton metres (Hanks and Kanamori 1979).
  var moment: Double { pow(10, 1.5 * (magnitude ?? 0) + 9.05) }

  /// The moment tensor of the first plane as a double couple, in the directions up, south and east: mrr, mtt, mpp, mrt,
  /// mrp, mtp.
  /// Source: Aki and Richards, Quantitative Seismology (2002), box 4.4.
  var tensor: [(name: String, value: Double)] {
    let plane = planes[0]
    let degree = Double.pi / 180
    let (s, d, r) = (plane.strike * degree, plane.dip * degree, plane.rake * degree)
    let xx = -(sin(d) * cos(r) * sin(2 * s) + sin(2 * d) * sin(r) * sin(s) * sin(s))
    let xy = sin(d) * cos(r) * cos(2 * s) + 0.5 * sin(2 * d) * sin(r) * sin(2 * s)
    let xz = -(cos(d) * cos(r) * cos(s) + cos(2 * d) * sin(r) * sin(s))
    let yy = sin(d) * cos(r) * sin(2 * s) - sin(2 * d) * sin(r) * cos(s) * cos(s)
    let yz = -(cos(d) * cos(r) * sin(s) - cos(2 * d) * sin(r) * cos(s))
    let zz = sin(2 * d) * sin(r)
    return [
      ("mrr", zz * moment), ("mtt", xx * moment), ("mpp", yy * moment), ("mrt", xz * moment),
      ("mrp", -yz * moment), ("mtp", -xy * moment),
    ]
  }

  // MARK: Towns

  /// The five nearest towns with their distances in kilometres and the directions from them to the epicentre.
  var towns: [(town: Town, distance: Double, direction: String, population: Int)] {
    let (longitude, latitude) = (
      Double(event.longitude) / 10_000, Double(event.latitude) / 10_000
    )
    return (Town.regional + Town.worldwide).map { town in
      let (distance, direction) = town.bearing(to: latitude, longitude)
      return (town, distance, direction)
    }.sorted { $0.1 < $1.1 }.prefix(5).map { town, distance, direction in
      var random = CounterRandom(seed: 0, stream: 10, index: Int(town.latitude * 1_000))
      return (town, distance, direction, Int(pow(10, 3 + 2.5 * random.unit())))
    }
  }
}
