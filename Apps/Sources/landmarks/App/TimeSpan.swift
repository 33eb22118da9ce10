/// Spans of time as they are typed: `90s`, `15m`, `3h` or `2d`.
enum TimeSpan {
  private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

  /// Returns the seconds of a span; nil for a text that is none.
  /// - Parameter bare: The unit of a number without one, in seconds; nil when a unit is needed.
  static func seconds(_ text: some StringProtocol, bare: Int? = nil) -> Int? {
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let unit = unit ?? bare, (1...9).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits)
    else { return nil }
    return number * unit
  }
}
