import Foundation
import Testing

@testable import QuakesKit
@testable import TestSupport

@Suite("Loaded time ranges")
struct LoadedRangeTests {
  private static let usgs = EventService.usgs

  private static func range(
    _ seconds: Range<Int>, _ minimum: Double? = nil, _ rule: MagnitudeRule = .all, loaded: Int = 0
  ) -> LoadedRange {
    LoadedRange(usgs, seconds, minimumMagnitude: minimum, rule: rule, loaded: loaded)
  }

  @Test("A range covers the same magnitudes and greater ones, never smaller ones")
  func magnitudes() {
    let strong = Self.range(0..<100, 4.5)
    #expect([strong].gaps(in: Self.range(0..<100, 2.5)) == [0..<100])
    #expect([strong].gaps(in: Self.range(0..<100)) == [0..<100])
    #expect([strong].gaps(in: Self.range(0..<100, 4.5)).isEmpty)
    #expect([strong].gaps(in: Self.range(0..<100, 6, .aboveZero)).isEmpty)
    #expect([Self.range(0..<100, 2.5)].gaps(in: Self.range(20..<80, 4.5)).isEmpty)
    // Without events of zero and below, a range covers what leaves them out, too.
    let positive = Self.range(0..<100, nil, .aboveZero)
    #expect([positive].gaps(in: Self.range(0..<100)) == [0..<100])
    #expect([positive].gaps(in: Self.range(0..<100, -1, .aboveZero)).isEmpty)
    #expect([positive].gaps(in: Self.range(0..<100, 0)) == [0..<100])
    #expect([positive].gaps(in: Self.range(0..<100, 0.1)).isEmpty)
  }

  @Test("A range of another service covers nothing")
  func services() throws {
    let other = LoadedRange(
      try EventService("http://127.0.0.1:8081"), 0..<100, minimumMagnitude: nil, rule: .all,
      loaded: 0)
    #expect([other].gaps(in: Self.range(0..<100)) == [0..<100])
  }

  @Test("Gaps are before, between and after ranges")
  func gaps() {
    let ranges = [Self.range(10..<20), Self.range(30..<40, 1), Self.range(50..<60)]
    #expect(ranges.gaps(in: Self.range(0..<70)) == [0..<10, 20..<50, 60..<70])
    #expect(ranges.gaps(in: Self.range(0..<70, 1)) == [0..<10, 20..<30, 40..<50, 60..<70])
    #expect(ranges.gaps(in: Self.range(12..<18)).isEmpty)
    #expect([LoadedRange]().gaps(in: Self.range(1..<2)) == [1..<2])
  }

