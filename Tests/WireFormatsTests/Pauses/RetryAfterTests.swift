import Foundation
import Testing
import WireFormats

@Suite("Retry-After (RFC 9110, 10.2.3)")
struct RetryAfterTests {
  private func parse(_ text: String) -> Duration? {
    RetryAfter.parse(text, now: Date(timeIntervalSince1970: 1_746_366_775))
  }

  @Test("A number of seconds or a date") func pauses() {
    #expect(parse("120") == .seconds(120))
    #expect(parse(" 0 ") == .zero)
    #expect(parse("Sun, 04 May 2025 13:53:00 GMT") == .seconds(5))
    #expect(parse("Sun, 04 May 2024 13:53:00 GMT") == .zero)
    #expect(parse("99999999999999999999") == .seconds(1 << 31))
  }

  @Test("Other texts", arguments: ["-5", "+5", "5.5", "soon", "", "٥"])
  func others(text: String) {
    #expect(parse(text) == nil)
  }
}
