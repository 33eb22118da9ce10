import HTTPTypes
import Hummingbird
import NIOCore
import WireFormats

/// Sends a feed's document, plain or gzipped, and damages it if the fault requires that.
struct FeedBody {
  /// The body was cut off deliberately.
  struct CutOff: Error {}

  let settings: DemoFeedServer.Settings
  let fault: Fault

  /// Returns the response with the given pieces as its body.
  func response(
    _ content: FeedContent, headers: HTTPFields, gzip: Bool
  ) -> Response {
    var headers = headers
    let compresses = gzip || fault == .badGzip
    if compresses { headers[.contentEncoding] = "gzip" }
    let body = ResponseBody { writer in
      try await write(content, gzip: compresses, to: &writer)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  private func write(
    _ content: FeedContent, gzip: Bool, to writer: inout any ResponseBodyWriter
  ) async throws {
    let encoder = gzip ? try GzipEncoder() : nil
    var pieces = content
    var held: [UInt8]? = pieces.next()
    while let piece = held {
      held = pieces.next()
      let isLast = held == nil
      var output: [UInt8] = []
      let plain = isLast ? spoiled(piece) : piece
      if let encoder {
        try encoder.append(plain, to: &output)
        if isLast { try encoder.finish(into: &output) }
      } else {
        output = plain
      }
      if fault == .badGzip { damage(&output) }
      if fault == .truncated && isLast {
        // The header announced more data: the connection ends without the last chunk.
        try await writer.write(ByteBuffer(bytes: output.prefix(output.count / 2)))
        throw CutOff()
      }
      try await send(output, to: &writer)
    }
    try await writer.finish(nil)
  }

  /// Breaks JSON's grammar near the end of the document.
  private func spoiled(_ piece: [UInt8]) -> [UInt8] {
    guard fault == .malformed else { return piece }
    return Array(piece.dropLast(min(piece.count, 40))) + Array(#","features":[}}"#.utf8)
  }

  /// Keeps gzip's header intact and damages the bytes after it.
  private func damage(_ bytes: inout [UInt8]) {
    for index in bytes.indices where index >= 16 && index % 7 == 0 { bytes[index] ^= 0x5a }
  }

  private func send(_ bytes: [UInt8], to writer: inout any ResponseBodyWriter) async throws {
    guard fault == .slowDrip else {
      if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
      return
    }
    var start = 0
    while start < bytes.count {
      let end = min(start + settings.dripSize, bytes.count)
      try await writer.write(ByteBuffer(bytes: bytes[start..<end]))
      start = end
      try await Task.sleep(for: settings.dripInterval)
    }
  }
}
