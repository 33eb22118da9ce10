import CZlib

/// Inflates gzip (RFC 1952) and zlib (RFC 1950) data piece by piece, within limits.
///
/// Several gzip members may follow each other, as the RFC allows; any other data after the end is
/// an error.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableBufferPointer<UInt8>
  private var isAtEnd = false

  /// - Throws: ``LocalCopyError`` when zlib can't be initialized.
  init() throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(capacity: 1 << 16)
    // 15 bits of window; adding 32 makes zlib detect which of the two formats it is.
    guard czlib_inflate_init(stream, 15 + 32) == Z_OK else {
      throw LocalCopyError(
        .compressionInvalid, reason: "zlib could not be started",
        advice: "Free some memory and try again.")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
    output.deallocate()
  }

  /// Inflates a piece.
  /// - Parameters:
  ///   - piece: compressed bytes.
  ///   - sink: receives inflated bytes, which are valid only during the call.
  func inflate(
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
        throw invalid(status)
      }
      isAtEnd = status == Z_STREAM_END
      let count = output.count - Int(stream.pointee.avail_out)
      if count > 0 {
        try sink(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(output)[..<count]))
      }
      if status == Z_BUF_ERROR, count == 0 { return }
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }

  /// Checks that the data ended at the end of a stream.
  /// - Throws: ``LocalCopyError`` with the code `truncated` when the data ends too early.
  func finish() throws {
    guard isAtEnd else {
      throw LocalCopyError(
        .truncated, reason: "The compressed data ends before it is complete",
        advice: "Nothing was changed; try again later.")
    }
  }

  private func beginMember() throws {
    guard inflateReset(stream) == Z_OK else { throw invalid(Z_STREAM_ERROR) }
    isAtEnd = false
  }

  private func invalid(_ status: Int32) -> LocalCopyError {
    var error = LocalCopyError(
      .compressionInvalid, reason: "The body is labelled as compressed, but does not inflate",
      advice: "Nothing was changed; try again later and tell the publisher if it stays.")
    let message = stream.pointee.msg.map { String(cString: $0) } ?? "no message"
    error.underlying = "zlib \(status): \(message)"
    return error
  }
}
