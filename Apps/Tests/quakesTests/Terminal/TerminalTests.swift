import Foundation
import QuakesKit
import Testing

@testable import quakes

@Suite("The output in a terminal")
struct TerminalTests {
  private let coloured = Terminal(isInteractive: true, hasColour: true, columns: 80)
  private let plain = Terminal(isInteractive: false, hasColour: false, columns: 60)

  private static let summer = Date(timeIntervalSince1970: 1_750_000_000)
  private static let winter = Date(timeIntervalSince1970: 1_735_732_800)

  private func event(_ magnitude: Double?, place: String?) -> Event {
    Event(
      eventID: "nc1", magnitude: magnitude, place: place, time: Self.summer, updated: Self.winter,
      longitude: 0, latitude: 0, type: "earthquake", tsunami: false, significance: 0, code: "1",
      net: "nc")
  }

  @Test("Columns are aligned for texts of any script, and unknown values are dashes")
  func alignment() throws {
    let table = EventTable(terminal: plain, zone: try #require(TimeZone(identifier: "UTC")))
    let rows = [
      table.row(event(5.25, place: "日本の東の沖合およそ百キロメートルのあたり")),
      table.row(event(nil, place: nil)), table.row(event(-0.5, place: "near")),
    ]
    let starts = rows.map { row in PlainText.width(String(row.dropLast("nc1".count))) }
    #expect(Set(starts).count == 1)
    #expect(rows.allSatisfy { PlainText.width($0) <= 60 && $0.hasSuffix("nc1") })
    #expect(rows[1].contains("–"))
  }

  @Test("Times are local, with summer time where it applies")
  func localTimes() throws {
    let berlin = EventTable(
      terminal: plain, zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    #expect(berlin.localTime(Self.summer) == "2025-06-15 17:06:40")
    #expect(berlin.localTime(Self.winter) == "2025-01-01 13:00:00")
  }

  @Test("Each row's time has the name that the zone had then, in tables and in the live view")
  func zoneNames() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let wide = Terminal(isInteractive: false, hasColour: false, columns: 120)
    let table = EventTable(terminal: wide, zone: berlin)
    let live = WatchRow(terminal: wide, columns: 120, zone: berlin)
    var (summer, winter) = (event(1, place: "near"), event(1, place: "near"))
    (summer.time, winter.time) = (Self.summer, Self.winter)
    for (event, time) in [(summer, "17:06:40 GMT+2"), (winter, "13:00:00 GMT+1")] {
      #expect(table.row(event).contains(time))
      #expect(live.row(event, mark: nil, now: Date()).contains(time))
      #expect(table.zonedTime(event.time).hasSuffix(time))
    }
    #expect(!table.heading.contains("GMT") && !live.heading.contains("GMT"))
  }

  @Test("No table is wider than its terminal, however narrow; magnitude and place stay")
  func narrow() throws {
    for zone in ["UTC", "Europe/Berlin", "Asia/Kathmandu"] {
      let zone = try #require(TimeZone(identifier: zone))
      for columns in 20...130 {
        let terminal = Terminal(isInteractive: false, hasColour: false, columns: columns)
        let table = EventTable(terminal: terminal, zone: zone)
        let rows = [event(-1.5, place: "日本の東の沖合およそ百キロメートル"), event(6, place: "near it")].map(
          table.row)
        for line in rows + [table.heading] {
          #expect(PlainText.width(line) <= columns, "\(columns): \(line)")
        }
        #expect(rows[0].contains("-1.5") && rows[1].contains("near"), "\(columns)")
        #expect(rows[1].contains("2025-06-15") == (columns >= 27))
      }
    }
  }

  @Test("Chosen columns are aligned, no wider than the terminal, and safe; the place shrinks first")
  func chosenColumns() throws {
    let utc = try #require(TimeZone(identifier: "UTC"))
    var hostile = event(-1.5, place: "日本の東の沖合\u{1b}[2J" + String(repeating: "x", count: 90))
    hostile.url = "https://example.org/東" + String(repeating: "x", count: 90)
    for columns in [20, 40, 80, 200] {
      let terminal = Terminal(isInteractive: false, hasColour: false, columns: columns)
      for chosen in [[.place], [.id, .place, .magnitude], EventColumn.allCases] as [[EventColumn]] {
        let lines = ColumnTable(chosen, EventTable(terminal: terminal, zone: utc))
          .lines([hostile, event(6, place: "near it")])
        #expect(lines.count == 3)
        for line in lines {
          #expect(PlainText.width(line) <= columns, "\(columns): \(line)")
          #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value) })
        }
      }
    }
    let narrow = ColumnTable(
      [.magnitude, .place, .id],
      EventTable(
        terminal: Terminal(isInteractive: false, hasColour: false, columns: 20), zone: utc)
    ).lines([event(6, place: "near the long coast")])
    #expect(narrow == ["Mag  Place       ID", "6.0  near the …  nc1"])
  }

  @Test("A depth never widens its column, however absurd")
  func depths() throws {
    for depth in [-1_000.0, 6_400, 1e300, -1e300, 123_456] {
      var deep = event(1, place: "near")
      deep.depth = depth
      let terminal = Terminal(isInteractive: false, hasColour: false, columns: 120)
      let zone = try #require(TimeZone(identifier: "UTC"))
      for unit in [DistanceUnit.kilometres, .miles] {
        let table = EventTable(terminal: terminal, zone: zone, unit: unit)
        #expect(PlainText.width(table.depth(deep)) <= 7)
      }
    }
  }

  @Test("A withdrawn event is marked")
  func withdrawn() throws {
    let table = EventTable(terminal: coloured, zone: try #require(TimeZone(identifier: "UTC")))
    var event = event(1, place: "near")
    #expect(!table.row(event).contains("withdrawn"))
    event.withdrawn = Self.winter
    #expect(table.row(event).contains("(withdrawn)"))
  }

  @Test("The progress bar fills up, stays in its line, and does without a size")
  func progress() {
    let bar = ProgressBar(terminal: coloured)
    let half = bar.line(bytes: 500, expected: 1_000, events: 7)
    #expect(half.contains("50 %") && half.contains("7 events") && half.contains("500 B"))
    #expect(bar.line(bytes: 5_000, expected: 1_000, events: 7).contains("100 %"))
    #expect(bar.line(bytes: 2_500_000, expected: nil, events: 9).contains("9 events, 2.5 MB"))
    #expect(!bar.line(bytes: 0, expected: 0, events: 0).contains("%"))
    let narrow = ProgressBar(terminal: Terminal(isInteractive: true, hasColour: false, columns: 40))
    #expect(narrow.line(bytes: 1, expected: 2, events: 1_000_000).count < 40)
    // The text of an error may be another's.
    #expect(!narrow.line(share: 0, "\u{1b}[2J").contains("\u{1b}"))
    #expect(PlainText.width(narrow.line(share: 0, String(repeating: "東", count: 40))) < 40)
  }
}
