import CZlib
import Testing

/// Compresses bytes as gzip does (RFC 1952).
func gzip(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
  var stream = z_stream()
  // 15 bits for the window; 16 selects the gzip format.
  try #require(czlib_deflate_init(&stream, level, 15 + 16) == Z_OK)
  defer { deflateEnd(&stream) }
  var input = bytes
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 32)
  let capacity = output.count
  let status = input.withUnsafeMutableBufferPointer { source in
    output.withUnsafeMutableBufferPointer { target in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      stream.next_out = target.baseAddress
      stream.avail_out = UInt32(target.count)
      return deflate(&stream, Z_FINISH)
    }
  }
  try #require(status == Z_STREAM_END)
  output.removeLast(capacity - Int(stream.total_out))
  return output
}
