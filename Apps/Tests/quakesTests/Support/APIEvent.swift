import QuakesKit
import WireFormats

/// An event as clients of the API read it.
struct APIEvent: Decodable, Hashable {
  var id: String
  var magnitude: Double?
  var magnitudeType: String?
  var place: String?
  var time: Int
  var updated: Int
  var longitude: Double
  var latitude: Double
  var depth: Double?
  var type: String
  var status: String?
  var alert: String?
  var tsunami: Bool
  var felt: Int?
  var significance: Int
  var url: String?
  var aliases: [String]
  var withdrawn: Int?

  /// The expected values for an event.
  init(_ event: Event) {
    id = event.eventID
    magnitude = event.magnitude
    magnitudeType = event.magnitudeType
    place = event.place
    time = event.time.milliseconds
    updated = event.updated.milliseconds
    longitude = event.longitude
    latitude = event.latitude
    depth = event.depth
    type = event.type
    status = event.status
    alert = event.alert
    tsunami = event.tsunami
    felt = event.felt
    significance = event.significance
    url = event.url
    aliases = event.otherIdentifiers
    withdrawn = event.withdrawn?.milliseconds
  }
}
