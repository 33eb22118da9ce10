/// What the USGS's detail document of an event tells beyond the feed, as far as it is shown. All values are checked;
/// nil stands for one that the document doesn't have, or has in a form that cannot be right.
/// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson_detail.php
public struct EventDetails: Codable, Hashable, Sendable {
  /// The reports of people (product `dyfi`).
  public struct Felt: Codable, Hashable, Sendable {
    /// The number of reports.
    public var responses: Int?
    /// The greatest reported intensity, 0 to 12.
    public var intensity: Double?
  }

  /// The estimated losses (product `losspager`).
  public struct Alert: Codable, Hashable, Sendable {
    /// The level of the alert.
    public enum Level: String, Codable, CaseIterable, Sendable {
      case green, yellow, orange, red
    }

    /// The level.
    public var level: Level
    /// The greatest intensity to which people were exposed, 0 to 12.
    public var intensity: Double?
  }

  /// A plane along which the fault may have moved.
  public struct Plane: Codable, Hashable, Sendable {
    /// The direction of the plane's trace, in degrees clockwise from north, 0 to 360; the plane dips to its right.
    public var strike: Double
    /// The angle from the horizontal, in degrees, 0 to 90.
    public var dip: Double
    /// The direction of the slip in the plane, in degrees from the strike, -180 to 180.
    public var rake: Double
  }

  /// The seismic moment tensor in newton metres, in the directions up (r), south (t) and east (p).
  public struct Tensor: Codable, Hashable, Sendable {
    public var rr, tt, pp, rt, rp, tp: Double
  }

  /// The mechanism of the earthquake.
  public struct Mechanism: Codable, Hashable, Sendable {
    /// The product that it is from.
    public enum Kind: String, Codable, Sendable {
      case momentTensor = "moment-tensor"
      case focalMechanism = "focal-mechanism"
    }

    /// The product that it is from.
    public var kind: Kind
    /// The network that contributed it, such as `us`.
    public var source: String?
    /// The moment tensor.
    public var tensor: Tensor?
    /// The two nodal planes, one of which is the fault; at most two.
    public var planes: [Plane] = []
    /// The scalar moment in newton metres.
    public var moment: Double?
    /// The magnitude that follows from the moment, and its kind.
    public var magnitude: Double?
    public var magnitudeType: String?
    /// The share of the moment in a double couple, 0 to 1.
    public var doubleCouple: Double?
  }

  /// A town near the epicentre (product `nearby-cities`).
  public struct Town: Codable, Hashable, Sendable {
    public var name: String
    /// The distance of the epicentre from the town, in kilometres.
    public var distance: Double
    /// The direction from the town to the epicentre, such as `NNW`.
    public var direction: String?
    /// Degrees east and north.
    public var longitude: Double
    public var latitude: Double
    public var population: Int?
  }

  /// The lines of one intensity (product `shakemap`).
  public struct Contour: Codable, Hashable, Sendable {
    /// The intensity, 0 to 12, in halves or wholes.
    public var intensity: Double
    /// Lines of points: degrees east and north.
    public var lines: [[Point]]
  }

  /// A point of a line: degrees east and north, written as an array.
  public struct Point: Hashable, Sendable {
    public var longitude: Double
    public var latitude: Double
  }

  /// A part that is in a file of its own.
  public enum Part: String, Codable, Hashable, Sendable, CaseIterable {
    case towns, contours
  }

  public var felt: Felt?
  /// The greatest estimated intensity of the shaking, 0 to 12.
  public var shaking: Double?
  public var alert: Alert?
  public var mechanism: Mechanism?
  /// Nearest first.
  public var towns: [Town] = []
  /// Weakest first, simplified.
  public var contours: [Contour] = []
  /// The addresses of the files that ``towns`` and ``contours`` are from.
  public var addresses: [Part: String] = [:]
  /// The parts whose files could not be loaded.
  public var missing: [Part] = []

  /// Details without a value.
  public init() {}
}

extension EventDetails.Point: Codable {
  public init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    longitude = try values.decode(Double.self)
    latitude = try values.decode(Double.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    try values.encode(longitude)
    try values.encode(latitude)
  }
}
