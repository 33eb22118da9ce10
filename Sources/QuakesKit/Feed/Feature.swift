import Foundation

/// One earthquake as the USGS feeds send it: a GeoJSON feature (RFC 7946, section 3.2).
///
/// Reads what real feeds contain: values that are null or missing, whole and decimal numbers in the
/// same place, times before 1970, points without depth. What makes an event useless (no identifier,
/// no time, no position) is a decoding error, so that the event is skipped and reported.
public struct Feature: Decodable, Hashable, Sendable {
  /// The feed's `id`: network and code together, unique in a feed.
  public let id: String
  /// What is known about the earthquake.
  public let properties: Properties
  /// Where it happened.
  public let geometry: Geometry

  /// The feature's `properties`; the feeds send 26, these are the ones that are kept.
  public struct Properties: Decodable, Hashable, Sendable {
    /// Magnitude; negative for very small events.
    public let magnitude: Double?
    /// The method behind the magnitude, such as `ml` or `mww`.
    public let magnitudeType: String?
    /// A description such as `4 km NW of The Geysers, CA`.
    public let place: String?
    /// When it happened.
    public let time: Date
    /// When the feed changed it last; the time of the event when the feed does not say.
    public let updated: Date
    /// `earthquake`, `quarry blast` and others; `earthquake` when the feed does not say.
    public let type: String
    /// `automatic` or `reviewed`, in lower case.
    public let status: String?
    /// The PAGER alert level: `green`, `yellow`, `orange`, `red`, sometimes `pending`.
    public let alert: String?
    /// Whether a tsunami message exists.
    public let tsunami: Bool
    /// How many people reported that they felt it.
    public let felt: Int?
    /// Significance, 0 to 1000 and more.
    public let significance: Int
    /// The event's page.
    public let url: String?
    /// The network's code, unique only together with `net`.
    public let code: String
    /// The network that reports it.
    public let net: String

    private enum CodingKeys: String, CodingKey {
      case magnitude = "mag"
      case magnitudeType = "magType"
      case significance = "sig"
      case place, time, updated, type, status, alert, tsunami, felt, url, code, net
    }

    /// Decodes the properties.
    /// - Throws: `DecodingError` without a time, or when a value has another type than the feed's.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      magnitude = try values.decodeIfPresent(Double.self, forKey: .magnitude)
      magnitudeType = try values.decodeIfPresent(String.self, forKey: .magnitudeType)
      place = try values.decodeIfPresent(String.self, forKey: .place)
      time = try values.moment(.time)
      updated = try values.momentIfPresent(.updated) ?? time
      type = try values.decodeIfPresent(String.self, forKey: .type) ?? "earthquake"
      status = try values.decodeIfPresent(String.self, forKey: .status)?.lowercased()
      alert = try values.decodeIfPresent(String.self, forKey: .alert)
      tsunami = try values.wholeIfPresent(.tsunami) ?? 0 != 0
      felt = try values.wholeIfPresent(.felt)
      significance = try values.wholeIfPresent(.significance) ?? 0
      url = try values.decodeIfPresent(String.self, forKey: .url)
      code = try values.decodeIfPresent(String.self, forKey: .code) ?? ""
      net = try values.decodeIfPresent(String.self, forKey: .net) ?? ""
    }
  }

  /// The feature's `geometry`: a point of longitude, latitude and, most times, depth.
  public struct Geometry: Decodable, Hashable, Sendable {
    /// Degrees east, -180 to 180.
    public let longitude: Double
    /// Degrees north, -90 to 90.
    public let latitude: Double
    /// Kilometres below sea level; negative above it.
    public let depth: Double?

    private enum CodingKeys: CodingKey { case coordinates }

    /// Decodes the point.
    /// - Throws: `DecodingError` without longitude and latitude, or when they are not on the globe.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      var point = try values.nestedUnkeyedContainer(forKey: .coordinates)
      longitude = try point.decode(Double.self)
      latitude = try point.decode(Double.self)
      depth = point.isAtEnd ? nil : try point.decodeIfPresent(Double.self)
      guard abs(longitude) <= 180, abs(latitude) <= 90 else {
        throw DecodingError.dataCorruptedError(
          forKey: .coordinates, in: values,
          debugDescription: "(\(longitude), \(latitude)) is not a place on the globe")
      }
    }
  }
}

extension KeyedDecodingContainer {
  /// A date written as milliseconds since 1970, whole or decimal, also negative.
  fileprivate func moment(_ key: Key) throws -> Date {
    let milliseconds = try decode(Double.self, forKey: key)
    // The range that ECMAScript's dates have, ± 100,000,000 days: the page must be able to show
    // them.
    guard abs(milliseconds) <= 8.64e15 else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "\(milliseconds) ms is beyond any calendar")
    }
    return Date(timeIntervalSince1970: milliseconds / 1_000)
  }

  fileprivate func momentIfPresent(_ key: Key) throws -> Date? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try moment(key)
  }

  /// A whole number, also when it is written with decimals.
  fileprivate func wholeIfPresent(_ key: Key) throws -> Int? {
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    guard let whole = Int(exactly: number.rounded()) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "\(number) is not a whole number that fits")
    }
    return whole
  }
}
