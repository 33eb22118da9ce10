import CurlClient
import Foundation
import SwiftDataSync

/// The three endpoints of attachments of a server (docs/openapi-sync.yaml), for all transports over HTTP.
struct AttachmentEndpoints: Sendable {
  let exchange: HTTPExchange
  /// The path of the endpoints below the transport's address, with a leading slash.
  let path: String
  /// The header fields of all requests.
  var fields: [(name: String, value: String)] = []
  /// Returns the sentence for users from the document with which the server rejects an attachment.
  var reason: @Sendable (SyncValue) -> String? = { _ in nil }

  /// Statuses that report a problem with the attachment, not with the server.
  private static let refusals: Set<Int> = [400, 413, 415, 422]

  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    var request = request("POST", "/missing")
    request.fields.add("content-type", "application/json")
    request.body = SyncContract.missingRequest(references, client: client)
    let named = try SyncContract.parseMissingAnswer(try await exchange.send(request))
    var missing: [SyncAttachment: Int] = [:]
    for reference in references {
      missing[reference.attachment] = named[reference.attachment.sha256]
    }
    return missing
  }

  func upload(_ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int) async throws -> Int {
    var request = request("PATCH", "/\(attachment.sha256)?size=\(attachment.byteCount)")
    request.fields.add("content-type", "application/octet-stream")
    request.fields.add("upload-offset", String(offset))
    request.body = bytes
    let answer = try await exchange.answer(request, taking: Self.refusals.union([409]))
    if Self.refusals.contains(answer.status) { throw refusal(answer) }
    return try SyncContract.parseUploadAnswer(answer.body)
  }

  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int
  ) async throws -> [UInt8]? {
    let query = [
      ("entity", reference.object.entity), ("key", reference.object.key),
      ("property", reference.property), ("sha256", reference.attachment.sha256),
      ("size", String(reference.attachment.byteCount)),
    ].map { "\($0)=\(HTTPExchange.escaped($1))" }.joined(separator: "&")
    var request = request("GET", "?" + query)
    request.fields.add("range", "bytes=\(offset)-\(offset + length - 1)")
    // The bytes may be those of a web page. A page in their place has another hash.
    let answer = try await exchange.answer(request, taking: [404], isDocument: false)
    guard answer.status != 404 else { return nil }
    // A server without range support sends all bytes (RFC 9110 section 14.2).
    let isWhole = answer.status == 200
    return isWhole ? Array(answer.body.dropFirst(offset).prefix(length)) : answer.body
  }

  private func request(_ method: String, _ rest: String) -> CurlRequest {
    var request = exchange.request(method, path + rest)
    for (name, value) in fields { request.fields.add(name, value) }
    return request
  }

  private func refusal(_ answer: HTTPExchange.Answer) -> SyncFailure {
    let sentence = answer.sentence(reason)
    guard answer.status == 413 else {
      return SyncFailure(.refused, sentence ?? "\(exchange.address) answered \(answer.status)")
    }
    return SyncFailure(
      .tooLarge, sentence ?? "The request is too large for \(exchange.address)")
  }
}

extension HTTPExchange.Answer {
  /// The JSON document; nil when the content is empty, or no JSON: whatever answers, for example a proxy, need not send
  /// any, and the status has to suffice.
  var document: SyncValue? {
    do { return try SyncJSON.parse(body) } catch { return nil }
  }

  /// Returns the sentence of the server's document, limited in length and without control characters; nil without one.
  func sentence(_ reason: (SyncValue) -> String?) -> String? {
    guard let text = document.flatMap(reason) else { return nil }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(300) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("\u{FFFD}")
      default: shown.append(scalar)
      }
    }
    return String(shown)
  }
}
