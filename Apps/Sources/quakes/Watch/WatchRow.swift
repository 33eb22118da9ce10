import Foundation
import QuakesKit

/// Formats an event as a line of the live view, exactly as wide as the terminal. A narrower
/// terminal gets fewer columns; place and magnitude are always shown.
struct WatchRow {
  private struct Layout {
    var time = 0
    var age = 0
    var depth = 0
    var id = 0
    /// The minimum width of the place.
    var place: Int
  }

  private static let layouts = [
    Layout(time: 19, age: 7, depth: 7, id: 14, place: 24),
    Layout(time: 19, depth: 7, id: 14, place: 20), Layout(time: 19, depth: 7, place: 16),
    Layout(time: 8, depth: 7, place: 12), Layout(time: 8, place: 8), Layout(place: 1),
  ]
  private static let markWidth = 2
  private static let magnitudeWidth = 5
  private static let gap = 2

  private let table: EventTable
  private let columns: Int
  private let layout: Layout

  /// - Parameters:
  ///   - terminal: Whether it has colour.
  ///   - columns: The width of the line.
  ///   - zone: The time zone for times.
  ///   - unit: The unit of depths and distances.
  init(terminal: Terminal, columns: Int, zone: TimeZone, unit: DistanceUnit = .kilometres) {
    table = EventTable(terminal: terminal, zone: zone, unit: unit)
    self.columns = columns
    // A full time is followed by the zone's name.
    let nameWidth = EventTable.zoneWidth(zone) + 1
    let layouts = Self.layouts.map { layout in
      var layout = layout
      if layout.time > 8 { layout.time += nameWidth }
      return layout
    }
    layout = layouts.first { Self.width($0) <= columns } ?? Layout(place: 0)
  }

  private static func width(_ layout: Layout) -> Int {
    let others = [layout.time, layout.age, layout.depth, layout.id].filter { $0 > 0 }
    return markWidth + magnitudeWidth + gap + layout.place
      + others.reduce(0) { $0 + $1 + gap }
  }

  /// The line above the events.
  var heading: String {
    line(
      mark: nil, time: ("Time", .bold), age: ("Age", .bold), magnitude: ("Mag", .bold),
      depth: ("Depth", .bold), place: ("Place", .bold), id: ("ID", .bold))
  }

  /// Returns the line of an event.
  func row(_ event: Event, mark: WatchState.Mark?, now: Date) -> String {
    let time =
      layout.time > 8
      ? table.zonedTime(event.time) : String(table.localTime(event.time).suffix(8))
    let style: Terminal.Style? = mark == nil ? nil : .bold
    return line(
      mark: mark, time: (time, style),
      age: (Age.text(since: event.time, now: now), style),
      magnitude: (EventTable.magnitude(event), table.style(event.magnitude)),
      depth: (table.depth(event), style),
      place: (table.place(event), style),
      id: (PlainText.neutralised(event.id), style))
  }

  private typealias Cell = (text: String, style: Terminal.Style?)

  private func line(
    mark: WatchState.Mark?, time: Cell, age: Cell, magnitude: Cell, depth: Cell, place: Cell,
    id: Cell
  ) -> String {
    guard layout.place > 0 else {
      return TextColumn.left(magnitude.text.filter { $0 != " " }, columns)
    }
    var cells: [String] = []
    func add(_ cell: Cell, _ width: Int, _ column: (String, Int) -> String) {
      guard width > 0 else { return }
      cells.append(table.terminal.styled(column(cell.text, width), cell.style))
    }
    let room = columns - Self.width(layout) + layout.place
    add(time, layout.time, TextColumn.left)
    add(age, layout.age, TextColumn.right)
    add(magnitude, Self.magnitudeWidth, TextColumn.right)
    add(depth, layout.depth, TextColumn.right)
    add(place, room, TextColumn.left)
    add(id, layout.id, TextColumn.left)
    return shown(mark) + cells.joined(separator: String(repeating: " ", count: Self.gap))
  }

  /// Returns the symbol of a mark, which is readable without colour too.
  private func shown(_ mark: WatchState.Mark?) -> String {
    switch mark {
    case .new: table.terminal.styled("+ ", .green)
    case .changed: table.terminal.styled("~ ", .yellow)
    case nil: "  "
    }
  }
}

/// Formats the time since an event in the largest fitting unit.
enum Age {
  /// Returns `now`, `12 s`, `3 min`, `5 h` or `2 d`.
  /// - Parameter time: The time of the event.
  static func text(since time: Date, now: Date) -> String {
    text(seconds: now.timeIntervalSince(time))
  }

  /// Returns the same for a duration.
  static func text(seconds: Double) -> String {
    switch seconds {
    case ..<1: "now"
    case ..<60: "\(Int(seconds)) s"
    case ..<3_600: "\(Int(seconds / 60)) min"
    case ..<86_400: "\(Int(seconds / 3_600)) h"
    case ..<8_640_000: "\(Int(seconds / 86_400)) d"
    default: ">99 d"
    }
  }
}
