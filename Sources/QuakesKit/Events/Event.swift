import WireFormats

/// An earthquake as the API, the command line and the exports show it: plain values, independent of the store.
public struct Event: Hashable, Sendable, Codable, Identifiable {
  /// The feed's identifier, such as `nc75176351`.
  public var id: String
  /// Magnitude.
  public var magnitude: Double?
  /// The method that determined the magnitude.
  public var magnitudeType: String?
  /// A description of the place.
  public var place: String?
  /// The time of the earthquake, in milliseconds since 1970-01-01T00:00:00Z.
  public var time: Int
  /// The time at which the feed last changed it, in milliseconds since 1970-01-01T00:00:00Z.
  public var updated: Int
  /// Degrees east.
  public var longitude: Double
  /// Degrees north.
  public var latitude: Double
  /// Kilometres below sea level.
  public var depth: Double?
  /// The type of event, such as `earthquake` or `quarry blast`.
  public var type: String
  /// `automatic` or `reviewed`.
  public var status: String?
  /// The PAGER alert level.
  public var alert: String?
  /// Whether a tsunami message exists.
  public var tsunami: Bool
  /// The number of people who reported that they felt it.
  public var felt: Int?
  /// Significance.
  public var significance: Int
  /// The event's page; only `http:` and `https:` addresses are kept.
  public var url: String?
  /// The other identifiers of the same earthquake.
  public var aliases: [String]
  /// The time at which it was found to be withdrawn, in milliseconds since 1970-01-01T00:00:00Z; `nil` for an
  /// earthquake that wasn't withdrawn.
  public var withdrawn: Int?

  /// Creates an event with all its values.
  public init(
    id: String, magnitude: Double?, magnitudeType: String?, place: String?, time: Int,
    updated: Int, longitude: Double, latitude: Double, depth: Double?, type: String,
    status: String?, alert: String?, tsunami: Bool, felt: Int?, significance: Int, url: String?,
    aliases: [String] = [], withdrawn: Int? = nil
  ) {
    self.id = id
    self.magnitude = magnitude
    self.magnitudeType = magnitudeType
    self.place = place
    self.time = time
    self.updated = updated
    self.longitude = longitude
    self.latitude = latitude
    self.depth = depth
    self.type = type
    self.status = status
    self.alert = alert
    self.tsunami = tsunami
    self.felt = felt
    self.significance = significance
    self.url = url
    self.aliases = aliases
    self.withdrawn = withdrawn
  }

  /// Appends the event as the API's JSON object; unknown values are `null`, never omitted.
  public func write(to json: inout JSONWriter) {
    json.raw(#"{"id":"#)
    json.string(id)
    json.raw(#","magnitude":"#)
    json.number(magnitude)
    json.raw(#","magnitudeType":"#)
    json.string(magnitudeType)
    json.raw(#","place":"#)
    json.string(place)
    json.raw(#","time":"#)
    json.integer(time)
    json.raw(#","updated":"#)
    json.integer(updated)
    json.raw(#","longitude":"#)
    json.number(longitude)
    json.raw(#","latitude":"#)
    json.number(latitude)
    json.raw(#","depth":"#)
    json.number(depth)
    json.raw(#","type":"#)
    json.string(type)
    json.raw(#","status":"#)
    json.string(status)
    json.raw(#","alert":"#)
    json.string(alert)
    json.raw(#","tsunami":"#)
    json.boolean(tsunami)
    json.raw(#","felt":"#)
    json.integer(felt)
    json.raw(#","significance":"#)
    json.integer(significance)
    json.raw(#","url":"#)
    json.string(url)
    json.raw(#","aliases":["#)
    for (position, alias) in aliases.enumerated() {
      if position > 0 { json.raw(",") }
      json.string(alias)
    }
    json.raw(#"],"withdrawn":"#)
    json.integer(withdrawn)
    json.raw("}")
  }
}

extension JSONWriter {
  /// Appends events as a JSON array.
  public mutating func events(_ events: some Sequence<Event>) {
    raw("[")
    var isFirst = true
    for event in events {
      if !isFirst { raw(",") }
      isFirst = false
      event.write(to: &self)
    }
    raw("]")
  }
}
