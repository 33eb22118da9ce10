import Foundation
import LocalCopy

/// The earthquakes that a document of a USGS summary feed would list if they stood: those of a time window, from a
/// magnitude or a significance on. One that is stored, belongs there and is missing was withdrawn.
/// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php
struct FeedCoverage: Hashable {
  /// How much later than the window's calculated beginning an event still may be left out, in seconds: a document is
  /// put together some seconds before the moment that it names.
  static let margin = 120.0

  /// The moment of the document.
  let generated: Date
  /// The first moment of the window, with the margin.
  let since: Date
  private let level: FeedName.Level

  /// What a document says about itself; nil when it doesn't say enough.
  /// - Parameters:
  ///   - document: the document, whose `metadata` names the feed's address and the moment.
  ///   - name: the name that the feed was asked for, for documents that don't say their address.
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
      return nil  // Of another form than a summary feed's, so it says nothing of a window.
    }
    guard let metadata, let milliseconds = metadata.generated, milliseconds > 0,
      milliseconds <= 8.64e15,
      // Cut short by somebody between here and the network: what is missing says nothing.
      document.report.received > 0, document.report.received >= metadata.count ?? 0,
      let feed = metadata.url.flatMap(Self.name) ?? FeedName(name)
    else { return nil }
    self.init(feed, generated: Date(timeIntervalSince1970: milliseconds / 1_000))
  }

  /// What a feed covers at a moment.
  init(_ feed: FeedName, generated: Date) {
    self.generated = generated
    since = generated.addingTimeInterval(Self.margin - feed.window)
    level = feed.level
  }

  /// Whether an earthquake with these values would be listed.
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
  /// The earthquakes of a feed by strength.
  enum Level: Hashable {
    case all
    /// From a magnitude on; `2.5` means 2.45, which rounds to it.
    case magnitude(Double)
    /// From a significance on.
    case significance(Int)
  }

  /// What `all`, `4.5` or `significant` means.
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
