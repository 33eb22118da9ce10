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

  private let events: [Event] = (0..<2_000).map { index -> Event in
    let magnitude = Double(index % 47) / 10 - 1
    return Event(
      eventID: "nc\(index)", magnitude: magnitude, place: "5 km N of \u{1b}[31mTōwn",
      time: Date(timeIntervalSince1970: Double(index) * 7_200), updated: .now, longitude: 0,
      latitude: 0, depth: Double(index % 900) - 5, type: "earthquake", tsunami: false,
      significance: 0, code: "\(index)", net: "nc")
  }

  @Test(
    "No line is wider than the terminal, and none has control characters", arguments: [20, 40, 80])
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
    #expect(lines.last?.hasPrefix("from 800 km ") == true)
    // Days are put together, with the average of each.
    let days = try #require(lines.firstIndex(of: "Events a day, on average over 11 days"))
    #expect(lines[days + 1].hasPrefix("1970-01-01    12.0 "))
    #expect(self.lines([events[0]], columns: 80).contains { $0.hasPrefix("1970-01-01    1 █") })
  }

  @Test("A rate that isn't zero never looks like zero")
  func smallRates() throws {
    let rates = [0.0, 0.04, 0.049, 0.05, 0.96, 12, 0.000_31].map(StatisticsTable.rate)
    #expect(rates == ["0.0", "0.04", "0.05", "0.1", "1.0", "12.0", "0.0003"])
    let old = Event(
      eventID: "us1890", magnitude: 6, place: nil,
      time: Date(timeIntervalSince1970: -2_500_000_000),
      updated: .now, longitude: 0, latitude: 0, depth: nil, type: "earthquake", tsunami: false,
      significance: 0, code: "1890", net: "us")
    let lines = lines(events + [old], columns: 80)
    let days = try #require(lines.firstIndex { $0.hasPrefix("Events a day, on average over") })
    #expect(lines[days + 1].hasPrefix("1890-10-11    0.0005 "), "\(lines[days + 1])")
  }

  @Test("What a line has no room for goes to the next")
  func wrapping() throws {
    let narrow = lines(events, columns: 36)
    let moment = try #require(narrow.firstIndex { $0.hasPrefix("Moment") })
    let text = narrow[moment...(moment + 1)].map { $0.dropFirst(14) }.joined(separator: " ")
    #expect(
      text == lines(events, columns: 80).first { $0.hasPrefix("Moment") }?.dropFirst(14) ?? "")
    let narrowest = lines(events, columns: 20)
    #expect(narrowest[0...1] == ["Events", "  2,000"])
  }

  @Test("The error of the b value has a digit other than zero")
  func error() throws {
    let many: [Event] = (0..<100_000).map { index -> Event in
      let magnitude = 1 + Double(index % 40 * (index % 3)) / 30
      return Event(
        eventID: "nc\(index)", magnitude: magnitude, time: Date(timeIntervalSince1970: 0),
        updated: .now, longitude: 0, latitude: 0, type: "earthquake", tsunami: false,
        significance: 0, code: "\(index)", net: "nc")
    }
    let value = try #require(lines(many, columns: 80).first { $0.hasPrefix("b value") })
    let error = try #require(value.split(separator: "±").last?.prefix { $0 != "," })
    #expect(error.contains { ("1"..."9").contains($0) }, "\(value)")
  }

  @Test("Few earthquakes have no b value")
  func few() {
    let lines = lines(Array(events.prefix(30)), columns: 80)
    #expect(lines.contains { $0.hasPrefix("b value       needs 50 earthquakes") })
  }
}
