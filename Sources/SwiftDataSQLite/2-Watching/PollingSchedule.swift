/// Determines when a watcher checks next.
///
/// The system reports a write to the log before the commit that it belongs to becomes visible: the log is flushed to
/// disk in between. So after an event the watcher checks immediately and then repeatedly, at growing intervals, until
/// no event has come for as long as a slow disk takes. Without events it still checks from time to time, for file
/// systems that don't report changes by other machines or programs.
struct PollingSchedule {
  /// A time in nanoseconds.
  typealias Time = UInt64

  /// Whether the system reports writes at all.
  var hasEvents: Bool
  private var lastEvent: Time?
  private var pause = Self.shortestInterval

  init(hasEvents: Bool) { self.hasEvents = hasEvents }

  static let shortestInterval: Time = 1_000_000
  /// The interval of checks where the system reports nothing, and the longest one after an event.
  static let longestInterval: Time = 20_000_000
  /// The time after the last event within which a commit may become visible.
  static let settlingTime: Time = 2_000_000_000
  /// The interval of checks when no event was reported.
  static let idleInterval: Time = 1_000_000_000

  /// Records a write.
  mutating func recordEvent(at time: Time) {
    lastEvent = time
    pause = Self.shortestInterval
  }

  /// The pause before the next check.
  mutating func next(at time: Time) -> Time {
    guard hasEvents else { return Self.longestInterval }
    guard let lastEvent, time < lastEvent + Self.settlingTime else { return Self.idleInterval }
    defer { pause = min(2 * pause, Self.longestInterval) }
    return pause
  }
}