  @Test("Parts of one back-fill become one range, and replace what they load again")
  func joining() {
    var ranges: [LoadedRange] = []
    for start in stride(from: 90, through: 0, by: -10) {
      ranges.add(Self.range(start..<start + 10, 3, loaded: 1))
    }
    #expect(ranges == [Self.range(0..<100, 3, loaded: 1)])
    ranges.add(Self.range(40..<50, 3, loaded: 2))
    #expect(
      ranges == [
        Self.range(0..<40, 3, loaded: 1), Self.range(40..<50, 3, loaded: 2),
        Self.range(50..<100, 3, loaded: 1),
      ])
    // Stronger events only: they are new where the weaker ones aren't.
    ranges.add(Self.range(0..<110, 5, loaded: 3))
    #expect(ranges.count == 4 && ranges.last == Self.range(100..<110, 5, loaded: 3))
    ranges.add(Self.range(0..<110, loaded: 4))
    #expect(ranges == [Self.range(0..<110, loaded: 4)])
  }

  @Test(
    "Any sequence of ranges covers the seconds that were added",
    arguments: 0..<TestEnvironment.rounds(UInt64(200)))
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let levels: [Double?] = [nil, 0, 2.5, 4.5]
    var ranges: [LoadedRange] = []
    // The least threshold with which each second was loaded.
    var seconds = [Int: Double](minimumCapacity: 60)
    for loaded in 0..<12 {
      let start = Int.random(in: 0..<50, using: &random)
      let part = start..<start + Int.random(in: 1...10, using: &random)
      let level = levels.randomElement(using: &random) ?? nil
      ranges.add(Self.range(part, level, loaded: loaded / 3))
      for second in part {
        seconds[second] = min(seconds[second] ?? .infinity, level ?? -.infinity)
      }
    }
    let stored = try JSONDecoder().decode([LoadedRange].self, from: JSONEncoder().encode(ranges))
    #expect(stored == ranges)
    for level in levels {
      let gaps = ranges.gaps(in: Self.range(0..<60, level)).flatMap { Array($0) }
      let wanted = (0..<60).filter { (seconds[$0] ?? .infinity) > level ?? -.infinity }
      #expect(gaps == wanted, "level \(level ?? -1)")
    }
  }

  @Test("The last day before a load is asked for again from a day after it on, once")
  func settling() {
    let day = 86_400
    let first = Self.range(0..<10 * day, loaded: 10 * day)
    #expect(
      [first].gaps(in: Self.range(0..<11 * day, loaded: 11 * day - 1)) == [10 * day..<11 * day])
    let later = Self.range(0..<11 * day, loaded: 11 * day)
    #expect([first].gaps(in: later) == [9 * day..<11 * day])
    // An earlier end was settled when it was loaded.
    #expect([Self.range(0..<9 * day, loaded: 10 * day)].gaps(in: later) == [9 * day..<11 * day])
    var ranges = [first]
    ranges.add(Self.range(9 * day..<11 * day, loaded: 11 * day))
    #expect(ranges.gaps(in: Self.range(0..<11 * day, loaded: 12 * day - 1)).isEmpty)
    #expect(ranges.gaps(in: Self.range(0..<11 * day, loaded: 30 * day)) == [10 * day..<11 * day])
    // A load of fewer magnitudes is recorded, too, where a wider one isn't settled.
    ranges = [first]
    ranges.add(Self.range(9 * day..<11 * day, 4.5, loaded: 12 * day))
    #expect(ranges.gaps(in: Self.range(0..<11 * day, 4.5, loaded: 13 * day)).isEmpty)
    #expect(ranges.gaps(in: Self.range(0..<11 * day, loaded: 13 * day)) == [9 * day..<11 * day])
  }

  @Test("A back-fill a day is one range, that needs the last days only")
  func daily() {
    let day = 86_400
    var ranges: [LoadedRange] = []
    for now in stride(from: 100 * day, through: 110 * day, by: day) {
      let wanted = Self.range(now - 100 * day..<now, 4.5, loaded: now)
      for gap in ranges.gaps(in: wanted) { ranges.add(Self.range(gap, 4.5, loaded: now)) }
    }
    #expect(ranges == [Self.range(0..<110 * day, 4.5, loaded: 110 * day)])
    #expect(
      ranges.gaps(in: Self.range(0..<120 * day, 4.5, loaded: 120 * day)) == [109 * day..<120 * day])
    // Ranges whose last day isn't settled keep their loads, and are told as one.
    ranges.add(Self.range(110 * day..<110 * day + 1, 4.5, loaded: 110 * day + 1))
    ranges.add(Self.range(110 * day + 1..<110 * day + 2, 4.5, loaded: 110 * day + 2))
    #expect(ranges.count == 3)
    #expect(ranges.told.map(\.seconds) == [0..<110 * day + 2])
    ranges.add(Self.range(10 * day..<20 * day, loaded: 110 * day + 2))
    #expect(ranges.told.count == 3)
  }

  @Test(
    "A damaged record is an error, not a range",
    arguments: [
      "", "{}", #"[{"service":"a"}]"#,
      #"[{"service":"a","since":5,"until":5,"rule":"all","loaded":0}]"#,
      #"[{"service":"a","since":-9223372036854775808,"until":9223372036854775807,"rule":"all","loaded":0}]"#,
      #"[{"service":"a","since":0,"until":1e300,"rule":"all","loaded":0}]"#,
    ])
  func damaged(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([LoadedRange].self, from: Data(text.utf8))
    }
  }

  @Test("Addresses of event services, with and without a path or a method")
  func addresses() throws {
    for text in ["http://127.0.0.1:8081", "http://127.0.0.1:8081/fdsnws/event/1/query"] {
      #expect(try EventService(text).description == "http://127.0.0.1:8081/fdsnws/event/1")
    }
    #expect(try EventService("https://example.org/eq/").description == "https://example.org/eq")
    #expect(try EventService(EventService.usgs.description) == .usgs)
    for text in [
      "", "all_day", "ftp://example.org", "http://", "http://u:p@example.org/", "http://a/?b=c",
    ] {
      #expect(throws: QuakesError.self) { try EventService(text) }
    }
  }

  @Test("The address of a part includes its first and excludes its last second")
  func query() throws {
    let url = EventService.usgs.query(0..<86_400, minimumMagnitude: 2.5)
    #expect(
      url.absoluteString
        == "https://earthquake.usgs.gov/fdsnws/event/1/query?format=geojson"
        + "&starttime=1970-01-01T00:00:00.000Z&endtime=1970-01-01T23:59:59.999Z&orderby=time-asc"
        + "&minmagnitude=2.5")
    #expect(
      EventService.usgs.query(-62_135_596_800..<0, minimumMagnitude: nil).absoluteString
        .contains("starttime=0001-01-01T00:00:00.000Z&"))
  }
}
