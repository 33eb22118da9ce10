import Foundation
import WireFormats

/// Dates and date-times of ISO 8601 in the proleptic Gregorian calendar, as people and programs write them in requests:
/// without a time zone, in UTC.
package enum WrittenTime {
  /// - Returns: nil for a text of another form, and for a day or an hour that doesn't exist.
  package static func date(_ text: String) -> Date? {
    let form =
      #/
      ([0-9]{4})-([0-9]{2})-([0-9]{2})
      (?:T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(\.[0-9]{1,9})?
      (?:[Zz]|([-+])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?)?)?
      /#
    guard text.utf8.count <= 40, let match = text.wholeMatch(of: form)?.output,
      let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
      (1...12).contains(month), (1...CivilDay.count(ofMonth: month, in: year)).contains(day)
    else { return nil }
    // Foundation's parser takes days before 15 October 1582 for those of the Julian calendar.
    let start = CivilDay.number(year: year, month: month, day: day) * 86_400
    let parts = [match.4, match.5, match.6, match.9, match.10].map { $0.flatMap { Int($0) } ?? 0 }
    let seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2]
    let offset = (parts[3] * 60 + parts[4]) * (match.8 == "-" ? -60 : 60)
    let fraction = match.7.flatMap { Double("0\($0)") } ?? 0
    return Date(timeIntervalSince1970: Double(start + seconds - offset) + fraction)
  }
}
