import CZlib

/// Compresses a stream of bytes to the gzip format (RFC 1952), piece by piece, in constant memory.
public final class GzipEncoder {
  // zlib keeps a pointer to this structure inside its state: the structure must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var room: [UInt8]

  /// Starts a stream.
  /// - Parameter level: the effort of the compression, from 1 (fast) to 9 (small).
  /// - Throws: ``CompressionError`` when zlib has no memory.
  public init(level: Int32 = 6) throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    room = [UInt8](repeating: 0, count: 32_768)
    // 15 bits for the window, and 16 to select gzip's header and trailer.
    let result = czlib_deflate_init(stream, level, 15 + 16)
    guard result == Z_OK else {
      throw CompressionError(code: .outOfMemory, detail: Int(result))
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Compresses a piece.
  /// - Parameters:
  ///   - bytes: the next bytes to compress, at most 2^32 - 1 of them.
  ///   - output: the compressed bytes that are available are appended to it.
  /// - Throws: ``CompressionError`` when zlib reports a failure.
  public func append(_ bytes: [UInt8], to output: inout [UInt8]) throws {
    try run(bytes, flush: Z_NO_FLUSH, output: &output)
  }

  /// Ends the stream.
  /// - Parameter output: the last compressed bytes are appended to it.
  /// - Throws: ``CompressionError`` when zlib reports a failure.
  public func finish(into output: inout [UInt8]) throws {
    try run([], flush: Z_FINISH, output: &output)
  }

  /// Compresses bytes as a whole.
  /// - Parameters:
  ///   - bytes: the bytes to compress, at most 2^32 - 1 of them.
  ///   - level: the effort of the compression, from 1 (fast) to 9 (small).
  /// - Returns: one gzip member.
  /// - Throws: ``CompressionError`` when zlib reports a failure.
  public static func compress(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
    let encoder = try GzipEncoder(level: level)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count / 6 + 64)
    try encoder.append(bytes, to: &output)
    try encoder.finish(into: &output)
    return output
  }

  private func run(_ bytes: [UInt8], flush: Int32, output: inout [UInt8]) throws {
    var input = bytes
    try input.withUnsafeMutableBufferPointer { input in
      stream.pointee.next_in = input.baseAddress
      stream.pointee.avail_in = UInt32(input.count)
      var result = Z_OK
      repeat {
        let produced = room.withUnsafeMutableBufferPointer { room in
          stream.pointee.next_out = room.baseAddress
          stream.pointee.avail_out = UInt32(room.count)
          result = deflate(stream, flush)
          return room.count - Int(stream.pointee.avail_out)
        }
        // Z_BUF_ERROR only means that there was nothing left to do.
        guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
          throw CompressionError(code: .damaged, detail: Int(result))
        }
        output.append(contentsOf: room[..<produced])
      } while stream.pointee.avail_out == 0
    }
  }
}
