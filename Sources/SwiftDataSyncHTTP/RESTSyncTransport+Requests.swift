import CurlClient
import SwiftDataSync

extension RESTSyncTransport {
  /// A server's answer to a request of the application's own, whatever its status.
  public struct Answer: Hashable, Sendable {
    /// The status (RFC 9110, section 15).
    public let status: Int
    /// The document; nil when the content is empty, or no JSON.
    public let document: SyncValue?
    /// The pause that the server asks for, as `Retry-After` (RFC 9110 section 10.2.3).
    public let retryAfter: Duration?
  }

  /// Sends a request for something that isn't synchronized, such as a sign-in, with the transport's token and limits.
  /// No redirect is followed.
  /// - Parameters:
  ///   - method: The method, such as `POST`.
  ///   - path: The path below the parent address, such as `session`; characters are escaped, but no slashes. No part
  ///     between slashes may be `.` or `..`, which would lead elsewhere.
  ///   - document: The JSON document to send; nil for none.
  /// - Throws: `SyncFailure` without an answer, for one larger than the limit, for such a path, and what the source of
  ///   the token throws.
  public func request(
    _ method: String, _ path: String, _ document: SyncValue? = nil
  ) async throws -> Answer {
    guard !HTTPExchange.hasDotSegments(path) else {
      throw SyncFailure(
        .refused, "A request to \(exchange.address) has a path that leads elsewhere",
        isUnsent: true)
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    var request = exchange.request(
      method, parts.map { "/" + HTTPExchange.escaped(String($0)) }.joined())
    if let document {
      request.fields.add("content-type", "application/json")
      request.body = document.json
    }
    let answer = try await exchange.answer(
      request, taking: Set(100..<1_000), isDocument: false)
    return Answer(
      status: answer.status, document: answer.document, retryAfter: answer.retryAfter)
  }
}
