import Foundation

/// Visits as a calendar for other programs (iCalendar, RFC 5545).
public enum CalendarText {
  /// The length of a visit in the calendar: a reservation has no end.
  public static let visitLength = "PT1H"

  /// Returns the calendar; nil without visits, because a calendar has at least one event.
  /// - Parameters:
  ///   - visits: The visits, cancelled ones included: calendars that have them show that.
  ///   - landmarks: The landmarks, by their numbers. A visit to an unknown one has its number as its title.
  ///   - now: The time at which the calendar is made.
  /// - Returns: The text in UTF-8, with line ends as the format requires.
  public static func calendar(
    _ visits: [Reservation], landmarks: [Int: Landmark], now: Date = .now
  ) -> [UInt8]? {
    guard !visits.isEmpty else { return nil }
    var text = Lines()
    text.add("BEGIN:VCALENDAR")
    text.add("VERSION:2.0")
    text.add("PRODID:-//OpenSwiftData//Landmarks//EN")
    for visit in visits {
      text.add("BEGIN:VEVENT")
      text.add("UID:\(visit.id.uuidString)")
      text.add("DTSTAMP:\(moment(now))")
      text.add("DTSTART:\(moment(visit.date))")
      text.add("DURATION:\(visitLength)")
      text.add("STATUS:\(visit.status == .confirmed ? "CONFIRMED" : "CANCELLED")")
      if let landmark = landmarks[visit.landmarkID] {
        text.add("SUMMARY:\(escaped(landmark.name))")
        text.add("LOCATION:\(escaped("\(landmark.city), \(landmark.state)"))")
        let place = landmark.coordinates
        if place.isValid {
          text.add(String(format: "GEO:%.6f;%.6f", place.latitude, place.longitude))
        }
      } else {
        text.add("SUMMARY:Landmark \(visit.landmarkID)")
      }
      // The user's own words come first.
      let description = [visit.note, landmarks[visit.landmarkID]?.description ?? ""]
        .filter { !$0.isEmpty }.joined(separator: "\n\n")
      if !description.isEmpty { text.add("DESCRIPTION:\(escaped(description))") }
      text.add("END:VEVENT")
    }
    text.add("END:VCALENDAR")
    return text.bytes
  }

  /// Returns a time in UTC, such as `20270601T160000Z` (section 3.3.5).
  private static func moment(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(timeZone: .gmt)).filter { $0 != "-" && $0 != ":" }
  }

  /// Returns a text with its special characters escaped (section 3.3.11); control characters but tabs become
  /// spaces.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    var previous: Unicode.Scalar = " "
    // Not characters: one may be a semicolon with an accent.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",": escaped.append(contentsOf: ["\\", scalar])
      case "\n" where previous == "\r": break
      case "\n", "\r": escaped.append(contentsOf: ["\\", "n"])
      case "\t": escaped.append(scalar)
      case "\0"..<" ", "\u{7F}"..."\u{9F}": escaped.append(" ")
      default: escaped.append(scalar)
      }
      previous = scalar
    }
    return String(escaped)
  }

  /// Lines of at most 75 bytes; longer ones are folded between characters (section 3.1).
  private struct Lines {
    private static let maximumLength = 75
    private(set) var bytes: [UInt8] = []

    mutating func add(_ line: String) {
      var length = 0
      for scalar in line.unicodeScalars {
        let character = Array(String(scalar).utf8)
        if length + character.count > Self.maximumLength {
          bytes += Array("\r\n ".utf8)
          length = 1
        }
        bytes += character
        length += character.count
      }
      bytes += Array("\r\n".utf8)
    }
  }
}
