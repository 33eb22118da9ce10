import Foundation

/// A line, such as a fault or the boundary of two plates, along which synthetic earthquakes happen.
struct SeismicZone: Sendable {
  /// The name of the region, for places that are far from every town.
  let name: String
  /// The seismic network that reports events here, as in the feed's `net`.
  let net: String
  /// The typical depth, in kilometres.
  let depth: Double
  /// The typical distance of epicentres from the line, in kilometres.
  let spread: Double
  /// The share of the zone among those of its kind.
  let weight: Int
  /// The side of the line, seen along it, on which a plate sinks: earthquakes are the deeper the farther they are from
  /// the line on this side. Nil where none does.
  let sinking: Side?
  /// The corners, as latitude and longitude in degrees. Longitudes go beyond 180 where the line crosses the date line.
  let line: [(latitude: Double, longitude: Double)]

  /// A side of the line, seen along it.
  enum Side {
    case left
    case right
  }

  init(
    _ name: String, _ net: String, depth: Double, spread: Double, weight: Int,
    sinking: Side? = nil, line: [(Double, Double)]
  ) {
    self.name = name
    self.net = net
    self.depth = depth
    self.spread = spread
    self.weight = weight
    self.sinking = sinking
    self.line = line.map { (latitude: $0.0, longitude: $0.1) }
  }

  /// Chooses one of some zones by weight.
  static func choose(from zones: [SeismicZone], _ random: inout CounterRandom) -> Int {
    var left = random.below(zones.reduce(0) { $0 + $1.weight })
    for (index, zone) in zones.enumerated() {
      left -= zone.weight
      if left < 0 { return index }
    }
    return 0
  }

  /// The number of places of a zone at which events come in swarms.
  private static let swarms = 5

  /// Returns an epicentre, in degrees: in a swarm, near the line, or sometimes far from it.
  /// - Parameter seed: The seed of the catalogue, which determines the places of swarms.
  func epicentre(
    seed: UInt64, zone: Int, _ random: inout CounterRandom
  ) -> (latitude: Double, longitude: Double) {
    let kind = random.unit()
    var position = random.unit()
    var distance = spread
    if kind < 0.5 {
      // Few swarms have most of the events.
      let share = random.unit()
      let swarm = Int(share * share * Double(Self.swarms))
      var place = CounterRandom(seed: seed, stream: 6, index: zone * Self.swarms + swarm)
      position = place.unit()
      distance = min(spread * 0.4, 14)
    } else if kind > 0.9 {
      distance = spread * 4
    }
    let start = point(at: position)
    let degree = 111.2  // Kilometres per degree of latitude.
    let latitude = max(-85, min(85, start.latitude + distance * random.bell() * 1.6 / degree))
    let narrowing = cosine(latitude)
    var longitude = start.longitude + distance * random.bell() * 1.6 / (degree * narrowing)
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return (latitude, longitude)
  }

  /// Takes the numbers that ``epicentre(seed:zone:_:)`` takes.
  static func skipEpicentre(_ random: inout CounterRandom) {
    let isInSwarm = random.unit() < 0.5
    // The position, the swarm, and the two distances from the place.
    _ = random.unit()
    if isInSwarm { _ = random.unit() }
    _ = random.bell()
    _ = random.bell()
  }

  /// Returns the depth of an earthquake, in kilometres below sea level.
  /// - Parameter chance: A number about 0, of which most are between -1 and 1.
  func depth(latitude: Double, longitude: Double, chance: Double) -> Double {
    guard let sinking else { return max(-2, depth * (1 + 0.6 * chance)) }
    let left = distance(latitude, longitude)
    let inwards = sinking == .left ? left : -left
    // A plate bends: its dip is 24° at the line and 45° after 170 km; before the line, only its upper part breaks.
    let plate = depth + 0.45 * inwards + (inwards > 0 ? 0.0016 * inwards * inwards : 0)
    return min(690, max(9, plate)) + 7 * chance
  }

  /// Returns the distance of a point from the line in kilometres, positive on its left side.
  private func distance(_ latitude: Double, _ longitude: Double) -> Double {
    let degree = 111.2  // Kilometres per degree of latitude.
    // The line's longitudes go beyond 180.
    let turn = longitude - line[0].longitude
    let longitude = turn > 180 ? longitude - 360 : turn < -180 ? longitude + 360 : longitude
    let narrowing = cosine(latitude)
    var nearest = Double.infinity
    for (start, end) in zip(line, line.dropFirst()) {
      let (east, north) = (
        (end.longitude - start.longitude) * narrowing, end.latitude - start.latitude
      )
      let (x, y) = ((longitude - start.longitude) * narrowing, latitude - start.latitude)
      let share = max(0, min(1, (x * east + y * north) / (east * east + north * north)))
      let away = hypot(x - share * east, y - share * north) * degree
      if away < abs(nearest) { nearest = east * y - north * x < 0 ? -away : away }
    }
    return nearest
  }

  /// Returns the point at a part of the line, from 0 to 1, measured in degrees.
  private func point(at part: Double) -> (latitude: Double, longitude: Double) {
    let lengths = zip(line, line.dropFirst()).map { start, end in
      let narrowing = cosine((start.latitude + end.latitude) / 2)
      let (x, y) = ((end.longitude - start.longitude) * narrowing, end.latitude - start.latitude)
      return (x * x + y * y).squareRoot()
    }
    var left = part * lengths.reduce(0, +)
    for (index, length) in lengths.enumerated() {
      guard left > length, index + 1 < lengths.count else {
        let share = length > 0 ? min(1, left / length) : 0
        let (start, end) = (line[index], line[index + 1])
        return (
          start.latitude + share * (end.latitude - start.latitude),
          start.longitude + share * (end.longitude - start.longitude)
        )
      }
      left -= length
    }
    return line[0]
  }

  private func cosine(_ latitude: Double) -> Double { max(0.2, cos(latitude * .pi / 180)) }
}
