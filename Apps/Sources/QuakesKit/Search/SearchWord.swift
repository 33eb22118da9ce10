import Foundation

/// A word of a search without a form of its own, with everything that it may mean.
///
/// The page has the same rules in `search-words.js`; the cases of `Apps/Tests/SearchCases` hold for both.
struct SearchWord: Hashable, Sendable {
  /// The word itself, which the place or the kind of event may contain.
  var text: String
  /// Other texts of places, such as `, CA` for "california"; upper and lower case matter.
  var texts: [String] = []
  /// The magnitudes of "6.4", "m6" or "4.5+".
  var magnitudes: Range<Double>?
  /// The time of "2026-05-03" or "2026-05", in UTC.
  var times: Range<Date>?

  /// - Parameter word: The word, folded by ``folded(_:)``.
  init(_ word: String) {
    text = word
    texts = PlaceName.all.filter { $0.isMeant(by: word) }.flatMap(\.texts)
    magnitudes = Self.magnitudes(word)
    times = Self.times(word)
  }

  /// Returns a text in lower case without accents.
  static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }

  /// Returns the magnitudes that round to "6.4", those from 6 to below 7 for "m6", or those from "4.5+" on. A number
  /// alone, such as "6", is none: places have distances.
  static func magnitudes(_ word: String) -> Range<Double>? {
    guard let match = word.wholeMatch(of: /(m?)([0-9]{1,2})(?:\.([0-9]{1,2}))?(\+?)/),
      let value = Double(match.3.map { "\(match.2).\($0)" } ?? "\(match.2)")
    else { return nil }
    let isOpen = !match.4.isEmpty
    guard !match.1.isEmpty || match.3 != nil || isOpen else { return nil }
    if isOpen { return value..<100 }
    guard let decimals = match.3 else { return value..<(value + 1) }
    // Whole numbers divided give the limits of decimals; 6.4 - 0.05 is above 6.35, which would
    // round to nothing.
    let scale: Double = decimals.count == 1 ? 10 : 100
    let steps = (value * scale).rounded() * 10
    return (steps - 5) / (scale * 10)..<(steps + 5) / (scale * 10)
  }

  /// Returns the day of "2026-05-03" or the month of "2026-05".
  private static func times(_ word: String) -> Range<Date>? {
    guard
      let match = word.wholeMatch(of: /((?:19|20|21)[0-9]{2})-([0-9]{2})(?:-([0-9]{2}))?/),
      let year = Int(match.1), let month = Int(match.2), let day = Int(match.3 ?? "1")
    else { return nil }
    let unit: Calendar.Component = match.3 == nil ? .month : .day
    guard let start = start(year: year, month: month, day: day),
      let end = calendar.date(byAdding: unit, value: 1, to: start)
    else { return nil }
    return start..<end
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// Returns the start of a day in UTC; nil for one that the calendar doesn't have.
  static func start(year: Int, month: Int, day: Int) -> Date? {
    let parts = DateComponents(year: year, month: month, day: day)
    return parts.isValidDate(in: calendar) ? calendar.date(from: parts) : nil
  }

  /// Returns whether an event meets the word, with the same result as ``condition``.
  func isMet(by event: Event) -> Bool {
    if let magnitudes, let magnitude = event.magnitude, magnitudes.contains(magnitude) {
      return true
    }
    if let times, times.contains(event.time) { return true }
    if Self.isIn(event, text) { return true }
    guard let place = event.place else { return false }
    return texts.contains { place.contains($0) }
  }

  /// Returns whether a text is a part of the place of an event, or of its kind if that isn't earthquake.
  static func isIn(_ event: Event, _ text: String) -> Bool {
    if event.type != "earthquake", event.type.localizedStandardContains(text) { return true }
    return event.place?.localizedStandardContains(text) ?? false
  }
}
