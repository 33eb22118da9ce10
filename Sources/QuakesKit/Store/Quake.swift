import Foundation
import SwiftData

/// One earthquake in the store.
///
/// The key is the feed's `id`. The network's `code` would not do: two networks can give the same
/// code to two earthquakes. It is called `eventID` here because `id` is the name of a model's own
/// identity.
@Model
public final class Quake {
  #Index<Quake>([\.time], [\.magnitude, \.time])

  /// The feed's `id`, such as `nc75176351`. The history keeps it of deleted rows, for those who
  /// follow the store.
  @Attribute(.unique, .preserveValueOnDeletion) public var eventID: String
  /// Magnitude; negative for very small events.
  public var magnitude: Double?
  /// The method behind the magnitude, such as `ml` or `mww`.
  public var magnitudeType: String?
  /// A description of the place.
  public var place: String?
  /// When it happened.
  public var time: Date
  /// When the feed changed it last.
  public var updated: Date
  /// Degrees east.
  public var longitude: Double
  /// Degrees north.
  public var latitude: Double
  /// Kilometres below sea level.
  public var depth: Double?
  /// `earthquake`, `quarry blast` and others.
  public var type: String
  /// `automatic` or `reviewed`.
  public var status: String?
  /// The PAGER alert level.
  public var alert: String?
  /// Whether a tsunami message exists.
  public var tsunami: Bool
  /// How many people reported that they felt it.
  public var felt: Int?
  /// Significance, 0 to 1000 and more.
  public var significance: Int
  /// The event's page, as the feed gives it.
  public var url: String?
  /// The network's code, unique only together with `net`.
  public var code: String
  /// The network that reports it.
  public var net: String

  /// An earthquake as the feed describes it.
  public init(_ feature: Feature) {
    let properties = feature.properties
    eventID = feature.id
    magnitude = properties.magnitude
    magnitudeType = properties.magnitudeType
    place = properties.place
    time = properties.time
    updated = properties.updated
    longitude = feature.geometry.longitude
    latitude = feature.geometry.latitude
    depth = feature.geometry.depth
    type = properties.type
    status = properties.status
    alert = properties.alert
    tsunami = properties.tsunami
    felt = properties.felt
    significance = properties.significance
    url = properties.url
    code = properties.code
    net = properties.net
  }
}
