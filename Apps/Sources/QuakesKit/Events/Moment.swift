import Foundation
import HTTPContent

/// A parser for points in time and durations in the forms that people type.
public enum Moment {
  /// Reads `30m`, `24h`, `7d`, `2w` (that long before `now`) or an ISO 8601 year, month, date or date-time, also with a
  /// blank for its `T` and without seconds; the default time zone is UTC.
  /// - Throws: ``QuakesError`` when it is none of these.
  public static func parse(_ text: String, now: Date) throws -> Date {
    if let seconds = seconds(text) { return now.addingTimeInterval(-seconds) }
    if let date = WrittenTime.date(completed(text)) { return date }
    throw QuakesError(
      .invalidArgument, text,
      reason: "not a time: use 30m, 24h, 7d, or a time in UTC such as 2026-01-31T12:00:00Z or "
        + "2026-01-31")
  }

  /// Reads a positive duration such as `45s`, `5m`, `24h`, `7d`, `2w`; returns it in seconds.
  /// Returns `nil` if the text isn't a duration, or exceeds 1,000 years.
  public static func seconds(_ text: some StringProtocol) -> Double? {
    let units: [Character: Double] = [
      "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800,
    ]
    guard let unit = text.last.flatMap({ units[$0] }), text.count <= 12,
      text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }),
      let number = Double(text.dropLast()), number > 0, number * unit <= 31_557_600_000
    else { return nil }
    return number * unit
  }
}
