import Foundation

extension Event {
  /// Creates the event of a stored earthquake.
  public init(_ quake: Quake) {
    self.init(
      id: quake.eventID, magnitude: quake.magnitude, magnitudeType: quake.magnitudeType,
      place: quake.place, time: Self.milliseconds(quake.time),
      updated: Self.milliseconds(quake.updated), longitude: quake.longitude,
      latitude: quake.latitude, depth: quake.depth, type: quake.type, status: quake.status,
      alert: quake.alert, tsunami: quake.tsunami, felt: quake.felt,
      significance: quake.significance, url: Self.webAddress(quake.url),
      aliases: Feature.aliases(quake.aliases, of: quake.eventID),
      withdrawn: quake.withdrawn.map(Self.milliseconds))
  }

  /// Creates the event of a feed's feature.
  public init(_ feature: Feature) {
    let properties = feature.properties
    self.init(
      id: feature.id, magnitude: properties.magnitude, magnitudeType: properties.magnitudeType,
      place: properties.place, time: Self.milliseconds(properties.time),
      updated: Self.milliseconds(properties.updated), longitude: feature.geometry.longitude,
      latitude: feature.geometry.latitude, depth: feature.geometry.depth, type: properties.type,
      status: properties.status, alert: properties.alert, tsunami: properties.tsunami,
      felt: properties.felt, significance: properties.significance,
      url: Self.webAddress(properties.url), aliases: properties.aliases,
      withdrawn: properties.status == "deleted" ? Self.milliseconds(properties.updated) : nil)
  }

  private static func milliseconds(_ date: Date) -> Int {
    Int((date.timeIntervalSince1970 * 1_000).rounded())
  }

  /// Returns the text only if it is a web address: a link from a feed must not be able to run a
  /// script.
  private static func webAddress(_ text: String?) -> String? {
    guard let text, let scheme = text.split(separator: ":").first?.lowercased(),
      scheme == "https" || scheme == "http"
    else { return nil }
    return text
  }
}
