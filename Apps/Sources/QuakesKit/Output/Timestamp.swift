import Foundation
import WireFormats

/// Formats points in time as text.
public enum Timestamp {
  /// Returns `2026-01-31T12:34:56.789Z` for a date.
  public static func iso8601(_ date: Date) -> String { iso8601(date.milliseconds) }

  /// Returns `2026-01-31T12:34:56.789Z` for milliseconds since 1970; years outside 0 to 9999 are
  /// written with a sign, as ISO 8601 requires.
  public static func iso8601(_ milliseconds: Int) -> String {
    let seconds = Int((Double(milliseconds) / 1_000).rounded(.down))
    let day = CivilDay(secondsSince1970: seconds)
    let rest = seconds - day.number * 86_400
    let sign = day.year < 0 ? "-" : day.year > 9_999 ? "+" : ""
    return "\(sign)\(padded(abs(day.year), 4))-\(padded(day.month, 2))-\(padded(day.day, 2))T"
      + "\(padded(rest / 3_600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
      + ".\(padded(milliseconds - seconds * 1_000, 3))Z"
  }

  private static func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

extension Date {
  /// The whole milliseconds since 1970-01-01T00:00:00Z, rounded. Dates beyond those of ECMAScript (ECMA-262, 21.4.1.1),
  /// which a store may have, count as the first or the last one; NaN as 1970.
  package var milliseconds: Int {
    let value = (timeIntervalSince1970 * 1_000).rounded()
    return value.isNaN ? 0 : Int(min(max(value, -8.64e15), 8.64e15))
  }
}
