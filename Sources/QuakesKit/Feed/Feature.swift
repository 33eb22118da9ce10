import Foundation

/// An earthquake of the USGS feeds, with checked values.
///
/// Accepts the values of real feeds: null or missing ones, whole and decimal numbers in the same place, times before
/// 1970, points without depth. A missing identifier, time or position makes an event useless; it is a decoding error,
/// so that the event is skipped and reported.
public struct Feature: Decodable, Hashable, Sendable {
  /// The feed's `id`: network and code together, unique in a feed.
  public let id: String
  /// The properties of the earthquake.
  public let properties: Properties
  /// The position of the earthquake.
  public let geometry: Geometry

  /// The feature's `properties`; all 26 that the feeds send.
  public struct Properties: Hashable, Sendable {
    /// Magnitude; negative for very small events.
    public let magnitude: Double?
    /// The method that determined the magnitude, such as `ml` or `mww`.
    public let magnitudeType: String?
    /// A description such as `4 km NW of The Geysers, CA`.
    public let place: String?
    /// The time of the earthquake.
    public let time: Date
    /// The time at which the feed last changed it; the time of the event when the feed doesn't have it.
    public let updated: Date
    /// The type of event, such as `earthquake` or `quarry blast`; `earthquake` when the feed doesn't have it.
    public let type: String
    /// `automatic`, `reviewed` or `deleted`, in lower case.
    public let status: String?
    /// The PAGER alert level: `green`, `yellow`, `orange`, `red`, sometimes `pending`.
    public let alert: String?
    /// Whether a tsunami message exists.
    public let tsunami: Bool
    /// The number of people who reported that they felt it.
    public let felt: Int?
    /// Significance, 0 to 1000 and more.
    public let significance: Int
    /// The event's page.
    public let url: String?
    /// The network's code, unique only together with `net`.
    public let code: String
    /// The network that reports it.
    public let net: String
    /// The other identifiers of the same earthquake, in the feed's order.
    public let aliases: [String]
    /// The other properties that the feed sends.
    public let details: Details
  }

  /// Properties that are stored and not shown yet.
  public struct Details: Hashable, Sendable {
    /// The networks that contributed, such as `,nc,us,`.
    public let sources: String?
    /// The kinds of products, such as `,origin,phase-data,`.
    public let types: String?
    /// The feed's own title, such as `M 4.5 - 4 km NW of The Geysers, CA`.
    public let title: String?
    /// The address of the detail document.
    public let detail: String?
    /// The local time zone, in minutes east of Greenwich.
    public let timeZone: Int?
    /// The highest reported intensity, 0 to 10 (Did You Feel It?).
    public let reportedIntensity: Double?
    /// The highest estimated intensity, 0 to 10 (ShakeMap).
    public let estimatedIntensity: Double?
    /// The number of stations that determined the position.
    public let stations: Int?
    /// The distance to the nearest station, in degrees.
    public let nearestStation: Double?
    /// The root mean square of the travel times' residuals, in seconds.
    public let residual: Double?
    /// The largest gap between neighbouring stations, in degrees.
    public let gap: Double?
  }

  /// The feature's `geometry`: a point with longitude, latitude and usually depth.
  public struct Geometry: Hashable, Sendable {
    /// Degrees east, -180 to 180.
    public let longitude: Double
    /// Degrees north, -90 to 90.
    public let latitude: Double
    /// Kilometres below sea level; negative above it.
    public let depth: Double?
  }
}

extension Feature {
  /// Decodes a feature as the feeds send it.
  /// - Throws: `DecodingError` when a value has another type than the feed's or makes the event useless.
  public init(from decoder: any Decoder) throws {
    try self.init(SentFeature(from: decoder), at: decoder.codingPath)
  }

  /// Checks a feature.
  /// - Parameters:
  ///   - sent: The feature as a feed sent it.
  ///   - path: The coding path of the feature, for errors.
  /// - Throws: `DecodingError` with the coding path of the value that makes the event useless.
  public init(_ sent: SentFeature, at path: [any CodingKey] = []) throws {
    guard Self.isUsable(sent.id) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: path + [SentFeature.CodingKeys.id],
          debugDescription:
            "An identifier has 1 to \(Self.longestID) bytes and no control characters"))
    }
    id = sent.id
    properties = try Properties(
      sent.properties, of: sent.id, at: path + [SentFeature.CodingKeys.properties])
    geometry = try Geometry(sent.geometry, at: path + [SentFeature.CodingKeys.geometry])
  }
}

