import Foundation
import HTTPContent
import QuakesKit

/// Formats statistics as lines, no wider than their terminal: facts, then a bar chart for days, magnitudes and depths.
struct StatisticsTable {
  /// The largest number of bars of a chart; more are put together.
  private static let maximumBars = 16
  private static let labelWidth = 14
  private static let widestBar = 40
  /// The least room for a value beside its name.
  private static let narrowestValue = 20

  let terminal: Terminal
  var unit = DistanceUnit.kilometres

  /// Returns the lines.
  func lines(_ statistics: EventStatistics) -> [String] {
    facts(statistics)
      + chart(Self.dayTitle(statistics), days(statistics))
      + chart("Earthquakes by magnitude", magnitudes(statistics))
      + chart("Events by depth", depths(statistics))
  }

  // MARK: Facts

  private func facts(_ statistics: EventStatistics) -> [String] {
    var facts: [(String, String)] = [
      ("Events", Self.number(statistics.count)),
      ("Earthquakes", "\(Self.number(statistics.magnitudes.count)) with a magnitude"),
    ]
    if let first = statistics.first, let last = statistics.last {
      facts.append(("From", Self.minute(first)))
      facts.append(("To", Self.minute(last)))
    }
    if let strongest = statistics.strongest {
      let place = PlainText.neutralised(strongest.place.map(unit.place) ?? "–")
      facts.append(("Strongest", "M \(EventTable.magnitude(strongest)), \(place)"))
      facts.append(
        ("", "\(Self.minute(strongest.time)), \(PlainText.neutralised(strongest.id))"))
    }
    if let magnitude = statistics.momentMagnitude {
      facts.append(
        (
          "Moment",
          String(format: "%.2g N·m, as of one of magnitude ", statistics.moment)
            + magnitude.tenthText
        ))
    }
    facts += law(statistics.magnitudes)
    return facts.flatMap { name, value in lines(name, value) }
  }

  /// A name with its value, in as many lines as that needs. The value stands below the name where both have no room in
  /// a line.
  private func lines(_ name: String, _ value: String) -> [String] {
    let room = terminal.columns - Self.labelWidth
    guard room < Self.narrowestValue else {
      return Self.wrapped(value, columns: room).enumerated().map { index, part in
        let label = TextColumn.left(index == 0 ? name : "", Self.labelWidth)
        return terminal.styled(label, .bold) + part
      }
    }
    return (name.isEmpty ? [] : [heading(name)])
      + Self.wrapped(value, columns: max(1, terminal.columns - 2)).map { "  " + $0 }
  }

  /// Breaks a text at its spaces. A word that is wider than a line is cut.
  private static func wrapped(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      if PlainText.width(longer) <= columns || line.isEmpty {
        line = longer
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return (lines + [line]).map { PlainText.fitted($0, columns: columns) }
  }

  private func heading(_ text: String) -> String {
    terminal.styled(PlainText.fitted(text, columns: max(1, terminal.columns)), .bold)
  }

  private func law(_ magnitudes: MagnitudeDistribution) -> [(String, String)] {
    guard let completeness = magnitudes.completeness else { return [] }
    let complete = ("Complete", "from magnitude \(Self.tenths(completeness))")
    guard let law = magnitudes.law else {
      let least = MagnitudeDistribution.leastFitted
      return [complete, ("b value", "needs \(least) earthquakes of several magnitudes from there")]
    }
    // At least a digit of the error.
    let places = (2...6).first { law.error >= pow(10, -Double($0)) } ?? 6
    let value =
      "\(EventTable.decimal(law.b, places)) ± \(EventTable.decimal(law.error, places))"
    return [complete, ("b value", "\(value), of \(Self.number(law.count)) earthquakes")]
  }

  private static func minute(_ time: Date) -> String {
    Timestamp.iso8601(time).prefix(16).replacingOccurrences(of: "T", with: " ") + " UTC"
  }

  private static func number(_ value: Int) -> String {
    var text = String(value)
    var place = text.count - 3
    while place > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      place -= 3
    }
    return text
  }

