import Foundation

/// An event as a record of comma-separated values (RFC 4180).
struct CSVRow {
  /// The columns: the fields of the API, the times beside the identifier, without those that are younger than the
  /// format.
  static let columns: [EventColumn] = {
    let first: [EventColumn] = [.id, .time, .updated]
    return first + CSVFields.names.compactMap(EventColumn.init).filter { !first.contains($0) }
  }()

  /// The record with its line end.
  let text: String

  /// - Parameter columns: The columns in their order.
  init(_ event: Event, _ columns: [EventColumn] = Self.columns) {
    var fields = CSVFields()
    event.fields(to: &fields)
    text =
      columns.compactMap { CSVFields.positions[$0].map { fields.texts[$0] } }
      .joined(separator: ",") + "\r\n"
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
    // Not characters: one may be a comma with an accent.
    guard safe.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
    var quoted = "\"".unicodeScalars
    for scalar in safe.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }
}

/// The fields of an event as texts of a record, in the API's order.
private struct CSVFields: EventFieldReceiver {
  /// The names of the fields.
  static let names: [String] = {
    var fields = CSVFields(isHeader: true)
    let event = Event(
      eventID: "", time: .distantPast, updated: .distantPast, longitude: 0, latitude: 0, type: "",
      tsunami: false, significance: 0, code: "", net: "")
    event.fields(to: &fields)
    return fields.texts
  }()
  /// The position of each column among the fields.
  static let positions = Dictionary(
    uniqueKeysWithValues: names.enumerated().compactMap { position, name in
      EventColumn(rawValue: name).map { ($0, position) }
    })

  private let isHeader: Bool
  private(set) var texts: [String] = []

  /// - Parameter isHeader: Whether the texts are the names of the fields instead of the values.
  init(isHeader: Bool = false) {
    self.isHeader = isHeader
    texts.reserveCapacity(18)
  }

  private mutating func add(_ name: StaticString, _ text: @autoclosure () -> String?) {
    texts.append(isHeader ? name.description : text() ?? "")
  }

  mutating func field(_ name: StaticString, _ value: String?) {
    add(name, value.map(CSVRow.field))
  }

  mutating func field(_ name: StaticString, _ value: Double?) {
    add(name, value?.exportedText)
  }

  mutating func field(_ name: StaticString, _ value: Int?) { add(name, value.map(String.init)) }

  mutating func field(_ name: StaticString, _ value: Bool) { add(name, value ? "true" : "false") }

  mutating func field(_ name: StaticString, _ value: Date?) {
    add(name, value.map { Timestamp.iso8601($0) })
  }

  mutating func field(_ name: StaticString, _ value: [String]) {
    add(name, nil)  // No column has a list.
  }
}
