import Foundation
import LocalCopy

/// The range of earthquakes that a document of a USGS summary feed lists: those of a time window, from a minimum
/// magnitude or significance. A stored earthquake in the range that the document doesn't list was withdrawn.
/// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php
struct FeedCoverage: Hashable {
  /// The margin at the start of the window, in seconds. Events within it may be missing: a document is created some
  /// seconds before the time that it states.
  static let margin = 120.0

  /// The time that the document states.
  let generated: Date
  /// The start of the window, with the margin.
  let since: Date
  private let level: FeedName.Level

  /// Creates the coverage of a document from its metadata; nil if the metadata doesn't suffice.
  /// - Parameters:
  ///   - document: The document, whose `metadata` contains the feed's address and the time.
  ///   - name: The name of the requested feed, for documents that don't contain their address.
  init?(_ document: FeedDocument, name: String) {
    struct Metadata: Decodable {
      var generated: Double?
      var url: String?
      var count: Int?
    }
    let metadata: Metadata?
    do {
      metadata = try document.decode(Metadata.self, at: "metadata")
    } catch {
      return nil  // Not in the form of a summary feed, so its window is unknown.
    }
    guard let metadata, let milliseconds = metadata.generated, milliseconds > 0,
      milliseconds <= 8.64e15,
      // If an intermediary cut the document short, missing events don't mean anything.
      document.report.received > 0, document.report.received >= metadata.count ?? 0,
      let feed = metadata.url.flatMap(Self.name) ?? FeedName(name)
    else { return nil }
    self.init(feed, generated: Date(timeIntervalSince1970: milliseconds / 1_000))
  }

  /// Creates the coverage of a feed at a time.
  init(_ feed: FeedName, generated: Date) {
    self.generated = generated
    since = generated.addingTimeInterval(Self.margin - feed.window)
    level = feed.level
  }

  /// Returns whether the document would list an earthquake with these values.
  func includes(magnitude: Double?, significance: Int) -> Bool {
    switch level {
    case .all: true
    case .magnitude(let least): (magnitude ?? -100) >= least
    case .significance(let least): significance >= least
    }
  }

  private static func name(_ address: String) -> FeedName? {
    FeedName(URL(string: address)?.deletingPathExtension().lastPathComponent ?? "")
  }
}

extension FeedName {
  /// The minimum strength of a feed's earthquakes.
  enum Level: Hashable {
    case all
    /// The minimum magnitude; `2.5` stands for 2.45, which rounds to it.
    case magnitude(Double)
    /// The minimum significance.
    case significance(Int)
  }

  /// The level that `all`, `4.5` or `significant` stands for.
  var level: Level {
    let text = description.prefix { $0 != "_" }
    if text == "significant" { return .significance(600) }
    return Double(text).map { .magnitude($0 - 0.05) } ?? .all
  }

  /// The length of the time window, in seconds.
  var window: Double {
    switch description.drop(while: { $0 != "_" }).dropFirst() {
    case "hour": 3_600
    case "day": 86_400
    case "week": 7 * 86_400
    default: 30 * 86_400
    }
  }
}
