import Foundation
import HTTPContent
import QuakesKit
import WireFormats

/// Formats events as aligned lines, no wider than their terminal. A narrower terminal gets fewer columns; magnitude and
/// place are always shown.
struct EventTable {
  /// The columns of a line.
  private struct Layout {
    /// The number of characters of the time: with seconds, with minutes, the date, or none.
    var time: Int
    var hasZone = false
    var hasDepth = false
    var hasID = false
  }

  private static let layouts = [
    Layout(time: 19, hasZone: true, hasDepth: true, hasID: true),
    Layout(time: 19, hasZone: true, hasID: true), Layout(time: 19, hasID: true),
    Layout(time: 16, hasID: true), Layout(time: 10, hasID: true), Layout(time: 16),
    Layout(time: 10), Layout(time: 0),
  ]
  private static let magnitudeWidth = 5
  private static let depthWidth = 7
  private static let idWidth = 14
  private static let leastPlace = 8
  private static let gap = 2

  let terminal: Terminal
  let zone: TimeZone
  let unit: DistanceUnit
  private let layout: Layout
  private let zoneWidth: Int

  /// - Parameters:
  ///   - terminal: The width of a line, and whether it has colour.
  ///   - zone: The time zone for times.
  ///   - unit: The unit of depths, and of distances in places.
  init(terminal: Terminal, zone: TimeZone, unit: DistanceUnit = .kilometres) {
    self.terminal = terminal
    self.zone = zone
    self.unit = unit
    let zoneWidth = Self.zoneWidth(zone)
    self.zoneWidth = zoneWidth
    layout =
      Self.layouts.first {
        Self.width($0, zoneWidth) + Self.gap + Self.leastPlace <= terminal.columns
      } ?? Layout(time: 0)
  }

  /// Returns the width of all columns but the place's, with the gaps between them.
  private static func width(_ layout: Layout, _ zoneWidth: Int) -> Int {
    var width = magnitudeWidth
    if layout.time > 0 { width += layout.time + gap }
    if layout.hasZone { width += 1 + zoneWidth }
    if layout.hasDepth { width += depthWidth + gap }
    if layout.hasID { width += idWidth + gap }
    return width
  }

  /// Returns the maximum width of a zone's names over a year.
  static func zoneWidth(_ zone: TimeZone) -> Int {
    // 2026-01-01 and 2026-07-01: standard and daylight saving time, in either hemisphere.
    let names = [1_767_225_600, 1_782_864_000].map {
      zoneName(zone, at: Date(timeIntervalSince1970: $0))
    }
    return names.map(PlainText.width).max() ?? 0
  }

  /// The line above the events.
  var heading: String {
    let zone = Self.isUTC(zone) ? "UTC" : "local"
    let time = layout.hasZone || layout.time < 16 ? "Time" : "Time (\(zone))"
    return line(
      time, TextColumn.right("Mag", Self.magnitudeWidth),
      TextColumn.right("Depth", Self.depthWidth), "Place", "ID", .bold)
  }

  /// Returns the line of an event. Text of the feed is made safe before it is printed.
  func row(_ event: Event) -> String {
    let magnitude = TextColumn.right(Self.magnitude(event), Self.magnitudeWidth)
    let time = String(localTime(event.time).prefix(layout.time))
    return line(
      layout.hasZone ? "\(time) \(Self.zoneName(zone, at: event.time))" : time,
      terminal.styled(magnitude, style(event.magnitude)),
      TextColumn.right(depth(event), Self.depthWidth),
      place(event), PlainText.neutralised(event.id), nil)
  }

  /// Returns an event's place, safe to print, marked if the event was withdrawn.
  func place(_ event: Event) -> String {
    (event.withdrawn == nil ? "" : "(withdrawn) ")
      + PlainText.neutralised(event.place.map(unit.place) ?? "–")
  }

  /// Returns an event's magnitude; a dash when it is unknown.
  static func magnitude(_ event: Event) -> String {
    event.magnitudeText ?? "–"
  }

  /// Returns an event's depth, cut to its column; a dash when it is unknown.
  func depth(_ event: Event) -> String {
    PlainText.fitted(event.depth.map(unit.shortDepth) ?? "–", columns: Self.depthWidth)
  }

  /// Returns `2026-01-31 12:34:56` in the table's time zone.
  func localTime(_ time: Date) -> String {
    let offset = zone.secondsFromGMT(for: time)
    let text = Timestamp.iso8601(time.milliseconds + offset * 1_000)
    return text.prefix { $0 != "." }.replacingOccurrences(of: "T", with: " ")
  }

  /// Returns the local time with the zone's name at that time.
  func zonedTime(_ time: Date) -> String {
    "\(localTime(time)) \(Self.zoneName(zone, at: time))"
  }

  /// Returns the name of a zone at a time, such as `GMT+2`: it depends on daylight saving time.
  static func zoneName(_ zone: TimeZone, at time: Date) -> String {
    isUTC(zone) ? "UTC" : zone.abbreviation(for: time) ?? zone.identifier
  }

  private static func isUTC(_ zone: TimeZone) -> Bool {
    ["GMT", "UTC", "Etc/UTC"].contains(zone.identifier)
  }

  private func line(
    _ time: String, _ magnitude: String, _ depth: String, _ place: String, _ id: String,
    _ style: Terminal.Style?
  ) -> String {
    let timeWidth = layout.time + (layout.hasZone ? 1 + zoneWidth : 0)
    let room = max(1, terminal.columns - Self.width(layout, zoneWidth) - Self.gap)
    var cells: [String] = []
    if layout.time > 0 { cells.append(TextColumn.left(time, timeWidth)) }
    cells.append(magnitude)
    if layout.hasDepth { cells.append(depth) }
    cells.append(
      layout.hasID ? TextColumn.left(place, room) : PlainText.fitted(place, columns: room))
    // The last column isn't padded, and never cut: `show` takes an identifier as it is printed.
    if layout.hasID { cells.append(id) }
    return terminal.styled(cells.joined(separator: String(repeating: " ", count: Self.gap)), style)
  }

  /// Returns the style that highlights a magnitude.
  func style(_ magnitude: Double?) -> Terminal.Style? {
    switch magnitude ?? 0 {
    case 6...: .red
    case 4.5..<6: .yellow
    case 2.5..<4.5: nil
    default: .dim
    }
  }

  /// Returns a number with a fixed count of decimals, independent of the user's locale.
  static func decimal(_ value: Double, _ places: Int) -> String {
    // A store of an earlier version may contain any number.
    String(format: abs(value) < 1e6 ? "%.\(places)f" : "%.0e", value)
  }
}
