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
    let zoneName = zone.abbreviation() ?? zone.identifier
    return terminal.styled(
      line(
        "Time (\(zoneName))", right("Mag", Self.magnitudeWidth), right("Depth", Self.depthWidth),
        "Place", "ID"), .bold)
  }

  /// The line of an event. Text of the feed is made safe before it is printed.
  func row(_ event: Event) -> String {
    let magnitude = event.magnitude.map { Self.decimal($0, 1) } ?? "–"
    let depth = event.depth.map { Self.decimal($0, 0) + " km" } ?? "–"
    let shown = terminal.styled(right(magnitude, Self.magnitudeWidth), style(event.magnitude))
    return line(
      localTime(event.time), shown, right(depth, Self.depthWidth),
      PlainText.neutralised(event.place ?? "–"), PlainText.neutralised(event.id))
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
      left(time, Self.timeWidth), magnitude, depth, left(place, placeWidth), id,
    ].joined(separator: String(repeating: " ", count: Self.gap))
  }

  private func left(_ text: String, _ width: Int) -> String {
    let fitted = PlainText.fitted(text, columns: width)
    return fitted + String(repeating: " ", count: max(0, width - PlainText.width(fitted)))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - PlainText.width(text))) + text
  }

  private func style(_ magnitude: Double?) -> Terminal.Style? {
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