extension Feature {
  /// The maximum length of an identifier, in bytes: longer ones have no address in the API.
  public static let longestID = 200

  /// Returns whether an event with this identifier can be requested.
  static func isUsable(_ id: String) -> Bool {
    (1...longestID).contains(id.utf8.count)
      && !id.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Returns the identifiers of `,a,b,` except `id`; empty members occur.
  static func aliases(_ ids: String?, of id: String) -> [String] {
    guard let ids, ids.utf8.dropFirst().dropLast().elementsEqual(id.utf8) == false else {
      return []
    }
    var known: Set<String> = [id]
    return ids.split(separator: ",").map(String.init).filter {
      isUsable($0) && known.insert($0).inserted
    }
  }
}

extension Feature.Properties {
  /// The range of plausible magnitudes; the strongest earthquake ever measured had 9.5.
  static let magnitudes = -20.0...20.0

  fileprivate init(
    _ sent: SentFeature.Properties, of id: String, at path: [any CodingKey]
  ) throws {
    typealias Key = SentFeature.Properties.CodingKeys
    if let magnitude = sent.mag, !Self.magnitudes.contains(magnitude) {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path + [Key.mag], debugDescription: "\(magnitude) is no magnitude"))
    }
    magnitude = sent.mag
    magnitudeType = sent.magType
    place = sent.place
    time = try Self.moment(sent.time, at: path + [Key.time])
    updated = try sent.updated.map { try Self.moment($0, at: path + [Key.updated]) } ?? time
    type = sent.type ?? "earthquake"
    status = sent.status?.lowercased()
    alert = sent.alert
    tsunami = try Self.whole(sent.tsunami, at: path + [Key.tsunami]) ?? 0 != 0
    felt = try Self.whole(sent.felt, at: path + [Key.felt])
    significance = try Self.whole(sent.sig, at: path + [Key.sig]) ?? 0
    url = sent.url
    code = sent.code ?? ""
    net = sent.net ?? ""
    aliases = Feature.aliases(sent.ids, of: id)
    details = Feature.Details(
      sources: sent.sources, types: sent.types, title: sent.title, detail: sent.detail,
      timeZone: try Self.whole(sent.tz, at: path + [Key.tz]), reportedIntensity: sent.cdi,
      estimatedIntensity: sent.mmi, stations: try Self.whole(sent.nst, at: path + [Key.nst]),
      nearestStation: sent.dmin, residual: sent.rms, gap: sent.gap)
  }

  /// Returns a date from milliseconds since 1970, whole or decimal, also negative.
  private static func moment(
    _ milliseconds: Double, at path: @autoclosure () -> [any CodingKey]
  ) throws -> Date {
    // The range of ECMAScript's dates, ± 100,000,000 days: the page must be able to show them.
    guard abs(milliseconds) <= 8.64e15 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path(), debugDescription: "\(milliseconds) ms is beyond any calendar"))
    }
    return Date(timeIntervalSince1970: milliseconds / 1_000)
  }

  /// Returns a whole number, also if it is written with decimals.
  private static func whole(
    _ number: Double?, at path: @autoclosure () -> [any CodingKey]
  ) throws -> Int? {
    guard let number else { return nil }
    guard let whole = Int(exactly: number.rounded()) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: path(), debugDescription: "\(number) is not a whole number that fits"))
    }
    return whole
  }
}

extension Feature.Geometry {
  /// The range of plausible depths, in kilometres: from the upper atmosphere down to the centre of the Earth.
  static let depths = -1_000.0...6_400.0

  fileprivate init(_ sent: SentFeature.Geometry, at path: [any CodingKey]) throws {
    func refusal(_ reason: String) -> DecodingError {
      let key = SentFeature.Geometry.CodingKeys.coordinates
      return .dataCorrupted(.init(codingPath: path + [key], debugDescription: reason))
    }
    let point = sent.coordinates
    guard point.count >= 2, let longitude = point[0], let latitude = point[1] else {
      throw refusal("A point has a longitude and a latitude")
    }
    guard abs(longitude) <= 180, abs(latitude) <= 90 else {
      throw refusal("(\(longitude), \(latitude)) is not a place on the globe")
    }
    self.longitude = longitude
    self.latitude = latitude
    if point.count > 2, let depth = point[2], !Self.depths.contains(depth) {
      throw refusal("\(depth) km is neither in the Earth nor near it")
    }
    depth = point.count > 2 ? point[2] : nil
  }
}
