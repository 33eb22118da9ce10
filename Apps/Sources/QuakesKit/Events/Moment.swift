import Foundation

/// A parser for points in time and durations in the forms that people type.
public enum Moment {
  /// Reads `30m`, `24h`, `7d`, `2w` (that long before `now`) or an ISO 8601 year, month, date or date-time, also with a
  /// blank for its `T` and without seconds; the default time zone is UTC.
  /// - Throws: ``QuakesError`` when it is none of these.
  public static func parse(_ text: String, now: Date) throws -> Date {
    if let seconds = seconds(text) { return now.addingTimeInterval(-seconds) }
    if let date = date(completed(text)) { return date }
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

  private static func date(_ text: String) -> Date? {
    let day = Date.ISO8601FormatStyle().year().month().day()
    let plain = Date.ISO8601FormatStyle()
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard text.utf8.count <= 40 else { return nil }
    // The parser takes 30 February as 2 March.
    guard let start = date(String(text.prefix(10)), in: day), day.format(start) == text.prefix(10)
    else { return nil }
    if text.utf8.count == 10 { return start }
    // The parser ignores what follows a time, and takes offsets of 99 minutes.
    let form =
      #/
      T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.[0-9]{1,9})?
      ([Zz]|[-+](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?
      /#
    guard let match = text.dropFirst(10).wholeMatch(of: form) else { return nil }
    let complete = match.output.1 == nil ? text + "Z" : text
    return date(complete, in: plain) ?? date(complete, in: fractional)
  }

  private static func date(_ text: String, in style: Date.ISO8601FormatStyle) -> Date? {
    // The error only says that the text has another form, which nil says, too; ``parse(_:now:)`` reports the text.
    try? style.parse(text)
  }
}
