import Foundation
import HTTPContent
import QuakesKit

/// Formats chosen columns of events as aligned lines, no wider than their terminal. The place takes what room is left.
struct ColumnTable {
  private static let gap = 2
  private static let leastPlace = 8
  private static let rightAligned: Set<EventColumn> = [
    .magnitude, .longitude, .latitude, .depth, .felt, .significance,
  ]

  private let columns: [EventColumn]
  private let table: EventTable

  /// - Parameters:
  ///   - columns: The columns in their order.
  ///   - table: The terminal, the time zone and the unit.
  init(_ columns: [EventColumn], _ table: EventTable) {
    self.columns = columns
    self.table = table
  }

  /// Returns the heading and the lines of events. Text of the feed is made safe before it is printed.
  func lines(_ events: [Event]) -> [String] {
    let rows = [columns.map(Self.title)] + events.map { event in columns.map { cell($0, event) } }
    let widths = widths(rows)
    let lines = rows.map { row in
      let cells = row.indices.map { index in
        if Self.rightAligned.contains(columns[index]) {
          return TextColumn.right(row[index], widths[index])
        }
        let isLast = index == row.count - 1
        return isLast
          ? PlainText.fitted(row[index], columns: widths[index])
          : TextColumn.left(row[index], widths[index])
      }
      return PlainText.fitted(
        cells.joined(separator: String(repeating: " ", count: Self.gap)),
        columns: table.terminal.columns)
    }
    return lines.prefix(1).map { table.terminal.styled($0, .bold) } + lines.dropFirst()
  }

  private func widths(_ rows: [[String]]) -> [Int] {
    var widths = columns.indices.map { index in
      rows.map { PlainText.width($0[index]) }.max() ?? 0
    }
    guard let place = columns.firstIndex(of: .place) else { return widths }
    let others = widths.reduce(0, +) - widths[place] + Self.gap * (widths.count - 1)
    widths[place] = min(
      widths[place], max(Self.leastPlace, table.terminal.columns - others))
    return widths
  }

  private static func title(_ column: EventColumn) -> String {
    switch column {
    case .id: "ID"
    case .magnitude: "Mag"
    case .magnitudeType: "Mag type"
    case .felt: "Felt by"
    case .url: "Page"
    default: column.rawValue.prefix(1).uppercased() + column.rawValue.dropFirst()
    }
  }

  private func cell(_ column: EventColumn, _ event: Event) -> String {
    let text: String? =
      switch column {
      case .id: event.id
      case .time: table.zonedTime(event.time)
      case .updated: table.zonedTime(event.updated)
      case .magnitude: event.magnitudeText
      case .magnitudeType: event.magnitudeType
      case .place: table.place(event)
      case .longitude: EventTable.decimal(event.longitude, 4)
      case .latitude: EventTable.decimal(event.latitude, 4)
      case .depth: table.depth(event)
      case .type: event.type
      case .status: event.status
      case .alert: event.alert
      case .tsunami: event.tsunami ? "yes" : "no"
      case .felt: event.felt.map(String.init)
      case .significance: String(event.significance)
      case .url: event.webAddress
      }
    return text.map(PlainText.neutralised) ?? "–"
  }
}
