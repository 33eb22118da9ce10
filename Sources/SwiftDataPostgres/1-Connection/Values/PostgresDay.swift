/// A day of the Gregorian calendar, before its introduction, too.
struct PostgresDay: CustomStringConvertible {
  private static let daysOfEra = 146_097

  private let year: Int
  private let month: Int
  private let day: Int

  /// Computes the date of a day, counted from 1 January 2000: eras of 400 years begin on 1 March.
  init(sinceYear2000 days: Int) {
    let shifted = days + 5 * Self.daysOfEra - 60
    let era = Int((Double(shifted) / Double(Self.daysOfEra)).rounded(.down))
    let dayOfEra = shifted - era * Self.daysOfEra
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The date in ISO 8601.
  var description: String {
    func padded(_ number: Int, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}
