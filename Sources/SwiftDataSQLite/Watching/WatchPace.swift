/// When a watcher looks next.
///
/// The system reports a write to the log before the commit that it belongs to can be seen: the log is flushed to disk
/// in between. So after an event the watcher looks at once and then again and again, at growing distances, until there
/// was quiet for as long as a slow disk takes. Without events it looks now and then all the same, for file systems that
/// report nothing of what other machines or programs do.
struct WatchPace {
  /// Nanoseconds.
  typealias Time = UInt64

  /// Whether the system reports writes at all.
  var hasEvents: Bool
  private var lastEvent: Time?
  private var pause = Self.shortest

  init(hasEvents: Bool) { self.hasEvents = hasEvents }

  static let shortest: Time = 1_000_000
  /// The distance of looks where nothing is reported, and the longest one after an event.
  static let longest: Time = 20_000_000
  /// How long after the last event a commit may become visible.
  static let quiet: Time = 2_000_000_000
  /// The distance of looks when nothing was reported.
  static let idle: Time = 1_000_000_000

  /// Something was written.
  mutating func noteEvent(at time: Time) {
    lastEvent = time
    pause = Self.shortest
  }

  /// The pause before the next look.
  mutating func next(at time: Time) -> Time {
    guard hasEvents else { return Self.longest }
    guard let lastEvent, time < lastEvent + Self.quiet else { return Self.idle }
    defer { pause = min(2 * pause, Self.longest) }
    return pause
  }
}
