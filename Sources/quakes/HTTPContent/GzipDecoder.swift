import CZlib

/// Expands gzip data (RFC 1952) up to a maximum size.
public enum GzipDecoder {
  /// Returns whether the first two bytes are those of gzip data (RFC 1952, 2.3.1).
  public static func isGzip(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: [0x1f, 0x8b])
  }

  /// Expands one gzip member.
  /// - Parameters:
  ///   - bytes: The whole gzip data.
  ///   - limit: The maximum size of the result, in bytes.
  /// - Throws: ``ContentError`` when the data is damaged, truncated or expands beyond the limit.
  public static func expand(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer {
      inflateEnd(stream)
      stream.deinitialize(count: 1)
      stream.deallocate()
    }
    let started = inflateInit2_(
      stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard started == Z_OK else { throw ContentError(code: .outOfMemory, detail: Int(started)) }

    var input = bytes
    var output: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    try input.withUnsafeMutableBufferPointer { input in
      stream.pointee.next_in = input.baseAddress
      stream.pointee.avail_in = UInt32(input.count)
      var result = Z_OK
      while result != Z_STREAM_END {
        let produced = room.withUnsafeMutableBufferPointer { room in
          stream.pointee.next_out = room.baseAddress
          stream.pointee.avail_out = UInt32(room.count)
          result = inflate(stream, Z_NO_FLUSH)
          return room.count - Int(stream.pointee.avail_out)
        }
        if result == Z_BUF_ERROR || (result == Z_OK && produced == 0) {
          throw ContentError(code: .truncated, detail: output.count)
        }
        guard result == Z_OK || result == Z_STREAM_END else {
          throw ContentError(code: .damaged, detail: Int(result))
        }
        guard output.count + produced <= limit else {
          throw ContentError(code: .tooLarge, detail: limit)
        }
        output.append(contentsOf: room[..<produced])
      }
    }
    return output
  }
}
