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
  /// - Parameter seconds: the whole seconds since 1970-01-01T00:00:00Z, without leap seconds.
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

  /// Returns the number of days from 1970-01-01 to a day.
  /// - Parameters:
  ///   - year: the year, for example 2026.
  ///   - month: the month, 1 to 12.
  ///   - day: the day of the month. A day after the last one counts into the next month.
  public static func number(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the number of days of a month.
  /// - Parameters:
  ///   - month: the month, 1 to 12.
  ///   - year: the year, for example 2026.
  public static func count(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
