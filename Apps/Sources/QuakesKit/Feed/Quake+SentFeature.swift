import Foundation

extension Quake {
  /// Creates an earthquake from a feed's feature, in no context.
  ///
  /// Accepts the values of real feeds: missing ones, whole and decimal numbers in the same place, times before 1970,
  /// points without depth. An unusable identifier, time, position or number makes an event useless, and so does a text
  /// that is longer than any of a real feed; it is a decoding error, so that the event is skipped and reported.
  /// - Throws: `DecodingError` with the coding path of the value.
  public convenience init(_ sent: SentFeature) throws {
    typealias Check = FeatureCheck
    try Check.identifier(sent.id)
    let properties = sent.properties
    try Check.texts(properties)
    try Check.magnitude(properties.mag)
    let time = try Check.moment(properties.time, "time")
    let updated = try properties.updated.map { try Check.moment($0, "updated") } ?? time
    let tsunami = try Check.whole(properties.tsunami, "tsunami") ?? 0 != 0
    let felt = try Check.whole(properties.felt, "felt")
    let significance = try Check.whole(properties.sig, "sig") ?? 0
    let timeZone = try Check.whole(properties.tz, "tz")
    let stations = try Check.whole(properties.nst, "nst")
    let point = try Check.point(sent.geometry.coordinates)
    let status = properties.status?.lowercased()
    self.init(
      eventID: sent.id, magnitude: properties.mag, magnitudeType: properties.magType,
      place: properties.place, time: time, updated: updated, longitude: point.longitude,
      latitude: point.latitude, depth: point.depth, type: properties.type ?? "earthquake",
      status: status, alert: properties.alert, tsunami: tsunami, felt: felt,
      significance: significance, url: properties.url, code: properties.code ?? "",
      net: properties.net ?? "",
      aliases: EventIdentifier.text(EventIdentifier.others(in: properties.ids, than: sent.id)),
      withdrawn: status == "deleted" ? updated : nil, replacement: nil, sources: properties.sources,
      types: properties.types, title: properties.title, detail: properties.detail,
      timeZone: timeZone, reportedIntensity: properties.cdi, estimatedIntensity: properties.mmi,
      stations: stations, nearestStation: properties.dmin, residual: properties.rms,
      gap: properties.gap)
  }
}

/// The checks of a feature's values.
private enum FeatureCheck {
  /// The range of plausible magnitudes; the strongest earthquake ever measured had 9.5.
  static let magnitudes = -20.0...20.0
  /// The range of plausible depths, in kilometres: from the upper atmosphere down to the centre of the Earth.
  static let depths = -1_000.0...6_400.0
  /// The maximum length of a code or a kind, in bytes.
  static let longestWord = 200
  /// The maximum length of another text, in bytes. The longest ones of real feeds, of `types`, have a few hundred.
  static let longestText = 2_000
  /// The maximum number of an event's identifiers. The events of real feeds have up to about ten.
  static let mostIdentifiers = 50

  static func identifier(_ id: String) throws {
    guard EventIdentifier.isUsable(id) else {
      throw refusal(
        "An identifier has 1 to \(EventIdentifier.longest) bytes and no control characters", "id")
    }
  }

  /// Checks the lengths of the texts: those of many events are in memory at the same time.
  static func texts(_ properties: SentFeature.Properties) throws {
    try text(properties.magType, "magType", longestWord)
    try text(properties.place, "place", longestText)
    try text(properties.type, "type", longestWord)
    try text(properties.status, "status", longestWord)
    try text(properties.alert, "alert", longestWord)
    try text(properties.url, "url", longestText)
    try text(properties.code, "code", longestWord)
    try text(properties.net, "net", longestWord)
    try text(properties.ids, "ids", longestText)
    try text(properties.sources, "sources", longestText)
    try text(properties.types, "types", longestText)
    try text(properties.title, "title", longestText)
    try text(properties.detail, "detail", longestText)
    let commas = properties.ids?.utf8.count { $0 == UInt8(ascii: ",") } ?? 0
    guard commas <= mostIdentifiers + 1 else {
      throw refusal("More than \(mostIdentifiers) identifiers", "properties", "ids")
    }
  }

  private static func text(_ text: String?, _ name: String, _ longest: Int) throws {
    if let text, text.utf8.count > longest {
      throw refusal("A text of more than \(longest) bytes", "properties", name)
    }
  }

  static func magnitude(_ magnitude: Double?) throws {
    if let magnitude, !magnitudes.contains(magnitude) {
      throw refusal("\(magnitude) is no magnitude", "properties", "mag")
    }
  }

  /// Returns a date from milliseconds since 1970, whole or decimal, also negative.
  static func moment(_ milliseconds: Double, _ name: String) throws -> Date {
    // The range of ECMAScript's dates, ± 100,000,000 days: the page must be able to show them.
    guard abs(milliseconds) <= 8.64e15 else {
      throw refusal("\(milliseconds) ms is beyond any calendar", "properties", name)
    }
    return Date(timeIntervalSince1970: milliseconds / 1_000)
  }

  /// Returns a whole number, also if it is written with decimals.
  static func whole(_ number: Double?, _ name: String) throws -> Int? {
    guard let number else { return nil }
    guard let whole = Int(exactly: number.rounded()) else {
      throw refusal("\(number) is not a whole number that fits", "properties", name)
    }
    return whole
  }

  static func point(
    _ coordinates: [Double?]
  ) throws -> (longitude: Double, latitude: Double, depth: Double?) {
    func refusal(_ reason: String) -> DecodingError {
      Self.refusal(reason, "geometry", "coordinates")
    }
    guard coordinates.count >= 2, let longitude = coordinates[0], let latitude = coordinates[1]
    else { throw refusal("A point has a longitude and a latitude") }
    guard abs(longitude) <= 180, abs(latitude) <= 90 else {
      throw refusal("(\(longitude), \(latitude)) is not a place on the globe")
    }
    let depth = coordinates.count > 2 ? coordinates[2] : nil
    if let depth, !depths.contains(depth) {
      throw refusal("\(depth) km is neither in the Earth nor near it")
    }
    return (longitude, latitude, depth)
  }

  private static func refusal(_ reason: String, _ path: String...) -> DecodingError {
    .dataCorrupted(.init(codingPath: path.map(Name.init(stringValue:)), debugDescription: reason))
  }

  /// The name of a member.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
