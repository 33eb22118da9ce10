import WireFormats

/// Reads one JSON object directly from the bytes of a feed, for the code that `@FeedElement` generates.
///
/// It passes over the bytes once and keeps no index. It validates as strictly as ``JSONScanner``, skipped values
/// included, and gives up at everything that it can't read: bytes that aren't JSON, a value of another type, a missing
/// member, a duplicate key, an incomplete object. The general decoder then decodes the same bytes from their start, and
/// its result or its error counts. So only one place composes errors.
public struct _FeedReader {
  var json: JSONCursor
  let decoder: JSONElementDecoder
  /// The index of single values that the general decoder decodes.
  let tape = JSONTape()

  /// Creates a reader at the first byte of a value.
  /// - Parameter depth: the number of arrays and objects that the value may have open at the same time. Types may
  ///   contain themselves, and each level takes stack space: deeper values than a cursor allows are left to the general
  ///   decoder.
  init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int, _ decoder: JSONElementDecoder) {
    json = JSONCursor(bytes, depth: depth)
    self.decoder = decoder
  }

  // MARK: Structure

  /// Reads `null` if it is the next value.
  public mutating func takeNull() throws(_FeedMismatch) -> Bool { try json.takeNull() }

  /// Starts an array.
  /// - Returns: whether it has an element; the reader is then at that element.
  public mutating func beginArray() throws(_FeedMismatch) -> Bool {
    try json.open(UInt8(ascii: "["), else: .array)
    guard try json.byte() == UInt8(ascii: "]") else { return true }
    json.close()
    return false
  }

  /// Advances to the next element of an array.
  /// - Returns: whether there is one.
  public mutating func nextElement() throws(_FeedMismatch) -> Bool {
    json.skipBlanks()
    if try json.byte() == UInt8(ascii: "]") {
      json.close()
      return false
    }
    try json.take(UInt8(ascii: ","), else: .endOfArray)
    json.skipBlanks()
    return true
  }
}

/// Signals that the reader can't read a value: the general decoder has to decode it, and to name the error.
public typealias _FeedMismatch = JSONError.Reason
