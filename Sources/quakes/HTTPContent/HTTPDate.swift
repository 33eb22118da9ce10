import Foundation

/// Dates of HTTP header fields in the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110,
/// 5.6.7).
public enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Formats a date, rounded down to whole seconds.
  public static func format(_ date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    let day = CivilDay(secondsSince1970: seconds)
    let rest = seconds - day.number * 86_400
    return days[((day.number % 7) + 7) % 7]
      + ", \(two(day.day)) \(months[day.month - 1]) \(day.year) "
      + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
  }

  /// Parses a date in the preferred form. The obsolete forms and any other text result in `nil`,
  /// which RFC 9110 (13.1.3) requires to be ignored in `If-Modified-Since`.
  public static func parse(_ text: some StringProtocol) -> Date? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[0].last == ",",
      let day = Int(parts[1]), let month = months.firstIndex(of: String(parts[2])),
      let year = Int(parts[3]), (1...31).contains(day), (1900...9999).contains(year)
    else { return nil }
    let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    let number = CivilDay.number(year: year, month: month + 1, day: day)
    return Date(
      timeIntervalSince1970: Double(number * 86_400 + hour * 3_600 + minute * 60 + second))
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

/// A day of the proleptic Gregorian calendar, counted in days since 1970-01-01.
///
/// The calculation lets the year begin in March, so that the leap day is its last day.
public struct CivilDay: Hashable, Sendable {
  /// Days since 1970-01-01.
  public let number: Int
  /// The year, for example 2026.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int

  /// Creates the day that contains a time, in UTC.
  public init(secondsSince1970 seconds: Int) {
    number = Int((Double(seconds) / 86_400).rounded(.down))
    let shifted = number + 719_468  // Days since 0000-03-01.
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Returns the number of days from 1970-01-01 to the given day.
  public static func number(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
