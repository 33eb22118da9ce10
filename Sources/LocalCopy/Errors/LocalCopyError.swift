import Foundation

/// What went wrong while a feed was made into a local copy: what, where and what to do.
///
/// Whatever the code, nothing has changed in the store: the previous copy stands whole.
public struct LocalCopyError: Error, Sendable, Hashable, Codable {
  /// The kind of failure. The set is open: handle unknown codes like a failed refresh.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable {
    /// The stable name of the code, fit for logs and for scripts.
    public let rawValue: String

    /// Makes a code of its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, in one sentence safe to show to a person.
  public var reason: String
  /// What the person can do about it.
  public var advice: String
  /// The feed, without user name, password and query.
  public var source: String?
  /// The place in the decoded document, in bytes from its start.
  public var byteOffset: Int?
  /// The place in the document's structure.
  public var path: JSONPath?
  /// The HTTP status of the answer that was refused.
  public var httpStatus: Int?
  /// The pause that the server asked for, in seconds.
  public var retryAfter: Double?
  /// Details for developers, such as the error of a lower layer.
  public var underlying: String?

  /// Makes an error of its facts.
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - reason: what happened, in one sentence safe to show.
  ///   - advice: what the person can do about it.
  public init(_ code: Code, reason: String, advice: String) {
    self.code = code
    self.reason = reason
    self.advice = advice
  }
}

extension LocalCopyError.Code {
  /// The text is not JSON as RFC 8259 defines it.
  public static let malformedDocument = Self(rawValue: "malformed-document")
  /// The document is something else: JSONP, CSV, HTML, XML, an archive.
  public static let notJSON = Self(rawValue: "not-json")
  /// The document ends before it is complete.
  public static let truncated = Self(rawValue: "truncated")
  /// The document is JSON, but the array of elements is not where it should be.
  public static let elementsNotFound = Self(rawValue: "elements-not-found")
  /// A limit on size, depth or ratio was exceeded.
  public static let limitExceeded = Self(rawValue: "limit-exceeded")
  /// The body does not inflate.
  public static let compressionInvalid = Self(rawValue: "compression-invalid")
  /// The server answered with a status that is no success.
  public static let httpStatus = Self(rawValue: "http-status")
  /// The server asked to come back later than the policy waits.
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
  /// The store refused to begin, to write or to commit.
  public static let storeFailed = Self(rawValue: "store-failed")
  /// What the store remembers of the copy can't be read.
  public static let stateUnreadable = Self(rawValue: "state-unreadable")
}

extension LocalCopyError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
  /// What, where and what to do, in one line that is safe to show.
  public var description: String {
    var places: [String] = []
    if let source { places.append(source) }
    if let path { places.append("at \(path)") }
    if let byteOffset { places.append("byte \(byteOffset)") }
    let place = places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
    return "\(reason)\(place). \(advice)"
  }

  /// The description with code and lower-layer details, for logs.
  public var debugDescription: String {
    "[\(code.rawValue)] \(description)" + (underlying.map { " [\($0)]" } ?? "")
  }

  /// The description, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension LocalCopyError {
  /// The same error with the feed named.
  package func naming(_ source: String) -> LocalCopyError {
    var error = self
    error.source = error.source ?? source
    return error
  }

  /// The same error with the lower layer's error attached.
  package func causedBy(_ cause: any Error) -> LocalCopyError {
    var error = self
    error.underlying = String(describing: cause)
    return error
  }
}
