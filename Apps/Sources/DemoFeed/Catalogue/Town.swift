import Foundation

/// A populated place, after which synthetic earthquakes near it are named.
struct Town: Sendable {
  let name: String
  let latitude: Double
  let longitude: Double

  init(_ name: String, _ latitude: Double, _ longitude: Double) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The distance from which on a place has the name of its region instead, in kilometres.
  private static let farthest = 700.0

  private static let directions = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE",
    "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
  ]

  /// Describes a place as the feed does: by the nearest of some towns, or by its region.
  /// - Parameters:
  ///   - latitude: The latitude of the place, in degrees.
  ///   - longitude: Its longitude, in degrees.
  ///   - towns: The towns to choose from.
  ///   - region: The name of the region.
  static func describe(
    _ latitude: Double, _ longitude: Double, by towns: [Town], region: String
  ) -> String {
    var best: (name: String, distance: Double, x: Double, y: Double)?
    let narrowing = cos(latitude * .pi / 180)
    for town in towns {
      let (x, y) = town.kilometres(to: latitude, longitude, narrowing)
      let distance = (x * x + y * y).squareRoot()
      if distance < best?.distance ?? farthest { best = (town.name, distance, x, y) }
    }
    guard let best else { return region }
    return "\(Int(best.distance.rounded())) km \(direction(best.x, best.y)) of \(best.name)"
  }

  /// Returns the distance and the direction of a place from the town, in kilometres and as one of sixteen.
  func bearing(to latitude: Double, _ longitude: Double) -> (distance: Double, direction: String) {
    let (x, y) = kilometres(to: latitude, longitude, cos(latitude * .pi / 180))
    return ((x * x + y * y).squareRoot(), Self.direction(x, y))
  }

  /// Returns the way from the town to a place, east and north in kilometres.
  private func kilometres(
    to latitude: Double, _ longitude: Double, _ narrowing: Double
  ) -> (x: Double, y: Double) {
    var degrees = longitude - self.longitude
    if degrees > 180 { degrees -= 360 }
    if degrees < -180 { degrees += 360 }
    return (degrees * narrowing * 111.2, (latitude - self.latitude) * 111.2)
  }

  private static func direction(_ x: Double, _ y: Double) -> String {
    let sixteenths = Int((atan2(x, y) * 8 / .pi).rounded())
    return directions[(sixteenths + 16) % 16]
  }

  static let regional: [Town] = [
    Town("The Geysers, CA", 38.78, -122.80),
    Town("Parkfield, CA", 35.90, -120.43),
    Town("Mammoth Lakes, CA", 37.65, -118.97),
    Town("Petrolia, CA", 40.33, -124.29),
    Town("Anza, CA", 33.56, -116.67),
    Town("Ridgecrest, CA", 35.62, -117.67),
    Town("Calipatria, CA", 33.13, -115.51),
    Town("Fontana, CA", 34.09, -117.44),
    Town("Beatty, Nevada", 36.91, -116.76),
    Town("Mina, Nevada", 38.39, -118.11),
    Town("Pāhala, Hawaii", 19.20, -155.48),
    Town("Volcano, Hawaii", 19.43, -155.23),
    Town("Susitna, Alaska", 61.54, -150.51),
    Town("Denali Park, Alaska", 63.73, -148.91),
    Town("Chenega, Alaska", 60.07, -148.01),
    Town("Adak, Alaska", 51.88, -176.65),
    Town("Mentone, Texas", 31.71, -103.60),
    Town("Stanton, Texas", 32.13, -101.79),
    Town("Medford, Oklahoma", 36.81, -97.73),
    Town("Milford, Utah", 38.40, -113.01),
    Town("West Yellowstone, Montana", 44.66, -111.10),
    Town("Lincoln, Montana", 46.96, -112.68),
    Town("Guánica, Puerto Rico", 17.97, -66.91),
    Town("Brenas, Puerto Rico", 18.47, -66.33),
    Town("Mount St. Helens, Washington", 46.20, -122.19),
    Town("Tiptonville, Tennessee", 36.38, -89.47),
    Town("San Juan Bautista, CA", 36.85, -121.54),
    Town("Ludlow, CA", 34.72, -116.16),
    Town("Lone Pine, CA", 36.61, -118.06),
    Town("Hawthorne, Nevada", 38.52, -118.62),
    Town("Stansbury Park, Utah", 40.64, -112.3),
    Town("Enumclaw, Washington", 47.2, -121.99),
    Town("Sand Point, Alaska", 55.34, -160.5),
    Town("Nikolski, Alaska", 52.94, -168.87),
    Town("Yakutat, Alaska", 59.55, -139.73),
    Town("Old Harbor, Alaska", 57.2, -153.3),
  ]

  static let worldwide: [Town] = [
    Town("Hihifo, Tonga", -15.95, -173.79),
    Town("Levuka, Fiji", -17.69, 178.84),
    Town("Kermadec Islands, New Zealand", -29.27, -177.92),
    Town("Isangel, Vanuatu", -19.54, 169.27),
    Town("Kirakira, Solomon Islands", -10.46, 161.92),
    Town("Kandrian, Papua New Guinea", -6.21, 149.55),
    Town("Pondaguitan, Philippines", 6.35, 126.18),
    Town("Bitung, Indonesia", 1.44, 125.12),
    Town("Tual, Indonesia", -5.67, 132.75),
    Town("Bengkulu, Indonesia", -3.80, 102.27),
    Town("Hualien City, Taiwan", 23.98, 121.60),
    Town("Ishinomaki, Japan", 38.43, 141.30),
    Town("Hachijō-jima, Japan", 33.11, 139.79),
    Town("Severo-Kuril’sk, Russia", 50.68, 156.12),
    Town("Petropavlovsk-Kamchatsky, Russia", 53.02, 158.65),
    Town("Ashkāsham, Afghanistan", 36.68, 71.53),
    Town("Murghob, Tajikistan", 38.17, 73.97),
    Town("Khowy, Iran", 38.55, 44.95),
    Town("Pazarcık, Turkey", 37.49, 37.29),
    Town("Palaióchora, Greece", 35.23, 23.68),
    Town("Norcia, Italy", 42.79, 13.09),
    Town("Grindavík, Iceland", 63.84, -22.43),
    Town("Calama, Chile", -22.46, -68.93),
    Town("Illapel, Chile", -31.63, -71.17),
    Town("Tocopilla, Chile", -22.09, -70.20),
    Town("Lima, Peru", -12.04, -77.03),
    Town("Los Santos, Colombia", 6.76, -73.10),
    Town("Acapulco, Mexico", 16.85, -99.82),
    Town("Puerto Madero, Mexico", 14.72, -92.42),
    Town("Masachapa, Nicaragua", 11.79, -86.52),
    Town("Bristol Island, South Sandwich Islands", -59.02, -26.53),
    Town("Saipan, Northern Mariana Islands", 15.19, 145.75),
    Town("Naze, Japan", 28.38, 129.49),
    Town("Kushiro, Japan", 42.98, 144.37),
    Town("Kuril’sk, Russia", 45.23, 147.88),
    Town("Port Blair, India", 11.67, 92.75),
    Town("Banda Aceh, Indonesia", 5.55, 95.32),
    Town("Labuan Bajo, Indonesia", -8.5, 119.89),
    Town("Dili, Timor Leste", -8.56, 125.57),
    Town("Wewak, Papua New Guinea", -3.55, 143.63),
    Town("Panguna, Papua New Guinea", -6.32, 155.49),
    Town("Legazpi, Philippines", 13.14, 123.74),
    Town("Basco, Philippines", 20.45, 121.97),
    Town("Gisborne, New Zealand", -38.66, 178.02),
    Town("Te Anau, New Zealand", -45.41, 167.72),
    Town("Coquimbo, Chile", -29.95, -71.34),
    Town("Lebu, Chile", -37.61, -73.65),
    Town("Arequipa, Peru", -16.4, -71.54),
    Town("Esmeraldas, Ecuador", 0.97, -79.65),
    Town("David, Panama", 8.43, -82.43),
    Town("Bathsheba, Barbados", 13.21, -59.53),
    Town("Road Town, British Virgin Islands", 18.43, -64.62),
    Town("Kathmandu, Nepal", 27.72, 85.32),
    Town("Imphal, India", 24.82, 93.94),
    Town("Kashgar, China", 39.47, 75.99),
    Town("Bandar Abbas, Iran", 27.18, 56.27),
    Town("İzmir, Turkey", 38.42, 27.14),
    Town("Ponta Delgada, Portugal", 37.74, -25.67),
  ]
}
