import Foundation
import LocalCopy
import Logging
import SwiftData

/// A feed of earthquakes and its local copy in a store.
public struct QuakeFeed: Sendable {
  /// The source of the events.
  public let selection: FeedSelection
  /// The rule for the events that are kept.
  public let rule: MagnitudeRule
  /// The copy, which refreshes the events and reports its state.
  public let copy: LocalCopy<SentFeature, Quake>
  let leases: FeedLeases
  let logger: Logger

  /// Creates a copy; nothing is loaded yet.
  /// - Parameters:
  ///   - selection: The source of the events.
  ///   - store: The store that keeps them.
  ///   - rule: The rule for the events that are kept.
  ///   - logger: The logger for failures of the feed's lease; by default, nobody gets them.
  ///   - adjust: Changes the configuration, for example its time limits.
  /// - Throws: `LocalCopyError` for an address that cannot be used or a store that cannot be read.
  public init(
    _ selection: FeedSelection, into store: QuakeStore, rule: MagnitudeRule,
    logger: Logger = Self.silence, adjust: (inout LocalCopyConfiguration) -> Void = { _ in }
  ) throws {
    try self.init(
      selection, into: store, rule: rule, timing: FeedLeases.Timing(), logger: logger,
      adjust: adjust)
  }

  /// A logger that discards everything.
  public static var silence: Logger { Logger(label: "quakes") { _ in SwiftLogNoOpLogHandler() } }

  /// - Parameter timing: The times of the feed's lease.
  init(
    _ selection: FeedSelection, into store: QuakeStore, rule: MagnitudeRule,
    timing: FeedLeases.Timing, logger: Logger = Self.silence,
    adjust: (inout LocalCopyConfiguration) -> Void = { _ in }
  ) throws {
    self.selection = selection
    self.rule = rule
    var configuration = LocalCopyConfiguration()
    // Each rule has its own copy: "not modified" for one rule doesn't mean that the events of the
    // other rule are stored.
    let source = try FeedSource(selection.url)
    let address = selection.url.absoluteString + rule.nameSuffix
    // A query may have a key, which neither the store nor a message gets.
    let name = selection.isFile ? address : source.identity + rule.nameSuffix
    configuration.name = name
    configuration.accept = { try Self.check($0) }
    configuration.http.userAgent = "quakes (OpenSwiftData)"
    if selection.url.isFileURL {
      // A file is the user's own. It is read in pieces, so its size costs time and not memory.
      configuration.http.maximumWireBytes = .max
      configuration.http.maximumDecodedBytes = .max
      configuration.http.totalDeadline = .seconds(24 * 3_600)
    }
    adjust(&configuration)
    self.logger = logger
    leases = FeedLeases(
      of: name, formerly: name == address ? nil : address, in: store.container, timing: timing,
      logger: logger)
    copy = try LocalCopy(
      of: source, elements: "features", decode: SentFeature.self,
      into: store.container, configuration: configuration
    ) {
      QuakeReader(store, rule: rule, feedName: selection.name)
    }
  }

  /// Checks the status in the metadata: USGS's event service reports failures as a successful
  /// response with another status there.
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
