import SwiftData

@Model
final class SeveralPlaces {
  var latitude, longitude: Double
  var (north, east) = (1.0, 2.0)

  init() {
    latitude = 0
    longitude = 0
  }
}
