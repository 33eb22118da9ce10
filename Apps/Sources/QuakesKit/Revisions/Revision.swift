import Foundation
import WireFormats

/// An earlier form of an event: what a feed said of it until it said something else.
public struct Revision: Codable, Hashable, Sendable {
  /// The values that were replaced.
  public var values: Values
  /// The time at which the later form was found: that of the document that had it.
  public var until: Date

  /// The values of an event that its revisions are about. Others, such as the number of reports, change without
  /// anything being learnt of the earthquake.
  public struct Values: Codable, Hashable, Sendable {
    /// The identifier that the event had.
    public var id: String
    /// The time at which the feed last changed the event.
    public var updated: Date
    /// Magnitude, and the method that determined it.
    public var magnitude: Double?
    public var magnitudeType: String?
    public var place: String?
    public var time: Date
    /// Degrees east and north.
    public var longitude: Double
    public var latitude: Double
    /// Kilometres below sea level.
    public var depth: Double?
    public var type: String
    public var status: String?
    /// The time at which the event was found to be withdrawn; nil when it was listed.
    public var withdrawn: Date?

    /// The values of an event.
    public init(_ event: Event) {
      id = event.id
      updated = event.updated
      magnitude = event.magnitude
      magnitudeType = event.magnitudeType
      place = event.place
      time = event.time
      longitude = event.longitude
      latitude = event.latitude
      depth = event.depth
      type = event.type
      status = event.status
      withdrawn = event.withdrawn
    }

    /// Whether the values differ in more than the times of the revision and of the withdrawal.
    func differ(from other: Values) -> Bool {
      var (mine, theirs) = (self, other)
      mine.updated = theirs.updated
      if mine.withdrawn != nil, theirs.withdrawn != nil { mine.withdrawn = theirs.withdrawn }
      return mine != theirs
    }
  }
}

extension Revision {
  /// Appends the revision as a JSON object of the API.
  func write(to json: inout JSONWriter) {
    json.raw("{")
    json.field("id", values.id)
    json.field("updated", values.updated)
    json.field("magnitude", values.magnitude)
    json.field("magnitudeType", values.magnitudeType)
    json.field("place", values.place)
    json.field("time", values.time)
    json.field("longitude", values.longitude)
    json.field("latitude", values.latitude)
    json.field("depth", values.depth)
    json.field("type", values.type)
    json.field("status", values.status)
    json.field("withdrawn", values.withdrawn)
    json.field("until", until)
    json.raw("}")
  }
}

extension Event {
  /// Appends the event as the API's JSON object, with its earlier forms as `revisions`, oldest first, and with its
  /// details as `details`, if there are any.
  public func write(
    to json: inout JSONWriter, with revisions: [Revision], details: DetailsLoader.Answer? = nil
  ) {
    json.raw("{")
    fields(to: &json)
    json.member("revisions")
    json.raw("[")
    for (number, revision) in revisions.enumerated() {
      if number > 0 { json.raw(",") }
      revision.write(to: &json)
    }
    json.raw("]")
    if let details {
      json.member("details")
      details.write(to: &json)
    }
    json.raw("}")
  }
}
