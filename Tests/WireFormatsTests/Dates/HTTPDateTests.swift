import Foundation
import Testing
import WireFormats

@Suite("Dates of HTTP (RFC 9110, 5.6.7)")
struct HTTPDateTests {
  private static let now = Date(timeIntervalSince1970: 1_746_366_775)

  @Test(
    "Dates in the three formats",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 1999 23:59:60 GMT", 946_684_800),
    ])
  func dates(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text, now: Self.now)?.timeIntervalSince1970 == seconds)
  }

  @Test(
    "Dates beyond the years 0 to 9999 count as the first or the last second",
    arguments: [
      (Double.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"), (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (253_402_300_799.5, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-Double.infinity, "Sat, 01 Jan 0000 00:00:00 GMT"),
      (-1e300, "Sat, 01 Jan 0000 00:00:00 GMT"), (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ])
  func extremes(seconds: Double, text: String) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(HTTPDate.format(date) == text)
    #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: date) != nil)
    #expect(RetryAfter.parse(text, now: date) != nil)
  }

  @Test("A two-digit year is at most 50 years in the future")
  func centuries() {
    func year(_ text: String) -> String? {
      HTTPDate.parse("Sunday, 06-Nov-\(text) 08:49:37 GMT", now: Self.now)
        .map { HTTPDate.format($0).split(separator: " ")[3].description }
    }
    #expect(year("75") == "2075")
    #expect(year("76") == "1976")
    #expect(year("00") == "2000")
  }

  @Test(
    "Texts that are no dates",
    arguments: [
      "", "0", "-1", "Sun, 06 Nov 1994", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 8:49 GMT",
      "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    ])
  func noDates(text: String) {
    #expect(HTTPDate.parse(text, now: Self.now) == nil)
  }

  @Test("Dates are written in the preferred format and read again")
  func roundTrip() {
    let date = Date(timeIntervalSince1970: 784_111_777)
    #expect(HTTPDate.format(date) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(date.addingTimeInterval(0.9)) == HTTPDate.format(date))
    for days in stride(from: -20_000, to: 40_000, by: 13) {
      let date = Date(timeIntervalSince1970: Double(days * 86_400 + 1_234))
      #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
    }
  }
}
