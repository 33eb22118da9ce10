/// A populated place near which synthetic earthquakes happen.
struct Town: Sendable {
  let name: String
  let latitude: Double
  let longitude: Double
  /// The seismic network that reports events here, as in the feed's `net`.
  let net: String
  /// The maximum distance of epicentres from the town, in kilometres.
  let reach: Double
  /// The typical depth, in kilometres.
  let depth: Double

  init(
    _ name: String, _ latitude: Double, _ longitude: Double, _ net: String, reach: Double,
    depth: Double
  ) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.net = net
    self.reach = reach
    self.depth = depth
  }

  /// Places monitored by a dense regional network: many small events.
  static let regional: [Town] = [
    Town("The Geysers, CA", 38.78, -122.80, "nc", reach: 9, depth: 2),
    Town("Parkfield, CA", 35.90, -120.43, "nc", reach: 30, depth: 7),
    Town("Mammoth Lakes, CA", 37.65, -118.97, "nc", reach: 25, depth: 6),
    Town("Petrolia, CA", 40.33, -124.29, "nc", reach: 60, depth: 14),
    Town("Anza, CA", 33.56, -116.67, "ci", reach: 25, depth: 11),
    Town("Ridgecrest, CA", 35.62, -117.67, "ci", reach: 35, depth: 6),
    Town("Calipatria, CA", 33.13, -115.51, "ci", reach: 20, depth: 5),
    Town("Fontana, CA", 34.09, -117.44, "ci", reach: 20, depth: 8),
    Town("Beatty, Nevada", 36.91, -116.76, "nn", reach: 60, depth: 8),
    Town("Mina, Nevada", 38.39, -118.11, "nn", reach: 40, depth: 7),
    Town("Pāhala, Hawaii", 19.20, -155.48, "hv", reach: 15, depth: 30),
    Town("Volcano, Hawaii", 19.43, -155.23, "hv", reach: 12, depth: 3),
    Town("Susitna, Alaska", 61.54, -150.51, "ak", reach: 90, depth: 55),
    Town("Denali Park, Alaska", 63.73, -148.91, "ak", reach: 90, depth: 40),
    Town("Chenega, Alaska", 60.07, -148.01, "ak", reach: 70, depth: 18),
    Town("Adak, Alaska", 51.88, -176.65, "ak", reach: 150, depth: 30),
    Town("Mentone, Texas", 31.71, -103.60, "tx", reach: 60, depth: 7),
    Town("Stanton, Texas", 32.13, -101.79, "tx", reach: 50, depth: 8),
    Town("Medford, Oklahoma", 36.81, -97.73, "ok", reach: 60, depth: 6),
    Town("Milford, Utah", 38.40, -113.01, "uu", reach: 40, depth: 5),
    Town("West Yellowstone, Montana", 44.66, -111.10, "uu", reach: 25, depth: 7),
    Town("Lincoln, Montana", 46.96, -112.68, "mb", reach: 40, depth: 10),
    Town("Guánica, Puerto Rico", 17.97, -66.91, "pr", reach: 20, depth: 12),
    Town("Brenas, Puerto Rico", 18.47, -66.33, "pr", reach: 60, depth: 25),
    Town("Mount St. Helens, Washington", 46.20, -122.19, "uw", reach: 8, depth: 3),
    Town("Tiptonville, Tennessee", 36.38, -89.47, "nm", reach: 30, depth: 8),
  ]

  /// Places along the world's plate boundaries: fewer events, larger ones.
  static let worldwide: [Town] = [
    Town("Hihifo, Tonga", -15.95, -173.79, "us", reach: 250, depth: 60),
    Town("Levuka, Fiji", -17.69, 178.84, "us", reach: 300, depth: 520),
    Town("Kermadec Islands, New Zealand", -29.27, -177.92, "us", reach: 250, depth: 40),
    Town("Isangel, Vanuatu", -19.54, 169.27, "us", reach: 180, depth: 90),
    Town("Kirakira, Solomon Islands", -10.46, 161.92, "us", reach: 150, depth: 45),
    Town("Kandrian, Papua New Guinea", -6.21, 149.55, "us", reach: 140, depth: 50),
    Town("Pondaguitan, Philippines", 6.35, 126.18, "us", reach: 130, depth: 70),
    Town("Bitung, Indonesia", 1.44, 125.12, "us", reach: 200, depth: 60),
    Town("Tual, Indonesia", -5.67, 132.75, "us", reach: 250, depth: 90),
    Town("Bengkulu, Indonesia", -3.80, 102.27, "us", reach: 150, depth: 35),
    Town("Hualien City, Taiwan", 23.98, 121.60, "us", reach: 60, depth: 18),
    Town("Ishinomaki, Japan", 38.43, 141.30, "us", reach: 140, depth: 40),
    Town("Hachijō-jima, Japan", 33.11, 139.79, "us", reach: 160, depth: 70),
    Town("Severo-Kuril’sk, Russia", 50.68, 156.12, "us", reach: 150, depth: 55),
    Town("Petropavlovsk-Kamchatsky, Russia", 53.02, 158.65, "us", reach: 170, depth: 50),
    Town("Ashkāsham, Afghanistan", 36.68, 71.53, "us", reach: 60, depth: 190),
    Town("Murghob, Tajikistan", 38.17, 73.97, "us", reach: 90, depth: 100),
    Town("Khowy, Iran", 38.55, 44.95, "us", reach: 60, depth: 10),
    Town("Pazarcık, Turkey", 37.49, 37.29, "us", reach: 80, depth: 10),
    Town("Palaióchora, Greece", 35.23, 23.68, "us", reach: 90, depth: 30),
    Town("Norcia, Italy", 42.79, 13.09, "us", reach: 25, depth: 9),
    Town("Grindavík, Iceland", 63.84, -22.43, "us", reach: 30, depth: 8),
    Town("Calama, Chile", -22.46, -68.93, "us", reach: 110, depth: 105),
    Town("Illapel, Chile", -31.63, -71.17, "us", reach: 90, depth: 35),
    Town("Tocopilla, Chile", -22.09, -70.20, "us", reach: 80, depth: 40),
    Town("Lima, Peru", -12.04, -77.03, "us", reach: 110, depth: 50),
    Town("Los Santos, Colombia", 6.76, -73.10, "us", reach: 25, depth: 145),
    Town("Acapulco, Mexico", 16.85, -99.82, "us", reach: 90, depth: 25),
    Town("Puerto Madero, Mexico", 14.72, -92.42, "us", reach: 100, depth: 50),
    Town("Masachapa, Nicaragua", 11.79, -86.52, "us", reach: 70, depth: 60),
    Town("Bristol Island, South Sandwich Islands", -59.02, -26.53, "us", reach: 250, depth: 40),
    Town("central Mid-Atlantic Ridge", 1.10, -28.30, "us", reach: 400, depth: 10),
  ]
}
