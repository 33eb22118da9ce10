import Foundation
import QuakesKit
import SwiftData
import SwiftDataExtras
import Testing
import WireFormats

@testable import TestSupport

@Suite("Statistics of events")
struct EventStatisticsTests {
  private static let day = 86_400.0

  private func event(
    _ id: String, _ magnitude: Double?, at time: Double, depth: Double? = nil,
    type: String = "earthquake"
  ) -> Event {
    Event(
      eventID: id, magnitude: magnitude, time: Date(timeIntervalSince1970: time), updated: .now,
      longitude: 0, latitude: 0, depth: depth, type: type, tsunami: false, significance: 0,
      code: id, net: "nc")
  }

  private var events: [Event] {
    [
      event("a", 4, at: 0, depth: -0.5), event("b", 5, at: Self.day - 0.001, depth: 9.99),
      event("c", 5, at: Self.day, depth: 10), event("d", nil, at: 3 * Self.day, depth: 601),
      event("e", 6, at: -0.001, type: "quarry blast"),
    ]
  }

  @Test("Days are those of UTC, depths are in steps of 10 km, and blasts have no moment")
  func values() throws {
    let statistics = EventStatistics(events)
    #expect(statistics.count == 5 && statistics.magnitudes.count == 3)
    #expect(statistics.first == Date(timeIntervalSince1970: -0.001))
    #expect(statistics.last == Date(timeIntervalSince1970: 3 * Self.day))
    #expect(statistics.days == [-1: 1, 0: 2, 1: 1, 3: 1])
    #expect(statistics.depths == [-1: 1, 0: 1, 1: 1, 60: 1])
    #expect(Set(statistics.moments.keys) == [0, 1])
    #expect(statistics.moments[1] == SeismicMoment.moment(ofMagnitude: 5))
    // The first of the strongest.
    #expect(statistics.strongest?.id == "b")
    #expect(EventStatistics(events.reversed()).strongest?.id == "b")
    let sum = 2 * SeismicMoment.moment(ofMagnitude: 5) + SeismicMoment.moment(ofMagnitude: 4)
    #expect(abs(statistics.moment / sum - 1) < 1e-12)
    #expect(EventStatistics.text(ofDay: -1) == "1969-12-31")
    #expect(EventStatistics.text(ofDay: 11_016) == "2000-02-29")
  }

  @Test("Absurd values of a feed are left out")
  func absurd() {
    let statistics = EventStatistics([
      event("a", 1e300, at: 0, depth: 1e300), event("b", .nan, at: 0, depth: .nan),
      event("c", 1, at: 1e15, depth: -.infinity),
    ])
    #expect(statistics.count == 3 && statistics.magnitudes.count == 1)
    #expect(statistics.days == [0: 2] && statistics.depths.isEmpty)
  }

  @Test("The JSON object has every member, also without events")
  func json() throws {
    struct Shown: Decodable, Equatable {
      struct Bin: Decodable, Equatable {
        var magnitude: Double?
        var depth: Int?
        var day: String?
        var moment: Double?
        var count: Int
      }
      var count: Int
      var first: Int?
      var last: Int?
      var earthquakes: Int
      var moment: Double?
      var momentMagnitude: Double?
      var completeness: Double?
      var magnitudes: [Bin]
      var depths: [Bin]
      var days: [Bin]
    }
    func shown(_ events: [Event]) throws -> (Shown, Set<String>) {
      var json = JSONWriter()
      EventStatistics(events).write(to: &json)
      let data = Data(json.bytes)
      let members = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      return (try JSONDecoder().decode(Shown.self, from: data), Set((members ?? [:]).keys))
    }
    let (full, members) = try shown(events)
    #expect(full.count == 5 && full.first == -1 && full.last == 259_200_000)
    #expect(full.completeness == 5.2 && full.momentMagnitude.map { abs($0 - 5.203) < 0.01 } == true)
    #expect(
      full.magnitudes == [.init(magnitude: 4, count: 1), .init(magnitude: 5, count: 2)])
    #expect(full.depths.map(\.depth) == [-10, 0, 10, 600])
    #expect(full.days.map(\.day) == ["1969-12-31", "1970-01-01", "1970-01-02", "1970-01-04"])
    #expect(full.days.first?.moment == 0 && full.days[2].moment.map { $0 > 3e16 } == true)
    let (empty, others) = try shown([])
    #expect(members.count > 9 && members == others && empty.count == 0 && empty.moment == nil)
  }

  @Test("A store's statistics are those of the events that match", arguments: StoreForm.single)
  func store(_ form: StoreForm) throws {
    let store = try TestStore(form).open()
    let context = ModelContext(store.container)
    for index in 0..<5_000 {
      let magnitude = Double(index % 60) / 10
      try context.insert(
        event("nc\(index)", magnitude, at: Double(index) * 3_600, depth: 5), as: Quake.self)
    }
    try context.save()
    let all = try store.statistics(EventQuery(limit: 1, offset: 3))
    #expect(all.count == 5_000 && all.days.count == 209)
    let strong = try store.statistics(EventQuery(minimumMagnitude: 4.5))
    #expect(strong.count == 1_245 && strong.magnitudes.bins.first?.tenths == 45)
  }
}
