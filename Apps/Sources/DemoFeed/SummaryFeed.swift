/// One of the twenty USGS summary feeds: a level of magnitude and a window of time.
/// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php
public struct SummaryFeed: Hashable, Sendable {
  /// The minimum strength of the events in the feed.
  public enum Level: String, CaseIterable, Sendable {
    case significant
    case m45 = "4.5"
    case m25 = "2.5"
    case m10 = "1.0"
    case all

    /// Applies the same thresholds as the real feeds, in hundredths: `2.5` means 2.45 and more.
    func admits(_ event: SyntheticEvent) -> Bool {
      switch self {
      case .significant: event.significance >= 600
      case .m45: (event.magnitude ?? .min) >= 445
      case .m25: (event.magnitude ?? .min) >= 245
      case .m10: (event.magnitude ?? .min) >= 95
      case .all: true
      }
    }

    var title: String {
      switch self {
      case .significant: "Significant"
      case .all: "All"
      default: "Magnitude \(rawValue)+"
      }
    }
  }

  /// The time span of the feed.
  public enum Window: String, CaseIterable, Sendable {
    case hour, day, week, month

    var title: String {
      switch self {
      case .hour: "Hour"
      case .day: "Day"
      case .week: "Week"
      case .month: "Month"
      }
    }

    /// The window's length in milliseconds.
    var milliseconds: Int {
      switch self {
      case .hour: 3_600_000
      case .day: 86_400_000
      case .week: 7 * 86_400_000
      case .month: 30 * 86_400_000
      }
    }
  }

  /// The level of magnitude.
  public let level: Level
  /// The window of time.
  public let window: Window

  /// Creates the feed with the given level and window.
  public init(level: Level, window: Window) {
    self.level = level
    self.window = window
  }

  /// Creates the feed with a name such as `all_day`; `nil` when there is none.
  public init?(name: some StringProtocol) {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let level = Level(rawValue: String(parts[0])),
      let window = Window(rawValue: String(parts[1]))
    else { return nil }
    self.init(level: level, window: window)
  }

  /// The feed's name, for example `significant_month`.
  public var name: String { level.rawValue + "_" + window.rawValue }

  /// The path on the server, the same as on earthquake.usgs.gov.
  public var path: String { Self.folder + name + ".geojson" }

  /// The folder of all summary feeds.
  public static let folder = "/earthquakes/feed/v1.0/summary/"

  /// All twenty feeds.
  public static let allFeeds = Level.allCases.flatMap { level in
    Window.allCases.map { SummaryFeed(level: level, window: $0) }
  }

  /// The title in the feed's metadata.
  var title: String { "USGS \(level.title) Earthquakes, Past \(window.title)" }
}
