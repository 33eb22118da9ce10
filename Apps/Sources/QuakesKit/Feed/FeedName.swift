import Foundation

/// The name of a USGS summary feed, such as `all_day` or `significant_month`.
/// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php
public struct FeedName: Hashable, Sendable, CustomStringConvertible {
  private static let levels = ["significant", "4.5", "2.5", "1.0", "all"]
  private static let windows = ["hour", "day", "week", "month"]

  /// The name, for example `all_day`.
  public let description: String

  /// Creates the name in `text`; `nil` when there is no such feed.
  public init?(_ text: some StringProtocol) {
    let parts = text.lowercased().split(separator: "_", omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 2, Self.levels.contains(parts[0]), Self.windows.contains(parts[1]) else {
      return nil
    }
    description = parts.joined(separator: "_")
  }

  private init(known name: String) { description = name }

  /// All events of the past day: the default feed.
  public static let allDay = FeedName(known: "all_day")

  /// The twenty names, those of the most selective levels first.
  public static let allNames = levels.flatMap { level in
    windows.map { FeedName(known: "\(level)_\($0)") }
  }

  /// The address at which USGS serves the feed.
  public var url: URL {
    var components = URLComponents()
    components.scheme = "https"
    components.host = "earthquake.usgs.gov"
    components.path = "/earthquakes/feed/v1.0/summary/\(description).geojson"
    // A scheme, a host and a plain path always make a URL; the file URL is never used.
    return components.url ?? URL(fileURLWithPath: components.path)
  }
}
