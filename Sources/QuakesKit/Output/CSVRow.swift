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
      Self.field(event.id), Timestamp.iso8601(event.time), Timestamp.iso8601(event.updated),
      event.magnitude.map(Self.number), event.magnitudeType.map(Self.field),
      event.place.map(Self.field), Self.number(event.longitude), Self.number(event.latitude),
      event.depth.map(Self.number), Self.field(event.type), event.status.map(Self.field),
      event.alert.map(Self.field), event.tsunami ? "true" : "false",
      event.felt.map(String.init), String(event.significance), event.url.map(Self.field),
    ]
    text = fields.map { $0 ?? "" }.joined(separator: ",") + "\r\n"
  }

  /// Characters that make a spreadsheet treat a field as a formula, including their full-width forms.
  private static let formulas: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  /// Quotes a field that needs it (RFC 4180, section 2, rules 5 to 7). Control characters don't occur: they were
  /// neutralised before. A feed's text that a spreadsheet would evaluate gets an apostrophe at its start.
  static func field(_ text: String) -> String {
    var safe = PlainText.neutralised(text)
    let first = safe.unicodeScalars.first { !$0.properties.isWhitespace }
    if let first, formulas.contains(first) { safe = "'" + safe }
    guard safe.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
    return "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? value.description
  }
}
