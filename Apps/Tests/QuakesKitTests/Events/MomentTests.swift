import Foundation
import QuakesKit
import Testing

@Suite("Reading times")
struct MomentTests {
  private let now = Date(timeIntervalSince1970: 1_750_000_000)

  @Test(
    "Spans count back from now",
    arguments: [("45s", 45.0), ("30m", 1_800), ("24h", 86_400), ("7d", 604_800), ("2w", 1_209_600)])
  func spans(text: String, seconds: Double) throws {
    #expect(try Moment.parse(text, now: now) == now.addingTimeInterval(-seconds))
  }

  @Test(
    "ISO 8601 dates without a zone are in UTC",
    arguments: [
      ("2026-01-31", 1_769_817_600.0), ("2026-01-31T12:00:00Z", 1_769_860_800),
      ("2026-01-31T12:00:00", 1_769_860_800), ("2026-01-31T12:00:00.500Z", 1_769_860_800.5),
      ("2026-01-31T14:00:00+02:00", 1_769_860_800), ("2024-02-29", 1_709_164_800),
      ("2026-01-31T12:00:00z", 1_769_860_800), ("2026-01-31T14:00:00+0200", 1_769_860_800),
      ("2026-01-31T10:00:00.25-02", 1_769_860_800.25),
    ])
  func dates(text: String, seconds: Double) throws {
    let date = try Moment.parse(text, now: now)
    #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
  }

  @Test(
    "Dates before 1582 are of the same calendar as all others, as the service and the API write them",
    arguments: [
      "0001-01-01T00:00:00.000Z", "0004-02-29T00:00:00.000Z", "1500-02-28T23:59:59.000Z",
      "1500-03-01T00:00:00.000Z", "1582-10-04T00:00:00.000Z", "1582-10-10T12:00:00.000Z",
      "1582-10-15T00:00:00.000Z", "2026-01-31T12:00:00.500Z", "9999-12-31T23:59:59.000Z",
    ])
  func calendar(text: String) throws {
    #expect(Timestamp.iso8601(try Moment.parse(text, now: now)) == text)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "", "yesterday", "h", "-1h", "0m", "1.5h", "１h", "99999999999d", "2026-13-01", "24",
      "2026-02-30", "2026-04-31", "2025-02-29", "1500-02-29", "2026-00-01", "2026-01-00",
      "2026-02-30T12:00:00Z", "2026-01-31T24:00:00Z",
      "2026-01-31T23:60:00Z", "2026-01-31T23:59:60Z", "2026-01-31T23:59:60.5+02:00",
      "2026-01-31T12:00:00Zjunk", "2026-01-31T12:00:00Z-1d", "2026-01-31T12:00:00Z,2026",
      "2026-01-31T12:00:00+02:99", "2026-01-31T12:00:00.5+02:60", "2026-01-31T12:00:00Z ",
    ])
  func refused(text: String) {
    #expect(throws: QuakesError.self) { try Moment.parse(text, now: now) }
  }
}
