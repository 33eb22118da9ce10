import Foundation
import QuakesKit
import Testing

@Suite("Short forms of times")
struct ShortMomentTests {
  private let now = Date(timeIntervalSince1970: 1_750_000_000)

  @Test(
    "Years, months, times without seconds, and times as tables have them are read",
    arguments: [
      ("2026", 1_767_225_600.0), ("2026-01", 1_767_225_600), ("2026-01-31T12:00", 1_769_860_800),
      ("2026-01-31 12:00", 1_769_860_800), ("2026-01-31 12:00:00 UTC", 1_769_860_800),
      ("2026-01-31 12:00:00", 1_769_860_800), ("2026-01-31T14:00+02:00", 1_769_860_800),
      ("2026-01-31T12:00Z", 1_769_860_800), ("2026-01-31 12:00:00.5", 1_769_860_800.5),
    ])
  func dates(text: String, seconds: Double) throws {
    let date = try Moment.parse(text, now: now)
    #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
  }

  @Test(
    "What is no time is refused as before",
    arguments: [
      "1500", "2200", "202", "2026-13", "2026-00", "2026-02-30 12:00", "2026-01-31 24:00",
      "2026-01-31 12:60", "2026-01-31  12:00", "2026-01-31T12", "2026-01-31 ", "2026-",
    ])
  func refused(text: String) {
    #expect(throws: QuakesError.self) { try Moment.parse(text, now: now) }
  }
}
