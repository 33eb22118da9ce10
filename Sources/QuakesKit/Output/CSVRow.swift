import Foundation

/// An event as a record of comma-separated values (RFC 4180).
struct CSVRow {
  static let columns = [
    "id", "time", "updated", "magnitude", "magnitudeType", "place", "longitude", "latitude",
    "depth", "type", "status", "alert", "tsunami", "felt", "significance", "url",
  ]

  /// The record with its line end.
  let text: String

  init(_ event: Event) {
    let fields: [String?] = [
      event.id, Timestamp.iso8601(event.time), Timestamp.iso8601(event.updated),
      event.magnitude.map(Self.number), event.magnitudeType, event.place,
      Self.number(event.longitude), Self.number(event.latitude), event.depth.map(Self.number),
      event.type, event.status, event.alert, event.tsunami ? "true" : "false",
      event.felt.map(String.init), String(event.significance), event.url,
    ]
    text = fields.map { $0.map(Self.field) ?? "" }.joined(separator: ",") + "\r\n"
  }

  /// Quotes a field that needs it (RFC 4180, section 2, rules 5 to 7). Control characters do not
  /// occur: they are neutralised before.
  static func field(_ text: String) -> String {
    let safe = PlainText.neutralised(text)
    guard safe.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
    return "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? value.description
  }
}
