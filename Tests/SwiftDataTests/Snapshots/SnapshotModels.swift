import SwiftData
import SwiftDataExtras

/// A type that is only Codable.
struct Calibration: Codable, Sendable { var offsets: [Double] }

@Model @Snapshotable
final class Reading {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var place: Location
  var colour: Colour?
  var tries = 1
  var factor = Double(3)
  var station: SeismicStation?

  init(_ code: String, magnitude: Double = 1) {
    self.code = code
    self.magnitude = magnitude
    time = Date(timeIntervalSinceReferenceDate: magnitude)
    place = Location(name: "at \(code)", longitude: 1, latitude: 2)
  }
}

@Model @Snapshotable
final class SeismicStation {
  var name: String
  var calibration: Calibration
  @Attribute(.externalStorage) var photo: Data?
  @Attribute(.ephemeral) var visitors = 0
  @SnapshotIgnored var password = "none"
  @Transient var cache = 7
  @Relationship(deleteRule: .cascade, inverse: \Reading.station) var readings: [Reading] = []
  @Relationship(inverse: \StationSign.station) var badge: StationSign?
  var keeper: Warden?
  private var mark = "m"

  init(_ name: String) {
    self.name = name
    calibration = Calibration(offsets: [1, 2])
  }

  var markForTests: String {
    get { mark }
    set { mark = newValue }
  }
}

@Model @Snapshotable
final class StationSign {
  var number: Int
  var station: SeismicStation?

  init(_ number: Int) { self.number = number }
}

@Model @Snapshotable
class Warden {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
final class NightWarden: Warden {
  var lamp: String

  init(_ name: String, lamp: String) {
    self.lamp = lamp
    super.init(name)
  }
}
