import Foundation

/// The result of a refresh.
public struct RefreshReport: Sendable, Codable, Hashable {
  /// A skipped element, with the reason.
  public struct Skipped: Sendable, Codable, Hashable {
    /// The index of the element in the feed, counted from zero.
    public let index: Int
    /// The path of the error, from the root of the document; keys of more than 256 bytes are shortened, as are paths of
    /// more than 64 steps or 1,024 bytes.
    public let path: JSONPath
    /// The description of the error, safe to show.
    public let reason: String

    /// Creates an entry.
    public init(index: Int, path: JSONPath, reason: String) {
      self.index = index
      self.path = path
      self.reason = reason
    }
  }

  /// The maximum number of skipped elements that are described individually.
  public static let maximumDetails = 100

  /// The number of elements in the feed.
  public var received = 0
  /// The number of elements that were new in the store.
  public var inserted = 0
  /// The number of elements that were in the store and differed.
  public var updated = 0
  /// The number of elements that were already in the store without a difference.
  public var unchanged = 0
  /// The number of elements that the application left out.
  public var filtered = 0
  /// The number of elements that are malformed, too large or rejected by the application.
  public var skipped = 0
  /// The first skipped elements, at most ``maximumDetails``.
  public var details: [Skipped] = []
  /// The number of stored models that changed because of the document as a whole (``DocumentReader/conclude(_:)``); nil
  /// without a document reader, and in reports that were stored before this count existed.
  public var concluded: Int?
  /// The size of the body as sent, in bytes.
  public var bytesReceived = 0
  /// The size of the document, in bytes.
  public var bytesDecoded = 0
  /// The duration of the refresh, in seconds.
  public var duration = 0.0
  /// Whether the copy matches the feed without a transfer: the server reported it (304), or no request was necessary
  /// yet.
  public var notModified = false
  /// The number of attempts to read the source; zero when no attempt was necessary.
  public var attempts = 0
  /// The validators that can make the next request conditional.
  public var validators = FeedValidators()
  /// The feed, without query.
  public var source = ""
  /// The time at which the refresh began.
  public var startedAt = Date(timeIntervalSince1970: 0)

  /// Creates an empty report.
  public init() {}

  /// Records a skipped element.
  mutating func skip(_ index: Int, _ path: JSONPath, _ reason: String) {
    skipped += 1
    guard details.count < Self.maximumDetails else { return }
    details.append(
      Skipped(index: index, path: path.shortened, reason: reason.printable(limit: 300)))
  }
}

/// The progress of a refresh.
public struct RefreshProgress: Sendable, Hashable {
  /// The number of bytes received, as sent.
  public var bytesReceived: Int
  /// The size of the body as sent, if the sender declared it.
  public var bytesExpected: Int?
  /// The number of elements read.
  public var elements: Int

  /// Creates a progress value; all counts are zero by default.
  public init(bytesReceived: Int = 0, bytesExpected: Int? = nil, elements: Int = 0) {
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
    self.elements = elements
  }
}
