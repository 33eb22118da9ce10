import Foundation
import LocalCopy

/// A failure to load the details of an event. Details kept before stay.
public struct DetailsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    /// The name in the API.
    public let name: String

    /// The feed names no detail document for the event.
    public static let noAddress = Code(name: "no_details")
    /// They are not kept, and were not to be loaded.
    public static let notLoaded = Code(name: "details_not_loaded")
    /// The feed names an address that isn't its own server's.
    public static let addressRefused = Code(name: "details_address_refused")
    /// The server has no such document (404, 409 for deleted events, or 410).
    public static let gone = Code(name: "details_gone")
    /// The server cannot be reached.
    public static let unreachable = Code(name: "details_unreachable")
    /// The document did not arrive in time.
    public static let timedOut = Code(name: "details_timed_out")
    /// The server asks to come back later, or too many details are being loaded.
    public static let busy = Code(name: "details_busy")
    /// The server answers with another error.
    public static let refused = Code(name: "details_refused")
    /// The document is larger than allowed.
    public static let tooLarge = Code(name: "details_too_large")
    /// The document is cut off, no JSON, or no details of the event.
    public static let malformed = Code(name: "details_malformed")
  }

  /// The kind of failure.
  public let code: Code
  /// The event's identifier.
  public let event: String
  /// The server, the problem, and the remedy, safe to show.
  public let reason: String
  /// The time after which a load may succeed, in seconds, from 1 to 3,600; nil when it isn't known.
  public let retryAfter: Int?

  init(_ code: Code, _ event: String, reason: String, retryAfter: Double? = nil) {
    self.code = code
    self.event = PlainText.neutralised(event)
    self.reason = reason
    self.retryAfter = retryAfter.map { Int(min(max($0.rounded(.up), 1), 3600)) }
  }

  public var description: String { "the details of \(event): \(reason)" }
}

extension DetailsError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension DetailsError {
  /// Creates the error for a failed download.
  /// - Parameter server: The name of the server.
  init(_ error: LocalCopyError, _ event: String, from server: String) {
    let server = PlainText.neutralised(server)
    let code: Code
    let reason: String
    switch error.code {
    case .httpStatus where [404, 409, 410].contains(error.httpStatus):
      (code, reason) = (.gone, "\(server) has no details of this event")
    case .throttled,
      .httpStatus where [429, 503].contains(error.httpStatus):
      (code, reason) = (.busy, "\(server) is busy; try again later")
    case .httpStatus:
      let status = error.httpStatus ?? 0
      (code, reason) = (.refused, "\(server) answers with status \(status); try again later")
    case .timedOut:
      (code, reason) = (.timedOut, "\(server) did not send them in time; try again later")
    case .connectionFailed:
      (code, reason) = (
        .unreachable, "\(server) can't be reached; check the network and try again"
      )
    case .limitExceeded:
      (code, reason) = (.tooLarge, "\(server) sends more than is allowed; see the event's own page")
    case .redirectRefused:
      (code, reason) = (.addressRefused, "\(server) leads to another server; see the event's page")
    default:
      (code, reason) = (.malformed, "\(server) sends something else: \(error.reason)")
    }
    self.init(
      code, event, reason: reason, retryAfter: code == .busy ? error.retryAfter : nil)
  }

  /// Whether the feed or the server has no details, so that the same request would fail later, too.
  public var isFinal: Bool { [.noAddress, .addressRefused, .gone].contains(code) }
}
