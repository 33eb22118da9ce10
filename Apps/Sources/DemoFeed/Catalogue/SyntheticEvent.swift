/// An earthquake of the demo feed, with the properties of the USGS summary feeds.
struct SyntheticEvent: Hashable, Sendable {
  var net: String
  var code: String
  /// Other identifiers of the same event; empty ones occur in real feeds too.
  var aliases: [String]
  /// Hundredths of a magnitude unit, so that the written value is exact.
  var magnitude: Int?
  var magnitudeType: String?
  var place: String?
  /// Milliseconds since 1970-01-01T00:00:00Z.
  var time: Int
  /// Milliseconds since 1970-01-01T00:00:00Z; it may also decrease (see the feed's facts).
  var updated: Int
  /// Ten-thousandths of a degree.
  var longitude: Int
  /// Ten-thousandths of a degree.
  var latitude: Int
  /// Hundredths of a kilometre, negative above sea level.
  var depth: Int?
  var type: String
  var status: String
  var alert: String?
  var tsunami: Bool
  var felt: Int?
  /// Tenths of the intensity that people reported.
  var cdi: Int?
  var stations: Int?
  /// Thousandths of a degree.
  var distance: Int?
  /// Hundredths of a second.
  var rms: Int
  /// Degrees.
  var gap: Int?

  /// The feed's `id`: net and code together.
  var id: String { net + code }

  /// The feed's `sig`, 0 to 1000 and more: for the magnitude alone, 100 m²/6.5, rounded, as in the
  /// captures of the real feed; felt reports increase it.
  var significance: Int {
    guard let magnitude else { return 0 }
    let base = (Double(magnitude * magnitude) / 650).rounded()
    return Int(base) + (felt ?? 0) / 20
  }
}
