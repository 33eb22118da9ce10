import Foundation

/// One event with the columns of every implementation's table. Times are seconds since the reference date.
@frozen public struct QuakeRow: Sendable, Hashable {
  public var code: String
  public var magnitude: Double?
  public var time: Double
  public var place: String?
  public var longitude: Double
  public var latitude: Double
  public var updated: Double
  public var felt: Int?
  public var alert: String?
  public var status: String
  public var tsunami: Bool
  public var significance: Int
  public var magnitudeType: String?
  public var type: String

  @inlinable
  public init(
    code: String,
    magnitude: Double?,
    time: Double,
    place: String?,
    longitude: Double,
    latitude: Double,
    updated: Double,
    felt: Int?,
    alert: String?,
    status: String,
    tsunami: Bool,
    significance: Int,
    magnitudeType: String?,
    type: String
  ) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.place = place
    self.longitude = longitude
    self.latitude = latitude
    self.updated = updated
    self.felt = felt
    self.alert = alert
    self.status = status
    self.tsunami = tsunami
    self.significance = significance
    self.magnitudeType = magnitudeType
    self.type = type
  }
}

/// Events as a feed has them: newest first, null in the same columns as in real feeds, places of about 35 characters.
@frozen public struct QuakeRows: Sequence, Sendable {
  public let count: Int
  private let seed: UInt64
  /// The interval of revised events: one event in `revisedOneIn` has been revised. No event is revised if nil.
  private let revisedOneIn: Int?

  public init(_ count: Int, seed: UInt64 = 1, revisedOneIn: Int? = nil) {
    self.count = count
    self.seed = seed
    self.revisedOneIn = revisedOneIn
  }

  public struct Iterator: IteratorProtocol {
    private let rows: QuakeRows
    private var random: SplitMix
    private var number = 0

    fileprivate init(_ rows: QuakeRows) {
      self.rows = rows
      random = SplitMix(seed: rows.seed)
    }

    public mutating func next() -> QuakeRow? {
      guard number < rows.count else { return nil }
      defer { number += 1 }
      // A permutation of the numbers: the networks' codes aren't ordered by time.
      let code = (number &* 48_271 &+ 11) % 2_147_483_647
      let time = 800_000_000 - Double(number) * 26 - Double(random.below(1_000)) / 1_000
      var row = QuakeRow(
        code: "\(Self.networks[random.below(Self.networks.count)])\(10_000_000 + code)",
        magnitude: random.oneIn(60) ? nil : Double(random.below(700)) / 100 - 0.5, time: time,
        place: random.oneIn(300) ? nil : place(),
        longitude: Double(random.below(3_600_000)) / 10_000 - 180,
        latitude: Double(random.below(1_800_000)) / 10_000 - 90,
        updated: time + Double(random.below(90_000)),
        felt: random.oneIn(25) ? random.below(900) : nil,
        alert: random.oneIn(150) ? "green" : nil,
        status: random.oneIn(3) ? "automatic" : "reviewed", tsunami: random.oneIn(400),
        significance: random.below(1_000),
        magnitudeType: random.oneIn(60) ? nil : Self.methods[random.below(Self.methods.count)],
        type: random.oneIn(40) ? "quarry blast" : "earthquake")
      if let part = rows.revisedOneIn, number % part == 0 {
        row.magnitude = (row.magnitude ?? 0) + 0.25
        row.updated += 3_600
        row.status = "reviewed"
      }
      return row
    }

    private mutating func place() -> String {
      let direction = Self.directions[random.below(Self.directions.count)]
      let town = Self.towns[random.below(Self.towns.count)]
      return "\(1 + random.below(120)) km \(direction) of \(town) \(random.below(4_000)), CA"
    }

    private static let networks = ["ci", "nc", "us", "ak", "hv", "nn", "pr", "tx", "uu", "uw"]
    private static let methods = ["ml", "md", "mb", "mww"]
    private static let directions = ["N", "NNE", "NE", "ENE", "E", "SSE", "SW", "WSW", "W", "NNW"]
    private static let towns = [
      "Harbour Point", "Cold Springs", "Upper Valley", "Lake Station", "Fort Hill",
    ]
  }

  public func makeIterator() -> Iterator { Iterator(self) }
  public var underestimatedCount: Int { count }
}
