import Foundation

extension SearchTerm {
  static let kilometresPerMile = 1.609344

  /// What a search is read with.
  struct Context {
    /// The time from which spans such as `7d` count back.
    var now: Date
    var places: Gazetteer
  }

  /// Reads a token.
  /// - Parameter next: The tokens behind it, of which `near:` and `section:` take a distance.
  /// - Throws: ``SearchError`` when it begins like a term and isn't one.
  init(
    _ token: SearchToken, _ next: inout ArraySlice<SearchToken>, _ context: Context
  ) throws(SearchError) {
    isNegated = token.isNegated
    guard !token.isQuoted else {
      meaning = .text(SearchWord.folded(token.text))
      return
    }
    let folded = SearchWord.folded(token.text)
    if let match = folded.wholeMatch(
      of: /(m|mag|magnitude|depth)(>=|<=|>|<|≥|≤|=|:)(.*)/)
    {
      let (sign, value) = (String(match.2), String(match.3))
      meaning =
        match.1 == "depth"
        ? .depth(try Self.depths(sign, value, token)) : try Self.magnitudes(sign, value, token)
    } else if let match = folded.prefixMatch(of: /(since|until|type|status|id|near|box|section):/) {
      // The value as typed: identifiers have upper and lower case.
      let value = String(token.text.dropFirst(match.0.count))
      meaning = try Self.meaning(String(match.1), value, token, &next, context)
    } else {
      try Self.checkWord(folded, token)
      meaning = .word(SearchWord(folded))
    }
  }

  /// Refuses what is a part of a term, and is in no place: a sign of comparison, and a distance.
  private static func checkWord(_ folded: String, _ token: SearchToken) throws(SearchError) {
    if folded.prefixMatch(of: /[<>≤≥=]/) != nil {
      throw bad(token, "a comparison has no spaces, as in m>4 or depth<30")
    }
    if folded.wholeMatch(of: /[0-9]+(?:\.[0-9]+)?(?:km|mi)/) != nil {
      throw bad(
        token,
        "a distance is right behind near: or section:, and a name of several words in quotation "
          + "marks, as in near:\"new york\" 300km")
    }
  }

  private static func meaning(
    _ key: String, _ value: String, _ token: SearchToken, _ next: inout ArraySlice<SearchToken>,
    _ context: Context
  ) throws(SearchError) -> Meaning {
    let folded = SearchWord.folded(value)
    switch key {
    case "since": return .since(try time(folded, token, context))
    case "until": return .until(try time(folded, token, context))
    case "type":
      let text = folded.replacingOccurrences(of: "_", with: " ")
      if text.isEmpty { throw bad(token, "lacks a kind of event, as in type:blast") }
      return .type(text)
    case "status":
      guard ["automatic", "reviewed", "deleted"].contains(folded) else {
        throw bad(token, "a status is automatic, reviewed or deleted")
      }
      return .status(folded)
    case "id":
      guard EventIdentifier.isUsable(value), !value.contains(",") else {
        throw bad(token, "lacks an identifier, as in id:nc75176351")
      }
      return .id(value)
    case "box": return .box(try EventBox(folded, term: token.source))
    case "section": return try .section(section(value, token, &next, context))
    default: return try .near(place(value, token, &next, context))
    }
  }

  static func bad(_ token: SearchToken, _ reason: String) -> SearchError {
    SearchError(.badValue, token.source, reason)
  }

  // MARK: Numbers

  private static func magnitudes(
    _ sign: String, _ value: String, _ token: SearchToken
  ) throws(SearchError) -> Meaning {
    if sign == ":" || sign == "=", !value.contains(".."),
      let magnitudes = SearchWord.magnitudes("m" + value)
    {
      return .magnitude(Bounds(least: magnitudes.lowerBound, below: magnitudes.upperBound))
    }
    let bounds = try bounds(sign, value, token, "m:4..5") { text in
      number(text).flatMap { abs($0) <= 20 ? $0 : nil }
    }
    guard let bounds else {
      throw bad(token, "magnitudes are numbers, as in m>4, m<=5, m:6.4 or m:4..5")
    }
    return .magnitude(bounds)
  }

  private static func depths(
    _ sign: String, _ value: String, _ token: SearchToken
  ) throws(SearchError) -> Bounds {
    let bounds = try bounds(sign, value, token, "depth:10..30") { text in
      var (text, unit) = (text, 1.0)
      if text.hasSuffix("km") || text.hasSuffix("mi") {
        if text.hasSuffix("mi") { unit = kilometresPerMile }
        text.removeLast(2)
      }
      return number(text).map { $0 * unit }.flatMap { abs($0) <= 10_000 ? $0 : nil }
    }
    guard let bounds else {
      throw bad(
        token, "depths are kilometres, or miles, as in depth<30, depth>=70mi or depth:10..30")
    }
    return bounds
  }

  private static func number(_ text: String) -> Double? {
    text.wholeMatch(of: /[+-]?[0-9]{1,5}(\.[0-9]{1,6})?/).flatMap { Double($0.0) }
  }

  /// Returns nil when a number is none, or lacks.
  private static func bounds(
    _ sign: String, _ value: String, _ token: SearchToken, _ example: String,
    _ number: (String) -> Double?
  ) throws(SearchError) -> Bounds? {
    guard sign == ":" || sign == "=" else {
      guard let number = number(value) else { return nil }
      switch sign {
      case ">": return Bounds(above: number)
      case "<": return Bounds(below: number)
      case ">=", "≥": return Bounds(least: number)
      default: return Bounds(most: number)
      }
    }
    let ends = value.components(separatedBy: "..")
    guard ends.count == 2, ends != ["", ""] else { return nil }
    let (least, most) = (number(ends[0]), number(ends[1]))
    guard least != nil || ends[0].isEmpty, most != nil || ends[1].isEmpty else { return nil }
    if let least, let most, least > most {
      throw SearchError(
        .emptyRange, token.source, "the range is empty; the lower end comes first, as in \(example)"
      )
    }
    return Bounds(least: least, most: most)
  }

  // MARK: Times

  private static func time(
    _ text: String, _ token: SearchToken, _ context: Context
  ) throws(SearchError) -> Date {
    if let seconds = Moment.seconds(text) { return context.now.addingTimeInterval(-seconds) }
    let form =
      /((?:1[6-9]|2[01])\d\d)(?:-(\d\d)(?:-(\d\d)(?:t(\d\d):(\d\d)(?::(\d\d))?z?)?)?)?/
    if let match = text.wholeMatch(of: form), let year = Int(match.1),
      let month = Int(match.2 ?? "1"), let day = Int(match.3 ?? "1"),
      let hour = Int(match.4 ?? "0"), let minute = Int(match.5 ?? "0"),
      let second = Int(match.6 ?? "0"), hour < 24, minute < 60, second < 60,
      let start = SearchWord.start(year: year, month: month, day: day)
    {
      return start.addingTimeInterval(Double(hour * 3_600 + minute * 60 + second))
    }
    throw bad(
      token,
      "times are years, months or days in UTC, or spans that end now, as in since:2024, "
        + "since:2024-05, since:2024-05-03 or since:7d")
  }
}
