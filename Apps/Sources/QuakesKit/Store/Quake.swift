import Foundation
import SwiftData
import SwiftDataExtras

/// An earthquake in the store.
///
/// The key is the feed's `id`. The network's `code` isn't unique: two networks can give the same code to two
/// earthquakes. The property is called `eventID` because `id` is the name of a model's own identity.
///
/// An earthquake isn't deleted when a feed no longer has it: ``withdrawn`` and ``replacement`` record its state.
@Model @Snapshotable
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
}

extension Quake {
  /// Returns a copy, in no context, that is marked as withdrawn.
  /// - Parameters:
  ///   - moment: The time at which the withdrawal was found.
  ///   - replacement: The current identifier of the earthquake, if it is known under another one.
  func markedWithdrawn(at moment: Date, replacement: String? = nil) -> Quake {
    var copy = snapshot
    copy.withdrawn = moment
    copy.replacement = replacement
    return Quake(copy)
  }
}
