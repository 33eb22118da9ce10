import Foundation
import SwiftDataCore
import WireFormats

/// The options for creating and refreshing a local copy.
public struct LocalCopyConfiguration: Sendable {
  /// The name under which the store records the copy; by default, the address of the feed, with the SHA-256 of the
  /// whole address in place of a query, or the path of the file (``FeedSource/identity``). It is in messages, too.
  ///
  /// Copies of other elements of the same document, or as other models, are recorded apart under one name; names of
  /// their own make `ModelContainer.lastGood(ofCopyNamed:)` distinguish them.
  public var name: String?
  /// The age at which the copy becomes stale, five minutes by default; it always is with zero or less.
  public var maximumAge: Duration = .seconds(300)
  /// The options for fetching the feed; the limits on sizes apply to files as well.
  public var http = HTTPConfiguration()
  /// The limits on the document's size and depth.
  public var limits = JSONLimits()
  /// The number of element bytes that are held as models before the store's write transaction
  /// begins; 4 MiB by default. A smaller feed is written after all of it has arrived; a
  /// larger one keeps the transaction open, and other writers waiting, while it arrives.
  public var stagedBytes = 4 << 20
  /// The options for decoding elements.
  public var decoding = JSONDecodingOptions()
  /// A number to change with the code that makes models of elements, or after deleting models of the copy: the next
  /// request then asks for the whole document, also when it hasn't changed since the last one. Other properties of the
  /// model have the same effect.
  public var revision = 0
  /// Inspects the document around the elements before anything is committed; an error that it
  /// throws rejects the document. For feeds that report failures in a successful response.
  public var accept: @Sendable (FeedDocument) throws -> Void = { _ in }

  /// The sorted names of the model's properties; nil when they aren't known.
  var properties: [String]?
  /// The model's entity; nil when it isn't known.
  var entity: String?
  package var clock: any TimeSource = SystemTime()
  package var makeRandom: @Sendable () -> any RandomNumberGenerator = {
    SystemRandomNumberGenerator()
  }

  /// Creates a configuration with the defaults.
  public init() {}

  /// Returns the configuration with the names of a model and its properties.
  func naming<Model: PersistentModel>(_ type: Model.Type) -> LocalCopyConfiguration {
    var named = self
    named.entity = Schema.entityName(for: type)
    named.properties = type.schemaMetadata.map(\.name).sorted()
    return named
  }
}
