import Hummingbird
import NIOCore

extension ResponseBody {
  /// The maximum number of bytes of a part: the number from which a connection counts as blocked.
  private static let partByteCount = 64 * 1_024

  /// Creates a body that is written in parts, so that a client that reads slowly isn't taken for one that doesn't read
  /// (``SyncConnections/writeTimeout``).
  init(inParts bytes: [UInt8]) {
    guard bytes.count > Self.partByteCount else {
      self.init(byteBuffer: ByteBuffer(bytes: bytes))
      return
    }
    self.init(contentLength: bytes.count) { writer in
      try await Self.write(bytes, to: &writer)
      try await writer.finish(nil)
    }
  }

  /// Writes bytes in parts, each when the connection has taken those before.
  static func write(_ bytes: [UInt8], to writer: inout any ResponseBodyWriter) async throws {
    for start in stride(from: 0, to: bytes.count, by: partByteCount) {
      let end = min(start + partByteCount, bytes.count)
      try await writer.write(ByteBuffer(bytes: bytes[start..<end]))
    }
  }
}
