import Foundation
import LandmarksKit
import Testing

@Suite("Visits as a calendar")
struct CalendarTextTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func landmark(_ name: String, description: String = "Steep.") -> Landmark {
    Landmark(
      id: 1002, name: name, state: "California", city: "Yosemite Valley", category: .mountains,
      isFeatured: false, imageName: "a", coordinates: .init(latitude: 37.75, longitude: -119.5),
      description: description)
  }

  private func visit(
    _ date: TimeInterval, _ status: Reservation.Status = .confirmed, landmark: Int = 1002,
    note: String = ""
  ) -> Reservation {
    Reservation(
      id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
      landmarkID: landmark, date: Date(timeIntervalSince1970: date), status: status, note: note)
  }

  private func text(_ visits: [Reservation], _ landmark: Landmark) -> String {
    String(
      decoding: CalendarText.calendar(visits, landmarks: [1002: landmark], now: now) ?? [],
      as: UTF8.self)
  }

  @Test("A note stands before the landmark's text, and alone for an unknown landmark")
  func notes() {
    let text = text(
      [
        visit(1_811_865_600, note: "Water; food,\ntent"),
        visit(1_811_865_660, landmark: 7, note: "END:VEVENT\nBEGIN:VALARM"),
      ], landmark("El Capitan"))
    #expect(text.contains(#"DESCRIPTION:Water\; food\,\ntent\n\nSteep."#))
    #expect(text.contains(#"DESCRIPTION:END:VEVENT\nBEGIN:VALARM"# + "\r\nEND:VEVENT"))
  }

  @Test("A visit has its time in UTC, its place and its status")
  func visits() {
    let text = text(
      [visit(1_811_865_600), visit(1_811_865_660, .cancelled, landmark: 7)],
      landmark("El Capitan"))
    #expect(
      text
        == """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//OpenSwiftData//Landmarks//EN
        BEGIN:VEVENT
        UID:01020304-0506-0708-090A-0B0C0D0E0F10
        DTSTAMP:20270115T080000Z
        DTSTART:20270601T160000Z
        DURATION:PT1H
        STATUS:CONFIRMED
        SUMMARY:El Capitan
        LOCATION:Yosemite Valley\\, California
        GEO:37.750000;-119.500000
        DESCRIPTION:Steep.
        END:VEVENT
        BEGIN:VEVENT
        UID:01020304-0506-0708-090A-0B0C0D0E0F10
        DTSTAMP:20270115T080000Z
        DTSTART:20270601T160100Z
        DURATION:PT1H
        STATUS:CANCELLED
        SUMMARY:Landmark 7
        END:VEVENT
        END:VCALENDAR

        """.replacingOccurrences(of: "\n", with: "\r\n"))
  }

  @Test("Text of the server is escaped, and long lines are folded between characters")
  func hostileText() {
    let name = "a;b,c\\d\r\nEND:VEVENT\u{1b}[31m\t\u{9b}"
    let text = text([visit(0)], landmark(name, description: String(repeating: "é👩‍👩‍👧 ", count: 60)))
    #expect(text.contains("SUMMARY:a\\;b\\,c\\\\d\\nEND:VEVENT [31m\t \r\n"))
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 75 })
    #expect(lines.count { $0 == "END:VEVENT" } == 1)
    let unfolded = text.replacingOccurrences(of: "\r\n ", with: "")
    #expect(unfolded.contains(String(repeating: "é👩‍👩‍👧 ", count: 60)))
  }

  @Test("Special characters with accents are escaped, too")
  func combined() {
    let text = text([visit(0)], landmark("a;\u{301}b,\u{301}c\\\u{301}d\re\n\nf"))
    #expect(text.contains("SUMMARY:a\\;\u{301}b\\,\u{301}c\\\\\u{301}d\\ne\\n\\nf\r\n"))
  }

  @Test("Without visits, there is no calendar")
  func empty() {
    #expect(CalendarText.calendar([], landmarks: [:], now: now) == nil)
  }
}