  private static func tenths(_ value: Int) -> String {
    EventTable.decimal(Double(value) / 10, 1)
  }

  // MARK: Charts

  private struct Bar {
    let label: String
    let value: Double
    let text: String
  }

  private func chart(_ title: String, _ bars: [Bar]) -> [String] {
    guard !bars.isEmpty else { return [] }
    let most = bars.map(\.value).max() ?? 0
    let textWidth = bars.map(\.text.count).max() ?? 0
    let room = min(Self.widestBar, terminal.columns - Self.labelWidth - textWidth - 1)
    return ["", heading(title)]
      + bars.map { bar in
        let label = TextColumn.left(bar.label, Self.labelWidth)
        guard room >= 4 else { return label + bar.text }
        return label + TextColumn.right(bar.text, textWidth) + " "
          + Self.blocks(most > 0 ? bar.value / most * Double(room) : 0)
      }
  }

  /// A bar of a length in characters, to an eighth of one.
  private static func blocks(_ length: Double) -> String {
    let eighths = Int((length * 8).rounded(.up))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  /// The number of days of a bar.
  private static func barLength(_ statistics: EventStatistics) -> Int {
    guard let first = statistics.days.keys.min(), let last = statistics.days.keys.max() else {
      return 1
    }
    return (last - first) / maximumBars + 1
  }

  private static func dayTitle(_ statistics: EventStatistics) -> String {
    let length = barLength(statistics)
    return length == 1 ? "Events a day" : "Events a day, on average over \(length) days"
  }

  private func days(_ statistics: EventStatistics) -> [Bar] {
    guard let first = statistics.days.keys.min(), let last = statistics.days.keys.max() else {
      return []
    }
    let length = Self.barLength(statistics)
    return stride(from: first, through: last, by: length).map { start in
      let end = min(start + length, last + 1)
      let count = (start..<end).reduce(0) { $0 + (statistics.days[$1] ?? 0) }
      let average = Double(count) / Double(end - start)
      return Bar(
        label: EventStatistics.text(ofDay: start), value: average,
        text: length == 1 ? Self.number(count) : Self.rate(average))
    }
  }

  /// A number of events a day with a decimal, or as many as it needs not to look like zero.
  static func rate(_ value: Double) -> String {
    let places = value > 0 && value < 0.05 ? Int((-log10(value)).rounded(.up)) : 1
    return EventTable.decimal(value, places)
  }

  private func magnitudes(_ statistics: EventStatistics) -> [Bar] {
    let whole = Dictionary(
      statistics.magnitudes.bins.map { (Self.floor($0.tenths, 10), $0.count) },
      uniquingKeysWith: +)
    return Self.bars(whole) { "\(Self.tenths($0 * 10)) to \(Self.tenths($0 * 10 + 9))" }
  }

  private func depths(_ statistics: EventStatistics) -> [Bar] {
    // Earthquakes are called shallow down to 70 km, deep from 300 km on.
    let limits = [0, 10, 20, 40, 70, 150, 300, 500, 800]
    var counts: [Int: Int] = [:]
    for (bin, count) in statistics.depths {
      let depth = bin * EventStatistics.depthBin
      counts[limits.lastIndex { $0 <= depth } ?? -1, default: 0] += count
    }
    let shown = limits.map { EventTable.decimal(unit.value(Double($0)), 0) }
    return Self.bars(counts) { index in
      if index < 0 { return "above 0 \(unit.symbol)" }
      return index + 1 < shown.count
        ? "\(shown[index]) to \(shown[index + 1]) \(unit.symbol)"
        : "from \(shown[index]) \(unit.symbol)"
    }
  }

  private static func bars(_ counts: [Int: Int], _ label: (Int) -> String) -> [Bar] {
    guard let first = counts.keys.min(), let last = counts.keys.max() else { return [] }
    return (first...last).map {
      let count = counts[$0] ?? 0
      return Bar(label: label($0), value: Double(count), text: number(count))
    }
  }

  /// Division that rounds down.
  private static func floor(_ value: Int, _ divisor: Int) -> Int {
    value / divisor - (value % divisor < 0 ? 1 : 0)
  }
}
