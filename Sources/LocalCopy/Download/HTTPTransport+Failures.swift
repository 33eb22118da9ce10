import CurlClient
import Foundation
import WireFormats

extension HTTPTransport {
  /// Returns the coding of the body according to its `Content-Encoding`.
  func coding(_ fields: HTTPFields) throws -> BodyDecoder.Coding {
    let labels = fields.list("content-encoding")
      .map { $0.lowercased() }.filter { $0 != "identity" && !$0.isEmpty }
    guard let label = labels.first else { return .detected }
    guard labels.count == 1, ["gzip", "x-gzip", "deflate"].contains(label) else {
      let all = labels.joined(separator: ", ").printable(limit: 40)
      throw LocalCopyError(
        .compressionInvalid, reason: "The server sent a body encoded as “\(all)”, unasked",
        advice: "Only gzip is asked for and understood: tell the publisher of the feed.")
    }
    return .compressed
  }

  /// The error for a request without a response, or with a response that is not HTTP.
  static func noAnswer(_ error: CurlError) -> LocalCopyError {
    switch error.code {
    case .notHTTP:
      LocalCopyError(
        .connectionFailed, reason: "The server at the address doesn't speak HTTP",
        advice: "Check the address; nothing was changed.")
    case .headTooLarge:
      LocalCopyError(
        .limitExceeded, reason: "The head of the server's answer is too large",
        advice: "Nothing was changed; tell the publisher of the feed.")
    case .closed:
      LocalCopyError(
        .connectionFailed, reason: "The server hung up without an answer",
        advice: "Try again later; nothing was changed.")
    case .idleTimeout, .totalTimeout:
      LocalCopyError(
        .connectionFailed, reason: "The server doesn't answer",
        advice: "Try again later; nothing was changed.")
    case .invalidRequest:
      LocalCopyError(
        .invalidSource, reason: "The request can't be sent: \(error.message)",
        advice: "Check the feed's address, where it redirects to, and the configuration's headers.")
    case .unreachable, .connectTimeout, .cancelled:
      LocalCopyError(
        .connectionFailed, reason: "The server can't be reached",
        advice: "Check the address and the network connection; nothing was changed.")
    }
  }

  /// The error for a body that ends before its declared length.
  func cut(after wireBytes: Int) -> LocalCopyError {
    var error = LocalCopyError(
      .truncated, reason: "The connection was cut after \(wireBytes) bytes of the answer",
      advice: "Nothing was changed; try again later.")
    error.httpStatus = 200
    return error
  }

  /// The maximum number of characters of a rejected response that are kept.
  private static let longestText = 2_000

  /// Returns the beginning of a rejected response's text; nil when it has none or something other than text.
  func text(of response: CurlResponse) async -> String? {
    let type = response.fields.first("content-type")?.lowercased() ?? ""
    guard type.hasPrefix("text/plain") || type.hasPrefix("application/json") else { return nil }
    var bytes: [UInt8] = []
    do {
      let body = BodyDecoder(try coding(response.fields), configuration)
      while bytes.count < Self.longestText * 4, let piece = try await response.body.next() {
        try piece.withUnsafeBufferPointer { try body.receive($0) { bytes += $0 } }
      }
    } catch {
      // What has arrived is kept; the status tells that the request failed.
    }
    guard !bytes.isEmpty else { return nil }
    return String(String(decoding: bytes, as: UTF8.self).prefix(Self.longestText))
  }

  /// Classifies an unsuccessful status.
  func failure(_ response: CurlResponse, _ received: Date, text: String?) -> AttemptFailure {
    let status = response.status
    let pause = response.fields.first("retry-after")
      .flatMap { RetryAfter.parse($0, now: received) }
    let isTransient = [408, 425, 429, 500, 502, 503, 504].contains(status)
    let phrase = response.reason.printable(limit: 60)
    var error = LocalCopyError(
      .httpStatus, reason: "The server answered \(status) \(phrase)",
      advice: advice(status, pause))
    if status == 429 || (pause != nil && isTransient) {
      error = LocalCopyError(.throttled, reason: error.reason, advice: error.advice)
    }
    error.httpStatus = status
    error.answer = text
    error.retryAfter = pause?.inSeconds
    guard isTransient else { return AttemptFailure(error, .permanent) }
    return AttemptFailure(error, pause.map { .throttled(after: $0) } ?? .transient)
  }

  private func advice(_ status: Int, _ pause: Duration?) -> String {
    switch status {
    case 401, 403: return "Check the address and the credentials."
    case 404, 410: return "Check the address of the feed; it may have moved."
    case 429 where pause == nil: return "Too many requests: ask less often."
    default:
      guard let pause else { return "Try again later; nothing was changed." }
      return "Try again in \(Int(pause.inSeconds.rounded(.up))) s, as the server asks."
    }
  }
}
