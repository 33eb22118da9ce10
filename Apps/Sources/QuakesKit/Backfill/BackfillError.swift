import Foundation
import LocalCopy

/// A failure of a back-fill, which ends it. The parts that were loaded before are kept, and the next back-fill
/// continues after them.
public struct BackfillError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// The service refuses a part for the number of its events (400), even if it is a second long.
    public static let tooManyEvents = Code(name: "too many events")
    /// The service refuses a part for the size of its answer (413), even if it is a second long.
    public static let tooLarge = Code(name: "too large")
    /// The service refuses the request for another reason (400).
    public static let badRequest = Code(name: "bad request")
    /// There is no service at the address (404 or 410).
    public static let notFound = Code(name: "not found")
    /// The service refuses the request with another status, such as 403.
    public static let refused = Code(name: "refused")
    /// The service is busy (429 or 503), also after a few attempts, or asks for a longer pause than is waited.
    public static let busy = Code(name: "busy")
    /// The service fails (500 and above) or cannot be reached, also after a few attempts.
    public static let unavailable = Code(name: "unavailable")
    /// The answer ends before it is complete, also after a few attempts.
    public static let truncated = Code(name: "truncated")
    /// The answer is not a GeoJSON document with events.
    public static let malformed = Code(name: "malformed")
  }

  /// The kind of failure.
  public let code: Code
  /// The part that failed, in seconds since 1970, without the end.
  public let seconds: Range<Int>
  /// The problem, and what the service says about it; safe to show.
  public let reason: String
  /// The HTTP status of the answer, if there was one.
  public var httpStatus: Int?
  /// The pause that the service asked for, in seconds.
  public var retryAfter: Double?

  init(_ code: Code, _ seconds: Range<Int>, reason: String) {
    self.code = code
    self.seconds = seconds
    self.reason = reason
  }

  public var description: String {
    let (start, end) = (
      EventService.text(seconds.lowerBound), EventService.text(seconds.upperBound)
    )
    return "the events from \(start)Z to \(end)Z: \(reason)"
      + "; what was loaded before is kept, and the next back-fill continues there"
  }
}

extension BackfillError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

// MARK: Failures of a request

extension BackfillError {
  /// Creates the error for a failed request of a part; nil when the error isn't about the service, such as one of the
  /// store.
  init?(_ error: LocalCopyError, _ seconds: Range<Int>) {
    guard let code = Self.code(error) else { return nil }
    // Many servers answer with the status's own name.
    let said =
      error.answer.map { PlainText.neutralised(Self.summary($0)) }
      .flatMap { $0.isEmpty || error.reason.hasSuffix($0) ? nil : ": " + $0 } ?? ""
    // Which server it is can't be told from the feed, which has another one.
    let place =
      [.connectionFailed, .timedOut].contains(error.code)
      ? error.source.map { " (\($0))" } ?? "" : ""
    self.init(code, seconds, reason: error.reason + said + place)
    httpStatus = error.httpStatus
    retryAfter = error.retryAfter
  }

  /// Creates the error for a document that reports a failure itself.
  init(status: Int, _ text: String?, _ seconds: Range<Int>) {
    let text =
      text.map { PlainText.neutralised(Self.summary($0)) } ?? "the service reports a failure"
    self.init(
      Self.code(status: status, text), seconds, reason: "status \(status) in the answer: \(text)")
    httpStatus = status
  }

  /// Whether a shorter part may succeed.
  var asksForLess: Bool { code == .tooManyEvents || code == .tooLarge }

  /// Whether the same request may succeed later.
  var isTransient: Bool { [.busy, .unavailable, .truncated].contains(code) }

  private static func code(_ error: LocalCopyError) -> Code? {
    switch error.code {
    case .httpStatus, .throttled: code(status: error.httpStatus ?? 0, error.answer ?? "")
    case .connectionFailed, .timedOut: .unavailable
    case .redirectRefused: .refused
    case .truncated: .truncated
    case .malformedDocument, .notJSON, .elementsNotFound, .limitExceeded, .compressionInvalid:
      .malformed
    default: nil
    }
  }

  private static func code(status: Int, _ text: String) -> Code {
    switch status {
    // "23842 matching events exceeds search limit of 20000."
    case 400 where text.contains("exceeds") && text.contains("limit"): .tooManyEvents
    case 400: .badRequest
    case 404, 410: .notFound
    case 413: .tooLarge
    case 429, 503: .busy
    case 408, 425, 500...: .unavailable
    default: .refused
    }
  }

  /// Returns the sentence of a refusal: its first line after the heading "Error 400: Bad Request".
  private static func summary(_ text: String) -> String {
    let lines = text.split(whereSeparator: \.isNewline).map {
      $0.trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty }
    let line = lines.first { !$0.hasPrefix("Error ") } ?? lines.first ?? ""
    return String(line.prefix(300))
  }
}
