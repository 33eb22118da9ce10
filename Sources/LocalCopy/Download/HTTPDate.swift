import Foundation

/// Parses the date formats of HTTP (RFC 9110 section 5.6.7).
package enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Parses a date in the preferred format or in one of the two obsolete formats.
  /// - Parameters:
  ///   - text: as in `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  ///     `Sun Nov  6 08:49:37 1994`.
  ///   - now: the current date, which determines the century of a two-digit year in the second
  ///     format.
  /// - Returns: nil when the text has none of these formats.
  package static func parse(_ text: String, now: Date = Date()) -> Date? {
    let words = text.lowercased().split { " ,-".contains($0) }.map(String.init)
    if words.count == 6, words[5] == "gmt" {
      return date(day: words[1], month: words[2], year: words[3], time: words[4], now)
    }
    if words.count == 5 {
      return date(day: words[2], month: words[1], year: words[4], time: words[3], now)
    }
    return nil
  }

  private static func date(
    day: String, month: String, year: String, time: String, _ now: Date
  ) -> Date? {
    let clock = time.split(separator: ":").compactMap { number(String($0), digits: 2) }
    guard let day = number(day, digits: 2), let month = months.firstIndex(of: month),
      var fullYear = number(year, digits: 4), clock.count == 3,
      (1...31).contains(day), clock[0] < 24, clock[1] < 60, clock[2] <= 60
    else { return nil }
    if year.count == 2 {
      // A two-digit year more than 50 years in the future belongs to the past.
      fullYear += 2000
      let yearNow = 1970 + Int(now.timeIntervalSince1970 / 31_556_952)
      if fullYear > yearNow + 50 { fullYear -= 100 }
    }
    let seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
    let days = daysSince1970(year: fullYear, month: month + 1, day: day)
    return Date(timeIntervalSince1970: Double(days * 86_400 + seconds))
  }

  private static func number(_ text: String, digits: Int) -> Int? {
    guard text.count <= digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  /// Returns the days since 1970 in the Gregorian calendar. Internally, years start in March, so
  /// that the leap day is the last day of a year.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + dayOfYear - 719_468
  }
}
