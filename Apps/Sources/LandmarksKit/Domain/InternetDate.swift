import Foundation
import WireFormats

/// Dates and times as the server and its clients write them (RFC 3339, section 5.6).
///
/// Foundation's parsers read 30 February as 2 March, and 24:00 as the next day. This parser refuses such dates, which
/// no sender can have meant.
public enum InternetDate {
  /// Reads a date and time with its offset, such as `2027-05-01T10:00:00Z`. Leap seconds are refused: a `Date` of
  /// Foundation cannot represent them.
  /// - Returns: nil if the text isn't a date and time, or names a day or a time of day that doesn't exist.
  public static func parse(_ text: String) -> Date? {
    var digits = Digits(text)
    guard let year = digits.number(4), digits.take("-"), let month = digits.number(2),
      digits.take("-"), let day = digits.number(2), digits.take("Tt"),
      let hour = digits.number(2), digits.take(":"), let minute = digits.number(2),
      digits.take(":"), let second = digits.number(2), let fraction = digits.fraction(),
      let offset = digits.offset(), digits.isAtEnd,
      (1...12).contains(month), (1...CivilDay.count(ofMonth: month, in: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days = CivilDay.number(year: year, month: month, day: day)
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// A reader of the text, from left to right.
  private struct Digits {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Takes the next character if it is one of these.
    mutating func take(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }

    mutating func number(_ count: Int) -> Int? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      rest = rest.dropFirst(count)
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Reads `.` and up to nine digits; returns zero if there is no fraction.
    mutating func fraction() -> Double? {
      guard take(".") else { return 0 }
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      return digits.reversed().reduce(0) { ($0 + Double($1 - 0x30)) / 10 }
    }

    /// Reads `Z`, or hours and minutes; returns the seconds east of UTC.
    mutating func offset() -> Int? {
      if take("Zz") { return 0 }
      let isWest = rest.first == UInt8(ascii: "-")
      guard take("+-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24,
        minutes < 60
      else { return nil }
      return (hours * 60 + minutes) * 60 * (isWest ? -1 : 1)
    }
  }
}
