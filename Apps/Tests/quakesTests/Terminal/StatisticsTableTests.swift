import Foundation
import HTTPContent
import QuakesKit
import Testing

@testable import quakes

@Suite("Statistics in a terminal")
struct StatisticsTableTests {
  private func lines(_ events: [Event], columns: Int) -> [String] {
    StatisticsTable(terminal: Terminal(isInteractive: false, hasColour: false, columns: columns))
      .lines(EventStatistics(events))
  }

  private let events = (0..<2_000).map { index in
    Event(
      eventID: "nc\(index)", magnitude: Double(index % 47) / 10 - 1, place: "5 km N of \u{1b}[31mTōwn",
      time: Date(timeIntervalSince1970: Double(index) * 7_200), updated: .now, longitude: 0,
      latitude: 0, depth: Double(index % 900) - 5, type: "earthquake", tsunami: false,
      significance: 0, code: "\(index)", net: "nc")
  }

  @Test("No line is wider than the terminal, and none has control characters", arguments: [20, 40, 80])
  func width(_ columns: Int) {
    let lines = lines(events, columns: columns)
    #expect(lines.count > 20)
    for line in lines {
      #expect(PlainText.width(line) <= columns, "\(line)")
      #expect(!line.unicodeScalars.contains { $0.value < 32 })
    }
  }

  @Test("Charts have a bar for each step, also for negative values and gaps")
  func charts() throws {
    let lines = lines(events, columns: 80)
    #expect(lines.contains { $0.hasPrefix("Events        2,000") })
    let magnitudes = try #require(lines.firstIndex(of: "Earthquakes by magnitude"))
    let labels = lines[(magnitudes + 1)...].prefix { !$0.isEmpty }
      .map { $0.prefix(14).trimmingCharacters(in: .whitespaces) }
    #expect(labels == ["-1.0 to -0.1", "0.0 to 0.9", "1.0 to 1.9", "2.0 to 2.9", "3.0 to 3.9"])
    let depths = try #require(lines.firstIndex(of: "Events by depth"))
    #expect(lines[depths + 1].hasPrefix("above 0 km"))
    #expect(lines.last?.hasPrefix("800 km and more") == true)
    // Days are put together, with the average of each.
    let days = try #require(lines.firstIndex(of: "Events a day"))
    #expect(lines[days + 1].hasPrefix("1970-01-01    12.0 "))
    #expect(self.lines([events[0]], columns: 80).contains { $0.hasPrefix("1970-01-01    1 █") })
  }

  @Test("Few earthquakes have no b value")
  func few() {
    let lines = lines(Array(events.prefix(30)), columns: 80)
    #expect(lines.contains { $0.hasPrefix("b value       needs 50 earthquakes") })
  }
}
