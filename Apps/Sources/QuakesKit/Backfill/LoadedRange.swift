import Foundation

/// A time range whose events a back-fill has loaded from an event service.
public struct LoadedRange: Hashable, Sendable {
  /// The address of the service.
  public var service: String
  /// The times, in whole seconds since 1970, without the end.
  public var seconds: Range<Int>
  /// The least magnitude that was asked for; nil when all events were.
  public var minimumMagnitude: Double?
  /// The rule for the events that were kept.
  public var rule: MagnitudeRule
  /// The time at which the back-fill began, in whole seconds since 1970; for parts of several ones, the last one's.
  public var loaded: Int

  /// Creates a range.
  public init(
    _ service: EventService, _ seconds: Range<Int>, minimumMagnitude: Double?, rule: MagnitudeRule,
    loaded: Int
  ) {
    self.service = service.description
    self.seconds = seconds
    self.minimumMagnitude = minimumMagnitude
    self.rule = rule
    self.loaded = loaded
  }

  /// The start of the range.
  public var since: Date { Date(timeIntervalSince1970: Double(seconds.lowerBound)) }
  /// The end of the range, which isn't in it.
  public var until: Date { Date(timeIntervalSince1970: Double(seconds.upperBound)) }

  /// The least magnitude of the events that are kept.
  private var threshold: Double {
    let asked = minimumMagnitude ?? -.infinity
    return rule == .all ? asked : max(asked, .leastNonzeroMagnitude)
  }

  /// Whether this range, where it overlaps another one, has all of that one's events: it comes from the same service,
  /// and from a magnitude on that is no greater.
  func includesEvents(of other: LoadedRange) -> Bool {
    service == other.service && threshold <= other.threshold
  }

  /// The time, in seconds, after which services have an earthquake.
  private static let settling = 86_400

  /// The part that a back-fill at a time needn't load again. Services have an earthquake only some time after it, so
  /// the last day before a load counts until a day after the load.
  fileprivate func settled(at now: Int) -> Range<Int> {
    guard now - loaded >= Self.settling else { return seconds }
    let end = min(seconds.upperBound, loaded - Self.settling)
    return seconds.lowerBound..<max(seconds.lowerBound, end)
  }

  /// Whether no part of the range has to be loaded again, at any time.
  private var isSettled: Bool { seconds.upperBound <= loaded - Self.settling }

  /// Whether both ranges touch, and have the same events of their times.
  fileprivate func touches(_ other: LoadedRange) -> Bool {
    service == other.service && minimumMagnitude == other.minimumMagnitude && rule == other.rule
      && seconds.lowerBound <= other.seconds.upperBound
      && other.seconds.lowerBound <= seconds.upperBound
  }

  /// Whether both are parts of what one back-fill loads, or one range tells as much: the part of it that needn't be
  /// loaded again is then that of both.
  fileprivate func continues(_ other: LoadedRange) -> Bool {
    let last = max(loaded, other.loaded)
    return touches(other)
      && [self, other].allSatisfy { $0.loaded == last || $0.isSettled }
  }

  /// Returns the range of both times, as of the later load.
  fileprivate func joined(with other: LoadedRange) -> LoadedRange {
    var joined = self
    joined.seconds =
      min(
        seconds.lowerBound, other.seconds.lowerBound)..<max(
        seconds.upperBound, other.seconds.upperBound)
    joined.loaded = max(loaded, other.loaded)
    return joined
  }
}

extension [LoadedRange] {
  /// Returns the parts of a range that no range covers, in the order of time: at its time ``LoadedRange/loaded``, what
  /// was loaded a day before or earlier lacks its last day.
  func gaps(in wanted: LoadedRange) -> [Range<Int>] {
    var gaps = [wanted.seconds]
    for range in self where range.includesEvents(of: wanted) {
      gaps = gaps.flatMap { $0.without(range.settled(at: wanted.loaded)) }
    }
    return gaps
  }

  /// Adds a range, but for the parts that ranges with more magnitudes have. It replaces what earlier ones have of its
  /// events, and joins the parts of the same back-fill.
  mutating func add(_ range: LoadedRange) {
    var pieces = [range.seconds]
    for other in self where other.includesEvents(of: range) && !range.includesEvents(of: other) {
      pieces = pieces.flatMap { $0.without(other.settled(at: range.loaded)) }
    }
    for seconds in pieces {
      var piece = range
      piece.seconds = seconds
      replace(with: piece)
    }
    self = joining { $0.continues($1) }
  }

  /// The ranges as users are told them, oldest first: those that touch are one, whenever they were loaded.
  public var told: [LoadedRange] { joining { $0.touches($1) } }

  /// Returns the ranges in the order of time, with those that a condition joins as one.
  private func joining(_ condition: (LoadedRange, LoadedRange) -> Bool) -> [LoadedRange] {
    let ordered = sorted {
      ($0.seconds.lowerBound, $0.seconds.upperBound, $0.loaded) < (
        $1.seconds.lowerBound, $1.seconds.upperBound, $1.loaded
      )
    }
    return ordered.reduce(into: []) { joined, range in
      if let position = joined.lastIndex(where: { condition($0, range) }) {
        joined[position] = joined[position].joined(with: range)
      } else {
        joined.append(range)
      }
    }
  }

  /// Adds a range in place of what earlier ones have of its events.
  private mutating func replace(with range: LoadedRange) {
    self = flatMap { other in
      guard !range.touches(other) || range.loaded != other.loaded, range.includesEvents(of: other)
      else { return [other] }
      return other.seconds.without(range.seconds).map {
        var part = other
        part.seconds = $0
        return part
      }
    }
    append(range)
  }
}

extension Range<Int> {
  /// Returns the parts of the range outside of another one.
  fileprivate func without(_ other: Range<Int>) -> [Range<Int>] {
    guard overlaps(other) else { return isEmpty ? [] : [self] }
    let parts = [
      lowerBound..<Swift.max(lowerBound, other.lowerBound),
      Swift.min(upperBound, other.upperBound)..<upperBound,
    ]
    return parts.filter { !$0.isEmpty }
  }
}

// MARK: In the store

extension LoadedRange: Codable {
  private enum CodingKeys: String, CodingKey {
    case service, since, until, minimumMagnitude, rule, loaded
  }

  /// - Throws: `DecodingError`, also for times that are in no calendar.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    service = try values.decode(String.self, forKey: .service)
    let since = try values.decode(Int.self, forKey: .since)
    let until = try values.decode(Int.self, forKey: .until)
    loaded = try values.decode(Int.self, forKey: .loaded)
    guard since < until, [since, until, loaded].allSatisfy(Backfill.times.contains) else {
      throw DecodingError.dataCorruptedError(
        forKey: .until, in: values, debugDescription: "\(since) to \(until) is no range of time")
    }
    seconds = since..<until
    minimumMagnitude = try values.decodeIfPresent(Double.self, forKey: .minimumMagnitude)
    rule = try values.decode(MagnitudeRule.self, forKey: .rule)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(service, forKey: .service)
    try values.encode(seconds.lowerBound, forKey: .since)
    try values.encode(seconds.upperBound, forKey: .until)
    try values.encodeIfPresent(minimumMagnitude, forKey: .minimumMagnitude)
    try values.encode(rule, forKey: .rule)
    try values.encode(loaded, forKey: .loaded)
  }
}
