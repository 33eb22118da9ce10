import Foundation
import WireFormats

/// Statistics of events: their number by day, the distribution of their magnitudes and depths, and their moment.
///
/// Days and depths are those of all events. Magnitudes and the moment are those of earthquakes only: explosions and
/// quarry blasts don't follow the laws of earthquakes.
public struct EventStatistics: Hashable, Sendable {
  /// The height of a bin of depths, in kilometres.
  public static let depthBin = 10

  /// The number of events.
  public private(set) var count = 0
  /// The time of the first event.
  public private(set) var first: Date?
  /// The time of the last event.
  public private(set) var last: Date?
  /// The numbers of events by day, in days of UTC since 1970-01-01. Days without events are left out.
  public private(set) var days: [Int: Int] = [:]
  /// The sums of the earthquakes' moments by day, in newton metres. Days without earthquakes are left out.
  public private(set) var moments: [Int: Double] = [:]
  /// The numbers of events by depth, in tens of kilometres below sea level, rounded down. Empty bins are left out, and
  /// so are events without a depth.
  public private(set) var depths: [Int: Int] = [:]
  /// The magnitudes of earthquakes.
  public private(set) var magnitudes = MagnitudeDistribution()
  /// The sum of the earthquakes' moments, in newton metres.
  public private(set) var moment = 0.0
  /// The strongest earthquake; the first of several.
  public private(set) var strongest: Event?

  /// Creates the statistics of no events.
  public init() {}

  /// Creates the statistics of events.
  public init(_ events: some Sequence<Event>) {
    for event in events { add(event) }
  }

  /// Adds an event.
  public mutating func add(_ event: Event) {
    count += 1
    first = min(first ?? event.time, event.time)
    last = max(last ?? event.time, event.time)
    let day = Self.bin(event.time.timeIntervalSince1970, 86_400)
    if let day { days[day, default: 0] += 1 }
    if let bin = event.depth.flatMap({ Self.bin($0, Double(Self.depthBin)) }) {
      depths[bin, default: 0] += 1
    }
    guard event.type == "earthquake", let magnitude = event.magnitude,
      magnitudes.add(magnitude)
    else { return }
    let released = SeismicMoment.moment(ofMagnitude: magnitude)
    moment += released
    if let day { moments[day, default: 0] += released }
    if isStronger(event, magnitude) { strongest = event }
  }

  /// The bin of a value; nil for one that is absurd.
  private static func bin(_ value: Double, _ width: Double) -> Int? {
    let bin = (value / width).rounded(.down)
    // Also nil for NaN, and for the least Int, which has no absolute value.
    return abs(bin) < 10_000_000 ? Int(bin) : nil
  }

  private func isStronger(_ event: Event, _ magnitude: Double) -> Bool {
    guard let strongest, let other = strongest.magnitude else { return true }
    return (magnitude, strongest.time) > (other, event.time)
  }

  /// The magnitude of one earthquake with all of the moment; nil without earthquakes.
  public var momentMagnitude: Double? { SeismicMoment.magnitude(ofMoment: moment) }

  /// Returns `2026-01-31` for a day of ``days``.
  public static func text(ofDay day: Int) -> String {
    String(Timestamp.iso8601(day * 86_400_000).prefix { $0 != "T" })
  }
}

extension EventStatistics {
  /// Appends the statistics as the API's JSON object. Undetermined values are `null`, never omitted.
  public func write(to json: inout JSONWriter) {
    json.raw("{")
    json.member("count")
    json.integer(count)
    json.member("first")
    json.time(first)
    json.member("last")
    json.time(last)
    json.member("earthquakes")
    json.integer(magnitudes.count)
    json.member("strongest")
    if let strongest { strongest.write(to: &json) } else { json.raw("null") }
    json.member("moment")
    json.number(momentMagnitude == nil ? nil : moment)
    json.member("momentMagnitude")
    json.number(momentMagnitude)
    json.member("completeness")
    json.decimal(magnitudes.completeness, places: 1)
    writeLaw(to: &json)
    writeBins(to: &json)
    json.raw("}")
  }

  private func writeLaw(to json: inout JSONWriter) {
    json.member("law")
    guard let law = magnitudes.law else { return json.raw("null") }
    json.raw("{")
    json.member("completeness")
    json.decimal(law.completeness, places: 1)
    json.member("count")
    json.integer(law.count)
    json.member("a")
    json.number(law.a)
    json.member("b")
    json.number(law.b)
    json.member("error")
    json.number(law.error)
    json.raw("}")
  }

  private func writeBins(to json: inout JSONWriter) {
    json.member("magnitudes")
    Self.write(magnitudes.counts, to: &json) { json, bin in
      json.member("magnitude")
      json.decimal(bin, places: 1)
    }
    json.member("depths")
    Self.write(depths, to: &json) { json, bin in
      json.member("depth")
      json.integer(bin * Self.depthBin)
    }
    json.member("days")
    Self.write(days, to: &json) { json, day in
      json.member("day")
      json.string(Self.text(ofDay: day))
      json.member("moment")
      json.number(moments[day] ?? 0)
    }
  }

  private static func write(
    _ bins: [Int: Int], to json: inout JSONWriter, _ members: (inout JSONWriter, Int) -> Void
  ) {
    json.raw("[")
    for (position, bin) in bins.sorted(by: { $0.key < $1.key }).enumerated() {
      json.raw(position == 0 ? "{" : ",{")
      members(&json, bin.key)
      json.member("count")
      json.integer(bin.value)
      json.raw("}")
    }
    json.raw("]")
  }
}

extension QuakeStore {
  /// Returns the statistics of the events that match a query, whatever its order, limit and offset.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func statistics(_ query: EventQuery) throws -> EventStatistics {
    var statistics = EventStatistics()
    try forEachEvent(query) { statistics.add($0) }
    return statistics
  }
}
