import Foundation
import LocalCopy
import SwiftData

/// A feed of earthquakes and its local copy in a store.
public struct QuakeFeed: Sendable {
  /// Where events come from.
  public let selection: FeedSelection
  /// Which events are kept.
  public let rule: MagnitudeRule
  /// The copy: refreshes it and tells its state.
  public let copy: LocalCopy<SentFeature, Quake>

  /// Sets a copy up; nothing is loaded yet.
  /// - Parameters:
  ///   - selection: where events come from.
  ///   - store: where they go.
  ///   - rule: which of them are kept.
  ///   - adjust: changes the configuration, for example its time limits.
  /// - Throws: `LocalCopyError` for an address that cannot be used or a store that cannot be read.
  public init(
    _ selection: FeedSelection, into store: QuakeStore, rule: MagnitudeRule,
    adjust: (inout LocalCopyConfiguration) -> Void = { _ in }
  ) throws {
    self.selection = selection
    self.rule = rule
    var configuration = LocalCopyConfiguration()
    // The copies under the two rules are different ones: "not modified" under one says nothing
    // about the events that the other would keep.
    configuration.name = selection.url.absoluteString + (rule == .all ? " (all magnitudes)" : "")
    configuration.accept = { try Self.check($0) }
    configuration.http.userAgent = "quakes (OpenSwiftData)"
    if selection.url.isFileURL {
      // A file is the user's own: it is read piece by piece, so its size costs time and not memory.
      configuration.http.maximumWireBytes = .max
      configuration.http.maximumDecodedBytes = .max
      configuration.http.totalDeadline = .seconds(24 * 3_600)
    }
    adjust(&configuration)
    copy = try LocalCopy(
      of: FeedSource(selection.url), elements: "features", decode: SentFeature.self,
      into: store.container, configuration: configuration
    ) {
      QuakeReader(store, rule: rule, feedName: selection.name)
    }
  }

  /// USGS's event service reports failures as a success whose metadata has another status.
  private static func check(_ document: FeedDocument) throws {
    struct Metadata: Decodable {
      var status: Int?
      var error: String?
    }
    guard let metadata = try document.decode(Metadata.self, at: "metadata"),
      let status = metadata.status, status != 200
    else { return }
    throw QuakesError(
      .feedUnavailable, "status \(status)",
      reason: PlainText.neutralised(metadata.error ?? "the feed reports a failure"))
  }
}
