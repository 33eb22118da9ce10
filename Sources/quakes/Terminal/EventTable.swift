import Foundation
import HTTPContent
import QuakesKit

/// Events as aligned lines for people, no wider than their terminal.
struct EventTable {
  let terminal: Terminal
  let zone: TimeZone

  private static let timeWidth = 19
  private static let magnitudeWidth = 5
  private static let depthWidth = 7
  private static let gap = 2

  /// The line above the events.
  var heading: String {
    terminal.styled(
      line(
        "Time (\(zoneName))", TextColumn.right("Mag", Self.magnitudeWidth),
        TextColumn.right("Depth", Self.depthWidth),
        "Place", "ID"), .bold)
  }

  /// The time zone's name, as the headings have it.
  var zoneName: String { zone.abbreviation() ?? zone.identifier }

  /// The line of an event. Text of the feed is made safe before it is printed.
  func row(_ event: Event) -> String {
    let magnitude = TextColumn.right(Self.magnitude(event), Self.magnitudeWidth)
    return line(
      localTime(event.time), terminal.styled(magnitude, style(event.magnitude)),
      TextColumn.right(Self.depth(event), Self.depthWidth),
      PlainText.neutralised(event.place ?? "–"), PlainText.neutralised(event.id))
  }

  /// An event's magnitude; a dash when it is not known.
  static func magnitude(_ event: Event) -> String {
    event.magnitude.map { decimal($0, 1) } ?? "–"
  }

  /// An event's depth; a dash when it is not known.
  static func depth(_ event: Event) -> String {
    event.depth.map { decimal($0, 0) + " km" } ?? "–"
  }

  /// `2026-01-31 12:34:56` in the table's time zone.
  func localTime(_ milliseconds: Int) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    let offset = zone.secondsFromGMT(for: date)
    let text = Timestamp.iso8601(milliseconds + offset * 1_000)
    return text.prefix { $0 != "." }.replacingOccurrences(of: "T", with: " ")
  }

  private func line(
    _ time: String, _ magnitude: String, _ depth: String, _ place: String, _ id: String
  ) -> String {
    let fixed = Self.timeWidth + Self.magnitudeWidth + Self.depthWidth + 4 * Self.gap
    let idWidth = 14
    let placeWidth = max(8, terminal.columns - fixed - idWidth)
    return [
      TextColumn.left(time, Self.timeWidth), magnitude, depth, TextColumn.left(place, placeWidth),
      id,
    ].joined(separator: String(repeating: " ", count: Self.gap))
  }

  /// How a magnitude stands out.
  func style(_ magnitude: Double?) -> Terminal.Style? {
    switch magnitude ?? 0 {
    case 6...: .red
    case 4.5..<6: .yellow
    case 2.5..<4.5: nil
    default: .dim
    }
  }

  /// A number with a fixed count of decimals, independent of the user's locale.
  static func decimal(_ value: Double, _ places: Int) -> String {
    String(format: "%.\(places)f", value)
  }
}
