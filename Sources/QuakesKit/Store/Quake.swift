import Foundation
import SwiftData

/// An earthquake in the store.
///
/// The key is the feed's `id`. The network's `code` isn't unique: two networks can give the same code to two
/// earthquakes. The property is called `eventID` because `id` is the name of a model's own identity.
///
/// An earthquake isn't deleted when a feed no longer has it: ``withdrawn`` and ``replacement`` record its state.
@Model
public final class Quake {
  #Index<Quake>([\.time], [\.withdrawn, \.time], [\.magnitude, \.time])

  /// The feed's `id`, such as `nc75176351`. The history keeps it for deleted rows, for code that follows the store.
  @Attribute(.unique, .preserveValueOnDeletion) public var eventID: String
  /// Magnitude; negative for very small events.
  public var magnitude: Double?
  /// The method that determined the magnitude, such as `ml` or `mww`.
  public var magnitudeType: String?
  /// A description of the place.
  public var place: String?
  /// The time of the earthquake.
  public var time: Date
  /// The time at which the feed last changed it.
  public var updated: Date
  /// Degrees east.
  public var longitude: Double
  /// Degrees north.
  public var latitude: Double
  /// Kilometres below sea level.
  public var depth: Double?
  /// The type of event, such as `earthquake` or `quarry blast`.
  public var type: String
  /// `automatic`, `reviewed` or `deleted`.
  public var status: String?
  /// The PAGER alert level.
  public var alert: String?
  /// Whether a tsunami message exists.
  public var tsunami: Bool
  /// The number of people who reported that they felt it.
  public var felt: Int?
  /// Significance, 0 to 1000 and more.
  public var significance: Int
  /// The event's page, as the feed sends it.
  public var url: String?
  /// The network's code, unique only together with `net`.
  public var code: String
  /// The network that reports it.
  public var net: String
  /// The other identifiers of the same earthquake, as `,a,b,`; nil when there are none.
  public var aliases: String?
  /// The time at which it was found to be withdrawn: deleted by its network, missing from a feed that covers it, or now
  /// known under another identifier. Nil for an earthquake that isn't withdrawn. If the feed lists it again, it is no
  /// longer withdrawn.
  public var withdrawn: Date?
  /// The identifier of the event that is the same earthquake and replaced this one.
  public var replacement: String?
  /// The networks that contributed.
  public var sources: String?
  /// The kinds of products.
  public var types: String?
  /// The feed's own title.
  public var title: String?
  /// The address of the detail document.
  public var detail: String?
  /// The local time zone, in minutes east of Greenwich.
  public var timeZone: Int?
  /// The highest reported intensity.
  public var reportedIntensity: Double?
  /// The highest estimated intensity.
  public var estimatedIntensity: Double?
  /// The number of stations that determined the position.
  public var stations: Int?
  /// The distance to the nearest station, in degrees.
  public var nearestStation: Double?
  /// The root mean square of the travel times' residuals, in seconds.
  public var residual: Double?
  /// The largest gap between neighbouring stations, in degrees.
  public var gap: Double?

  /// Creates an earthquake from a feed's feature.
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
    aliases =
      properties.aliases.isEmpty ? nil : ",\(properties.aliases.joined(separator: ",")),"
    withdrawn = properties.status == "deleted" ? properties.updated : nil
    let details = properties.details
    sources = details.sources
    types = details.types
    title = details.title
    detail = details.detail
    timeZone = details.timeZone
    reportedIntensity = details.reportedIntensity
    estimatedIntensity = details.estimatedIntensity
    stations = details.stations
    nearestStation = details.nearestStation
    residual = details.residual
    gap = details.gap
  }

  /// Creates a copy of a stored event that is marked as withdrawn; in no context.
  /// - Parameters:
  ///   - quake: The stored event.
  ///   - withdrawn: The time at which the withdrawal was found.
  ///   - replacement: The current identifier of the earthquake, if it is known under another one.
  init(_ quake: Quake, withdrawn: Date, replacement: String? = nil) {
    eventID = quake.eventID
    magnitude = quake.magnitude
    magnitudeType = quake.magnitudeType
    place = quake.place
    time = quake.time
    updated = quake.updated
    longitude = quake.longitude
    latitude = quake.latitude
    depth = quake.depth
    type = quake.type
    status = quake.status
    alert = quake.alert
    tsunami = quake.tsunami
    felt = quake.felt
    significance = quake.significance
    url = quake.url
    code = quake.code
    net = quake.net
    aliases = quake.aliases
    self.withdrawn = withdrawn
    self.replacement = replacement
    sources = quake.sources
    types = quake.types
    title = quake.title
    detail = quake.detail
    timeZone = quake.timeZone
    reportedIntensity = quake.reportedIntensity
    estimatedIntensity = quake.estimatedIntensity
    stations = quake.stations
    nearestStation = quake.nearestStation
    residual = quake.residual
    gap = quake.gap
  }
}
