import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftDataSync

/// Handles the endpoints of attachments (docs/openapi-sync.yaml): `POST …/attachments/missing`,
/// `PATCH …/attachments/SHA256`, `GET …/attachments`. ``SyncRoutes`` has them; other servers, such as one with REST
/// resources, call the three methods after they have authenticated the user.
///
/// All methods throw ``SyncFailure`` for a request that can't be processed, ``SyncRoutes/IncompleteBody``, and the
/// errors of the server.
public struct SyncAttachmentRoutes: Sendable {
  private let server: any SyncAttachmentServer
  private let limits: SyncRoutes.Limits

  /// - Parameters:
  ///   - server: The server that handles the requests.
  ///   - limits: The limits on requests and responses.
  public init(
    _ server: any SyncAttachmentServer, limits: SyncRoutes.Limits = SyncRoutes.Limits()
  ) {
    self.server = server
    self.limits = limits
  }

  /// Answers which attachments have to be sent.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - user: Its authenticated user.
  public func missing(_ request: Request, user: String) async throws -> Response {
    let references = try SyncContract.parseMissingRequest(
      try await limits.body(of: request).readableBytesView)
    return SyncRoutes.document(
      .ok, SyncContract.missingAnswer(try await server.missing(references, user: user)))
  }

  /// Receives a portion; responds with 409 and the current offset when the portion starts at another offset.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - name: The SHA-256 in the request's path.
  ///   - user: Its authenticated user.
  public func upload(
    _ request: Request, named name: String?, user: String
  ) async throws -> Response {
    guard let offset = Self.integer(request.headers[Self.uploadOffset]), offset >= 0 else {
      throw SyncFailure(.refused, "The request has no Upload-Offset")
    }
    let attachment = try attachment(name, request)
    let bytes = Array(try await limits.body(of: request).readableBytesView)
    let next = try await server.upload(bytes, of: attachment, at: offset, user: user)
    // The offset is declared by the client and may be any number.
    let (end, isBeyond) = offset.addingReportingOverflow(bytes.count)
    return SyncRoutes.document(
      !isBeyond && next == end ? .ok : .conflict, SyncContract.uploadAnswer(next))
  }

  /// Sends a complete attachment, or at most one portion of a requested range: a server may send fewer bytes than
  /// requested (RFC 9110 section 15.3.7).
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - user: Its authenticated user.
  public func download(_ request: Request, user: String) async throws -> Response {
    let query = request.uri.queryParameters
    func text(_ name: String) throws -> String {
      guard let text = query[Substring(name)] else {
        throw SyncFailure(.refused, "The request doesn't name the \(name)")
      }
      return String(text)
    }
    let attachment = try attachment(try text("sha256"), request)
    let reference = SyncAttachmentReference(
      SyncObjectID(try text("entity"), try text("key")), try text("property"), attachment)
    let range = Self.range(request.headers[.range], of: attachment.byteCount)
    if let range, range.isEmpty {
      var response = SyncRoutes.document(
        .init(code: 416, reasonPhrase: "Range Not Satisfiable"), [])
      response.headers[.contentRange] = "bytes */\(attachment.byteCount)"
      return response
    }
    let first = range?.lowerBound ?? 0
    let bytes = try await server.attachment(
      reference, from: first, length: min(range?.count ?? .max, limits.portion), user: user)
    guard let bytes, !bytes.isEmpty else {
      return SyncRoutes.document(
        .notFound, SyncValue.object(["message": .text("The object has no such attachment")]).json)
    }
    var headers: HTTPFields = [
      .contentType: "application/octet-stream", .cacheControl: "no-store", .acceptRanges: "bytes",
    ]
    guard range != nil else {
      return Response(
        status: .ok, headers: headers, body: whole(reference, after: bytes, user))
    }
    headers[.contentRange] =
      "bytes \(first)-\(first + bytes.count - 1)/\(attachment.byteCount)"
    return Response(
      status: .partialContent, headers: headers,
      body: ResponseBody(inParts: bytes))
  }

  /// Returns a body with all bytes, of which one portion at a time is in memory.
  private func whole(
    _ reference: SyncAttachmentReference, after bytes: [UInt8], _ user: String
  ) -> ResponseBody {
    let (server, length) = (server, limits.portion)
    return ResponseBody(contentLength: reference.attachment.byteCount) { writer in
      var (bytes, offset) = (bytes, 0)
      while true {
        offset += bytes.count
        try await ResponseBody.write(bytes, to: &writer)
        if offset >= reference.attachment.byteCount { break }
        let next = try await server.attachment(reference, from: offset, length: length, user: user)
        guard let next, !next.isEmpty else {
          throw SyncFailure(.server, "The object has another attachment by now")
        }
        bytes = next
      }
      try await writer.finish(nil)
    }
  }

  // MARK: Parsing requests

  private static let uploadOffset = HTTPField.Name("upload-offset") ?? .contentRange

  private func attachment(_ name: String?, _ request: Request) throws -> SyncAttachment {
    guard let name, let size = Self.integer(request.uri.queryParameters["size"].map(String.init)),
      let attachment = SyncAttachment(sha256: name, byteCount: size)
    else {
      throw SyncFailure(
        .refused,
        "An attachment has the SHA-256 of its bytes for a name, and more than"
          + " \(SyncAttachment.threshold) of them")
    }
    return attachment
  }

  /// Parses decimal digits only.
  private static func integer(_ text: String?) -> Int? {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  /// Returns the bytes that a `Range` header requests; an empty range when they start after the last byte.
  ///
  /// - Returns: nil without a header, and for a header that isn't supported (RFC 9110 section 14.2).
  private static func range(_ field: String?, of count: Int) -> Range<Int>? {
    guard let field, field.hasPrefix("bytes="), !field.contains(",") else { return nil }
    let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = integer(String(parts[0])) else { return nil }
    if parts[1].isEmpty { return first < count ? first..<count : 0..<0 }
    guard let last = integer(String(parts[1])), last >= first else { return nil }
    guard first < count else { return 0..<0 }
    return first..<min(last, count - 1) + 1
  }
}
