import Foundation
import HTTPContent
import WireFormats

/// An earthquake as the API, the command line and the exports show it: the values of a ``Quake``, independent of the
/// store.
public typealias Event = Quake.Snapshot

extension Quake.Snapshot: Identifiable {
  /// The feed's identifier, such as `nc75176351`.
  public var id: String { eventID }

  /// The other identifiers of the same earthquake, in the feed's order.
  public var otherIdentifiers: [String] { EventIdentifier.others(in: aliases, than: eventID) }

  /// The event's page: ``Quake/url`` only if it is a web address, because a link from a feed must not be able to run a
  /// script.
  public var webAddress: String? { url.flatMap(Self.webAddress) }

  /// Returns a text if it is a web address. A blank or a control character would end it for other programs, which take
  /// the rest for something else.
  static func webAddress(_ text: String) -> String? {
    let start = text.prefix(8).lowercased()
    guard start.hasPrefix("https://") || start.hasPrefix("http://"),
      PlainText.neutralised(text) == text, !text.unicodeScalars.contains(where: isBlank)
    else { return nil }
    return text
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar.value > 0x7f && scalar.properties.isWhitespace
  }

  /// Passes the fields that the API and the exports show to `receiver`, in the API's order. This is the only list of
  /// them.
  func fields(to receiver: inout some EventFieldReceiver) {
    receiver.field("id", eventID)
    receiver.field("magnitude", magnitude)
    receiver.field("magnitudeType", magnitudeType)
    receiver.field("place", place)
    receiver.field("time", time)
    receiver.field("updated", updated)
    receiver.field("longitude", longitude)
    receiver.field("latitude", latitude)
    receiver.field("depth", depth)
    receiver.field("type", type)
    receiver.field("status", status)
    receiver.field("alert", alert)
    receiver.field("tsunami", tsunami)
    receiver.field("felt", felt)
    receiver.field("significance", significance)
    receiver.field("url", webAddress)
    receiver.field("aliases", otherIdentifiers)
    receiver.field("withdrawn", withdrawn)
  }
}

/// Receives the fields of an event one by one: each with its name in the API.
protocol EventFieldReceiver {
  mutating func field(_ name: StaticString, _ value: String?)
  mutating func field(_ name: StaticString, _ value: Double?)
  mutating func field(_ name: StaticString, _ value: Int?)
  mutating func field(_ name: StaticString, _ value: Bool)
  mutating func field(_ name: StaticString, _ value: Date?)
  mutating func field(_ name: StaticString, _ value: [String])
}
