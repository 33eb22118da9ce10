import HTTPContent
import HTTPTypes
import Hummingbird
import NIOCore
import WireFormats

/// A body and the data needed to send it: plain, gzipped, or as 304 if the client already has it.
package struct WebAnswer: Sendable {
  /// The minimum size for compression, in bytes. Below it, compressing costs more than it saves.
  package static let worthCompressing = 860

  package var contentType: String
  package var plain: [UInt8]
  /// The gzipped form of a file, compressed once; `nil` compresses at each response if it is worth
  /// it.
  package var gzipped: GzippedForm?
  /// Whether the body may be compressed.
  package var compresses: Bool
  /// The entity tag of the plain form with its quotation marks; `nil` sends none.
  package var entityTag: String?
  package var cacheControl = "no-cache"
  package var status: HTTPResponse.Status

  package init(
    contentType: String, plain: [UInt8], gzipped: GzippedForm? = nil, compresses: Bool = true,
    entityTag: String? = nil, status: HTTPResponse.Status = .ok
  ) {
    self.contentType = contentType
    self.plain = plain
    self.gzipped = gzipped
    self.compresses = compresses
    self.entityTag = entityTag
    self.status = status
  }

  /// Returns a JSON document; a success has an entity tag.
  package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> WebAnswer {
    var hash = ContentHash()
    hash.combine(bytes)
    return WebAnswer(
      contentType: "application/json; charset=utf-8", plain: bytes,
      entityTag: status == .ok ? hash.entityTag : nil, status: status)
  }

  /// Returns the response to a request.
  /// - Throws: `CompressionError` when zlib has no memory.
  package func response(to request: Request) throws -> Response {
    let zipped = try forms(for: request)
    var headers: HTTPFields = [.cacheControl: cacheControl, .vary: "Accept-Encoding"]
    // A strong tag names one representation, so the compressed one needs another tag (RFC 9110,
    // 8.8.3.3).
    let tag = entityTag.map { zipped == nil ? $0 : $0.dropLast() + "-gz\"" }
    if let tag { headers[.eTag] = tag }
    if let tag, Negotiation.matches(request.headers[.ifNoneMatch], tag: tag) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = contentType
    if zipped != nil { headers[.contentEncoding] = "gzip" }
    let bytes = zipped ?? plain
    headers[.contentLength] = String(bytes.count)
    let body =
      request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: .init(bytes: bytes))
    return Response(status: status, headers: headers, body: body)
  }

  private func forms(for request: Request) throws -> [UInt8]? {
    guard compresses, plain.count >= Self.worthCompressing,
      Negotiation.acceptsGzip(request.headers[.acceptEncoding])
    else { return nil }
    return try gzipped?.bytes() ?? GzipEncoder.compress(plain, level: 5)
  }
}
