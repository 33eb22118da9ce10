import Foundation

/// Reads the pause that a server asks for in `Retry-After` (RFC 9110 section 10.2.3).
public enum RetryAfter {
  /// Parses the value of the header field: a number of seconds or a date.
  /// - Parameters:
  ///   - text: the value of the field.
  ///   - now: the current date, from which the pause to a date is counted.
  /// - Returns: the pause, zero for a date in the past, at most 2^31 seconds; nil when the text is neither.
  public static func parse(_ text: String, now: Date) -> Duration? {
    if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    return .seconds(min(max(0, date.timeIntervalSince(now)), Double(DeltaSeconds.maximum)))
  }
}

/// Reads numbers of seconds in header fields (RFC 9111 section 1.2.2).
package enum DeltaSeconds {
  /// The greatest number that counts as such.
  static let maximum = 1 << 31

  /// Parses a number of digits, with blanks around it.
  /// - Returns: the number of seconds, capped at 2^31 as the RFC advises; nil when the text is no such number.
  package static func parse(_ text: String) -> Int? {
    let digits = text.trimmingCharacters(in: .whitespaces)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return min(Int(digits) ?? .max, maximum)
  }
}
