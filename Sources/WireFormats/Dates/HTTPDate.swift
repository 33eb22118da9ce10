import Foundation

/// Reads and writes the dates of HTTP header fields (RFC 9110 section 5.6.7).
public enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Formats a date in the preferred format, as in `Sun, 06 Nov 1994 08:49:37 GMT`.
  /// - Parameter date: the date, which is rounded down to whole seconds. The format has the years 0 to 9999: dates
  ///   beyond them count as the first or the last second, NaN as 1970.
  public static func format(_ date: Date) -> String {
    let seconds = seconds(date)
    let day = CivilDay(secondsSince1970: seconds)
    let rest = seconds - day.number * 86_400
    return days[((day.number % 7) + 7) % 7]
      + ", \(two(day.day)) \(months[day.month - 1]) \(two(day.year / 100))\(two(day.year % 100)) "
      + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
  }

  private static func seconds(_ date: Date) -> Int {
    let value = date.timeIntervalSince1970.rounded(.down)
    return value.isNaN ? 0 : Int(min(max(value, -62_167_219_200), 253_402_300_799))
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  /// Parses a date in the preferred format or in one of the two obsolete formats, all of which a recipient has to
  /// accept. The name of the day is not compared with the date, and names may be in capital or small letters.
  /// - Parameters:
  ///   - text: as in `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  ///     `Sun Nov  6 08:49:37 1994`.
  ///   - now: the current date, which determines the century of a two-digit year.
  /// - Returns: nil when the text has none of these formats.
  public static func parse(_ text: String, now: Date = Date()) -> Date? {
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
    guard let day = number(day, digits: 2),
      let month = months.firstIndex(where: { $0.lowercased() == month }),
      var fullYear = number(year, digits: 4), clock.count == 3,
      (1...31).contains(day), clock[0] < 24, clock[1] < 60, clock[2] <= 60
    else { return nil }
    if year.count == 2 {
      // A two-digit year more than 50 years in the future belongs to the past.
      fullYear += 2000
      let yearNow = 1970 + seconds(now) / 31_556_952
      if fullYear > yearNow + 50 { fullYear -= 100 }
    }
    let seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
    let days = CivilDay.number(year: fullYear, month: month + 1, day: day)
    return Date(timeIntervalSince1970: Double(days * 86_400 + seconds))
  }

  private static func number(_ text: String, digits: Int) -> Int? {
    guard text.count <= digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}
