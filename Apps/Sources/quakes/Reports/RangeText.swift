import Foundation
import QuakesKit
import WireFormats

/// Shows loaded time ranges.
enum RangeText {
  /// Returns a time as `2016-01-31`, or `2016-01-31 12:30:00` when it isn't the start of a day in UTC.
  static func time(_ second: Int) -> String {
    let parts = Timestamp.iso8601(second * 1_000).split { $0 == "T" || $0 == "." }
    guard parts.count > 1, !second.isMultiple(of: 86_400) else { return String(parts.first ?? "") }
    return "\(parts[0]) \(parts[1])"
  }

  /// Returns the start and the end of a range.
  static func times(_ seconds: Range<Int>) -> String {
    "\(time(seconds.lowerBound)) to \(time(seconds.upperBound))"
  }

  /// Describes the magnitudes of a range, such as `M 2.5+`.
  static func magnitudes(_ range: LoadedRange) -> String {
    if let least = range.minimumMagnitude, least > 0 || range.rule == .all { return "M \(least)+" }
    return range.rule == .all ? "all magnitudes" : "magnitudes above 0"
  }

  /// Describes a range in a line.
  static func line(_ range: LoadedRange) -> String {
    let host = URL(string: range.service)?.host() ?? range.service
    return PlainText.neutralised(
      "\(times(range.seconds))  \(magnitudes(range))  from \(host), loaded \(day(range.loaded))")
  }

  /// Returns the day of a time, in UTC.
  private static func day(_ second: Int) -> String { time(second - second % 86_400) }

  /// Appends a range as the API's JSON object, with times in milliseconds since 1970.
  static func write(_ range: LoadedRange, to json: inout JSONWriter) {
    json.raw(#"{"since":"#)
    json.integer(range.seconds.lowerBound * 1_000)
    json.raw(#","until":"#)
    json.integer(range.seconds.upperBound * 1_000)
    json.raw(#","minimumMagnitude":"#)
    json.number(range.minimumMagnitude)
    json.raw(#","allMagnitudes":"#)
    json.boolean(range.rule == .all)
    json.raw(#","loaded":"#)
    json.integer(range.loaded * 1_000)
    json.raw(#","service":"#)
    json.string(range.service)
    json.raw("}")
  }

  /// Appends ranges as a JSON array.
  static func write(_ ranges: [LoadedRange], to json: inout JSONWriter) {
    json.raw("[")
    for (position, range) in ranges.enumerated() {
      if position > 0 { json.raw(",") }
      write(range, to: &json)
    }
    json.raw("]")
  }
}
