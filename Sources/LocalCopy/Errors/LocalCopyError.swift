import Foundation

/// A failure of a feed's import into a local copy: the problem, its place and the remedy.
///
/// With every code, the store hasn't changed: the previous copy remains complete.
public struct LocalCopyError: Error, Sendable, Hashable, Codable {
  /// The kind of failure. The set is open: handle unknown codes like a failed refresh.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable {
    /// The stable name of the code, suitable for logs and scripts.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// The problem, in one sentence that is safe to show to a person.
  public var reason: String
  /// The action that the person can take.
  public var advice: String
  /// The feed, without user name, password and query.
  public var source: String?
  /// The place in the decoded document, in bytes from its start.
  public var byteOffset: Int?
  /// The place in the document's structure.
  public var path: JSONPath?
  /// The HTTP status of the rejected response.
  public var httpStatus: Int?
  /// The beginning of the text that the server sent with the rejected status, at most 2,000 characters; nil when it
  /// sent none or something other than plain text or JSON. It is the server's own: make it safe before showing it.
  public var answer: String?
  /// The pause that the server requested, in seconds.
  public var retryAfter: Double?
  /// Details for developers, such as the error of an underlying layer.
  public var underlying: String?

  /// Creates an error.
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - reason: the problem, in one sentence that is safe to show.
  ///   - advice: the action that the person can take.
  public init(_ code: Code, reason: String, advice: String) {
    self.code = code
    self.reason = reason
    self.advice = advice
  }
}

extension LocalCopyError.Code {
  /// The text is not JSON as RFC 8259 defines it.
  public static let malformedDocument = Self(rawValue: "malformed-document")
  /// The document has another format: JSONP, CSV, HTML, XML, an archive.
  public static let notJSON = Self(rawValue: "not-json")
  /// The document ends before it is complete.
  public static let truncated = Self(rawValue: "truncated")
  /// The document is JSON, but the array of elements is not at its path.
  public static let elementsNotFound = Self(rawValue: "elements-not-found")
  /// A limit on size, depth or ratio was exceeded.
  public static let limitExceeded = Self(rawValue: "limit-exceeded")
  /// The body does not inflate.
  public static let compressionInvalid = Self(rawValue: "compression-invalid")
  /// The server responded with an unsuccessful status.
  public static let httpStatus = Self(rawValue: "http-status")
  /// The server asked for a longer pause than the policy allows.
  public static let throttled = Self(rawValue: "throttled")
  /// No connection, or the connection broke.
  public static let connectionFailed = Self(rawValue: "connection-failed")
  /// The total deadline passed.
  public static let timedOut = Self(rawValue: "timed-out")
  /// A redirect was refused: loop, downgrade, foreign scheme or host.
  public static let redirectRefused = Self(rawValue: "redirect-refused")
  /// The file can't be read.
  public static let fileUnreadable = Self(rawValue: "file-unreadable")
  /// The source is neither an http(s) URL nor a file.
  public static let invalidSource = Self(rawValue: "invalid-source")
  /// The application refused the document.
  public static let refusedDocument = Self(rawValue: "refused-document")
  /// A ``DocumentReader`` returned metadata under a key that begins with `LocalCopy.`, as the records of copies do.
  public static let reservedKey = Self(rawValue: "reserved-key")
  /// The model of a copy has no unique attribute, by which elements and stored models are matched.
  public static let modelNotUnique = Self(rawValue: "model-not-unique")
  /// The store failed to begin, to write or to commit a transaction.
  public static let storeFailed = Self(rawValue: "store-failed")
  /// The store's record of the copy can't be read.
  public static let stateUnreadable = Self(rawValue: "state-unreadable")
}

extension LocalCopyError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
  /// The problem, its place and the remedy, in one line that is safe to show.
  public var description: String {
    var places: [String] = []
    if let source { places.append(source) }
    if let path { places.append("at \(path)") }
    if let byteOffset { places.append("byte \(byteOffset)") }
    let place = places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
    return "\(reason)\(place). \(advice)"
  }

  /// The description with the code and details of underlying layers, for logs.
  public var debugDescription: String {
    "[\(code.rawValue)] \(description)" + (underlying.map { " [\($0)]" } ?? "")
  }

  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension LocalCopyError {
  /// Returns the error with the name of the feed.
  package func naming(_ source: String) -> LocalCopyError {
    var error = self
    error.source = error.source ?? source
    return error
  }

  /// Returns the error with the underlying error attached.
  package func causedBy(_ cause: any Error) -> LocalCopyError {
    var error = self
    error.underlying = String(describing: cause)
    return error
  }
}
