import Foundation
import QuakesKit
import Testing

/// Numbers that another program wrote into the store, or that a damaged file has.
@Suite("Events with numbers of any size")
struct ExtremeNumberTests {
  private static let reals = [
    Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude, -1e300, 9_223_372_036_854_775_808,
  ]
  private static let dates = reals.map { Date(timeIntervalSinceReferenceDate: $0) }

  /// The event with each of its numbers replaced, one at a time.
  private static var events: [Event] {
    func changed<Value>(
      _ properties: [WritableKeyPath<Event, Value>], _ values: [Value]
    ) -> [Event] {
      properties.flatMap { property in
        values.map { value in
          var event = EventFormatTests.event("a")
          event[keyPath: property] = value
          return event
        }
      }
    }
    return changed([\.time, \.updated], dates) + changed([\.withdrawn], dates.map(Optional.init))
      + changed([\.longitude, \.latitude], reals)
      + changed(
        [
          \.magnitude, \.depth, \.reportedIntensity, \.estimatedIntensity, \.nearestStation,
          \.residual, \.gap,
        ], reals.map(Optional.init))
      + changed([\.significance], [.max, .min])
      + changed([\.felt, \.timeZone, \.stations], [Int.max, Int.min])
  }

  @Test("are written in each format", arguments: EventFormat.allCases)
  func formats(_ format: EventFormat) {
    for event in Self.events { #expect(!format.document([event]).isEmpty) }
  }

  @Test("are counted")
  func statistics() {
    let statistics = EventStatistics(Self.events)
    #expect(statistics.count == Self.events.count)
    for event in Self.events { #expect(EventStatistics([event, event]).count == 2) }
  }

  @Test("are counted at the least whole number of a chart's bins, too")
  func leastBin() {
    var event = EventFormatTests.event("a")
    event.depth = Double(Int.min) * Double(EventStatistics.depthBin)
    let statistics = EventStatistics([event])
    #expect(statistics.count == 1 && statistics.depths.isEmpty)
  }

  @Test("have a first and a last time")
  func times() {
    #expect(Timestamp.iso8601(.init(timeIntervalSince1970: .infinity)).hasPrefix("+275760-09-13"))
    #expect(Timestamp.iso8601(.init(timeIntervalSince1970: -1e300)).hasPrefix("-271821-04-20"))
    #expect(Timestamp.iso8601(.init(timeIntervalSince1970: .nan)) == "1970-01-01T00:00:00.000Z")
  }
}
