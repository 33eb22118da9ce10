import Foundation
import Logging

/// How a local copy is made and kept.
public struct LocalCopyConfiguration: Sendable {
  /// The name under which the store remembers the copy; by default, the address of the feed.
  public var name: String?
  /// The age from which on the copy is stale, five minutes by default.
  public var maximumAge: Duration = .seconds(300)
  /// How the feed is fetched; its limits on sizes hold for files as well.
  public var http = HTTPConfiguration()
  /// What the document may cost.
  public var limits = JSONLimits()
  /// How much of a feed is held as models before the store's write transaction begins, counted in
  /// bytes of its elements; 4 MiB by default. A smaller feed is written in one go when all of it
  /// has arrived; during a larger one, other writers wait while it comes.
  public var stagedBytes = 4 << 20
  /// How elements are decoded.
  public var decoding = JSONDecodingOptions()
  /// Looks at the document around the elements before anything is committed; an error that it
  /// throws refuses the document. For feeds that report failures inside of a success.
  public var accept: @Sendable (FeedDocument) throws -> Void = { _ in }
  /// Where to log.
  public var logger = Logger(label: "LocalCopy") { _ in SwiftLogNoOpLogHandler() }

  package var clock: any CopyClock = SystemClock()
  package var makeRandom: @Sendable () -> any RandomNumberGenerator = {
    SystemRandomNumberGenerator()
  }

  /// Makes a configuration with the defaults.
  public init() {}
}
