import CZlib

/// Expands gzip (RFC 1952) and zlib (RFC 1950) data piece by piece, in constant memory.
///
/// Several gzip members may follow each other, as the RFC allows; any other data after the end is an error. After an
/// error, the inflater can't be used any more.
public final class Inflater {
  /// The formats of compressed data.
  public enum Format: Sendable {
    /// gzip (RFC 1952).
    case gzip
    /// gzip or zlib (RFC 1950): HTTP's content codings `gzip` and `deflate` (RFC 9110 section 8.4.1).
    case gzipOrZlib

    /// The size of the window, 2^15, and what selects the format (https://zlib.net/manual.html, `inflateInit2`).
    var windowBits: Int32 { self == .gzip ? 15 + 16 : 15 + 32 }
  }

  // zlib keeps a pointer to this structure inside its state: the structure must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableBufferPointer<UInt8>
  private var isAtEnd = false
  private var expandedCount = 0

  /// Starts a stream.
  /// - Parameter format: the formats to accept.
  /// - Throws: ``CompressionError`` with the code `outOfMemory` when zlib can't be started.
  public init(_ format: Format = .gzipOrZlib) throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(capacity: 1 << 16)
    let status = czlib_inflate_init(stream, format.windowBits)
    guard status == Z_OK else { throw CompressionError(code: .outOfMemory, detail: Int(status)) }
  }

  deinit {
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
    output.deallocate()
  }

  /// Expands a piece.
  /// - Parameters:
  ///   - piece: compressed bytes, at most 2^32 - 1 of them; read only during the call.
  ///   - sink: receives expanded bytes, at most 64 KiB at a time, which are valid only during the call.
  /// - Throws: ``CompressionError`` with the code `damaged`, or the error of the sink.
  public func inflate(
    _ piece: UnsafeBufferPointer<UInt8>, _ sink: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    guard let start = piece.baseAddress, piece.count > 0 else { return }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    stream.pointee.avail_in = UInt32(piece.count)
    // The input is only borrowed: zlib must not access it after this call.
    defer {
      stream.pointee.next_in = nil
      stream.pointee.avail_in = 0
    }
    repeat {
      if isAtEnd { try beginMember() }
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let status = CZlib.inflate(stream, Z_NO_FLUSH)
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
        throw damaged(status)
      }
      isAtEnd = status == Z_STREAM_END
      let count = output.count - Int(stream.pointee.avail_out)
      expandedCount += count
      if count > 0 {
        try sink(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(output)[..<count]))
      }
      if status == Z_BUF_ERROR, count == 0 { return }
      // Behind the end of a member with a full output nothing waits: only further input begins another member.
    } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isAtEnd)
  }

  /// Checks that the data ended at the end of a stream.
  /// - Throws: ``CompressionError`` with the code `truncated` when the data ends too early.
  public func finish() throws {
    guard isAtEnd else { throw CompressionError(code: .truncated, detail: expandedCount) }
  }

  private func beginMember() throws {
    guard inflateReset(stream) == Z_OK else { throw damaged(Z_STREAM_ERROR) }
    isAtEnd = false
  }

  private func damaged(_ status: Int32) -> CompressionError {
    CompressionError(
      code: .damaged, detail: Int(status),
      message: stream.pointee.msg.map { String(cString: $0) })
  }
}
