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
  /// The corners, as latitude and longitude in degrees. Longitudes go beyond 180 where the line crosses the date line.
  let line: [(latitude: Double, longitude: Double)]

  init(
    _ name: String, _ net: String, depth: Double, spread: Double, weight: Int,
    line: [(Double, Double)]
  ) {
    self.name = name
    self.net = net
    self.depth = depth
    self.spread = spread
    self.weight = weight
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
