import Foundation

/// What a refresh has done.
public struct RefreshReport: Sendable, Codable, Hashable {
  /// An element that did not go in, and why.
  public struct Skipped: Sendable, Codable, Hashable {
    /// The position of the element in the feed, counted from zero.
    public let index: Int
    /// The place of the trouble, from the root of the document.
    public let path: JSONPath
    /// What is wrong, safe to show.
    public let reason: String

    /// Makes an entry.
    public init(index: Int, path: JSONPath, reason: String) {
      self.index = index
      self.path = path
      self.reason = reason
    }
  }

  /// The number of skipped elements that are described one by one.
  public static let maximumDetails = 100

  /// Elements of the feed.
  public var received = 0
  /// Elements that are new in the store.
  public var inserted = 0
  /// Elements that were in the store and differed.
  public var updated = 0
  /// Elements that were in the store just so.
  public var unchanged = 0
  /// Elements that the application does not want.
  public var filtered = 0
  /// Elements that are malformed, too large or refused by the application.
  public var skipped = 0
  /// The first skipped elements, at most ``maximumDetails``.
  public var details: [Skipped] = []
  /// Stored models that changed because of the document as a whole (``DocumentReader/conclude(_:)``); nil when
  /// nothing looks at that, and in reports that were kept before it was counted.
  public var concluded: Int?
  /// The size of the body as sent, in bytes.
  public var bytesReceived = 0
  /// The size of the document, in bytes.
  public var bytesDecoded = 0
  /// How long the refresh took, in seconds.
  public var duration = 0.0
  /// Whether the copy is as good as the feed without a transfer: the server said so (304), or no
  /// request was necessary yet.
  public var notModified = false
  /// The number of attempts to read the source; zero when none was necessary.
  public var attempts = 0
  /// What the next request can be made conditional on.
  public var validators = FeedValidators()
  /// The feed, without query.
  public var source = ""
  /// When the refresh began.
  public var startedAt = Date(timeIntervalSince1970: 0)

  /// Makes an empty report.
  public init() {}

  /// Notes an element that did not go in.
  mutating func skip(_ index: Int, _ path: JSONPath, _ reason: String) {
    skipped += 1
    guard details.count < Self.maximumDetails else { return }
    details.append(Skipped(index: index, path: path, reason: reason.printable(limit: 300)))
  }
}

/// How far a refresh is.
public struct RefreshProgress: Sendable, Hashable {
  /// Bytes received, as sent.
  public var bytesReceived: Int
  /// The size of the body as sent, if the sender announced it.
  public var bytesExpected: Int?
  /// Elements read.
  public var elements: Int

  /// Makes progress; by default, none.
  public init(bytesReceived: Int = 0, bytesExpected: Int? = nil, elements: Int = 0) {
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
    self.elements = elements
  }
}
