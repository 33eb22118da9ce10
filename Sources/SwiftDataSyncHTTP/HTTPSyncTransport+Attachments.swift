import CurlClient
import Foundation
import SwiftDataSync

/// Transfers attachments through the contract's three endpoints below `…/attachments`.
extension HTTPSyncTransport: SyncAttachmentTransport {
  public func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    var request = request("POST", "/attachments/missing")
    request.fields.add("content-type", "application/json")
    request.body = SyncContract.missingRequest(references, client: client)
    let named = try SyncContract.parseMissingAnswer(try await exchange.send(request))
    var missing: [SyncAttachment: Int] = [:]
    for reference in references {
      missing[reference.attachment] = named[reference.attachment.sha256]
    }
    return missing
  }

  public func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    var request = request(
      "PATCH", "/attachments/\(attachment.sha256)?size=\(attachment.byteCount)")
    request.fields.add("content-type", "application/octet-stream")
    request.fields.add("upload-offset", String(offset))
    request.body = bytes
    return try SyncContract.parseUploadAnswer(
      try await exchange.answer(request, taking: [409]).body)
  }

  public func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    let query = [
      ("entity", reference.object.entity), ("key", reference.object.key),
      ("property", reference.property), ("sha256", reference.attachment.sha256),
      ("size", String(reference.attachment.byteCount)),
    ].map { "\($0)=\(HTTPExchange.escaped($1))" }.joined(separator: "&")
    var request = request("GET", "/attachments?" + query)
    request.fields.add("range", "bytes=\(offset)-\(offset + length - 1)")
    let answer = try await exchange.answer(request, taking: [404])
    guard answer.status != 404 else { return nil }
    // A server without range support sends all bytes (RFC 9110 section 14.2).
    let isWhole = answer.status == 200
    return isWhole ? Array(answer.body.dropFirst(offset).prefix(length)) : answer.body
  }
}
