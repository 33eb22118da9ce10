import Foundation
import LandmarksKit
import Testing

@Suite struct InternetDateTests {
  @Test(arguments: [
    "2027-02-29T10:00:00Z", "2027-02-30T10:00:00Z", "2027-04-31T10:00:00Z", "2027-00-10T10:00:00Z",
    "2027-13-10T10:00:00Z", "2027-01-00T10:00:00Z", "2027-01-32T10:00:00Z", "2100-02-29T10:00:00Z",
    "2027-01-01T24:00:00Z", "2027-01-01T10:60:00Z", "2027-01-01T10:00:60Z", "2027-01-01T10:00:61Z",
    "2027-01-01", "2027-01-01T10:00Z", "2027-01-01T10:00:00", "2027-1-01T10:00:00Z", "",
    "2027-01-01 10:00:00Z", "2027-01-01T10:00:00Zx", " 2027-01-01T10:00:00Z",
    "2027-01-01T10:00:00.Z", "2027-01-01T10:00:00.1234567890Z", "2027-01-01T10:00:00+24:00",
    "2027-01-01T10:00:00+01:60", "2027-01-01T10:00:00+1", "-027-01-01T10:00:00Z",
    "\u{662}027-01-01T10:00:00Z", "2027-01-01T10:00:00\u{2212}01:00", "20270101T100000Z",
  ])
  func implausibleDatesAreRefused(_ text: String) {
    #expect(InternetDate.parse(text) == nil)
  }

  @Test func writtenDatesAreReadBack() throws {
    let style = Date.ISO8601FormatStyle(timeZone: .gmt)
    // Foundation formats days before 15 October 1582 in the Julian calendar.
    for day in stride(from: -141_000.0, to: 2_932_896.0, by: 997.0) {
      let date = Date(timeIntervalSince1970: day * 86_400 + 3_661)
      let text = date.formatted(style)
      #expect(InternetDate.parse(text) == date, "\(text)")
    }
    for year in [1900, 2000, 2024, 2100, 2400] {
      let leap = InternetDate.parse("\(year)-02-29T00:00:00Z")
      #expect((leap != nil) == (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)))
    }
  }

  @Test func offsetsAndFractionsAreUnderstood() {
    let noon = InternetDate.parse("2027-05-01T12:00:00Z")
    #expect(noon != nil)
    for text in [
      "2027-05-01T14:00:00+02:00", "2027-05-01T06:30:00-05:30", "2027-05-01t12:00:00z",
      "2027-05-01T12:00:00.000Z",
    ] { #expect(InternetDate.parse(text) == noon, "\(text)") }
    #expect(InternetDate.parse("2027-05-01T12:00:00.25Z") == noon?.addingTimeInterval(0.25))
  }
}
