import LocalCopy

/// An earthquake as the USGS feeds send it, before its values are checked: a GeoJSON feature (RFC 7946, section 3.2).
/// ``Quake/init(_:)-(SentFeature)`` checks it.
///
/// Accepts the values of real feeds: null or missing ones, whole and decimal numbers in the same place.
@FeedElement
public struct SentFeature: Decodable, Hashable, Sendable {
  /// The feed's `id`: network and code together, unique in a feed.
  public let id: String
  /// The properties of the earthquake.
  public let properties: Properties
  /// The position of the earthquake.
  public let geometry: Geometry

  /// The feature's `properties`; all 26 that the feeds send.
  @FeedElement
  public struct Properties: Decodable, Hashable, Sendable {
    let mag: Double?
    let magType: String?
    let place: String?
    /// Milliseconds since 1970, like `updated`.
    let time: Double
    let updated: Double?
    let type: String?
    let status: String?
    let alert: String?
    let tsunami: Double?
    let felt: Double?
    let sig: Double?
    let url: String?
    let code: String?
    let net: String?
    /// All identifiers of the earthquake, including the preferred one: `,nc1,us2,`.
    let ids: String?
    let sources: String?
    let types: String?
    let title: String?
    let detail: String?
    /// Minutes east of Greenwich.
    let tz: Double?
    let cdi: Double?
    let mmi: Double?
    let nst: Double?
    let dmin: Double?
    let rms: Double?
    let gap: Double?
  }

  /// The feature's `geometry`, a point.
  @FeedElement
  public struct Geometry: Decodable, Hashable, Sendable {
    /// Longitude, latitude and usually depth.
    let coordinates: [Double?]
  }
}
