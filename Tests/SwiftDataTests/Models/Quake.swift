import SwiftData

struct Location: Codable, Hashable {
  var name: String
  var longitude: Double
  var latitude: Double
}

@Model
final class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var location: Location

  init(
    code: String, magnitude: Double = 1, time: Date = Date(timeIntervalSinceReferenceDate: 0),
    name: String = "somewhere", longitude: Double = 0, latitude: Double = 0
  ) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = Location(name: name, longitude: longitude, latitude: latitude)
  }
}
