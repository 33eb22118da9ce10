/// Reads one JSON object directly from the bytes of a feed, for the code that `@FeedElement` generates.
///
/// It passes over the bytes once and keeps no index. It validates as strictly as ``JSONScanner``, skipped values
/// included, and gives up at everything that it can't read: bytes that aren't JSON, a value of another type, a missing
/// member, a duplicate key, an incomplete object. The general decoder then decodes the same bytes from their start, and
/// its result or its error counts. So only one place composes errors.
public struct _FeedReader {
  /// The maximum number of containers that a value may have open here, whatever the limit is: types may contain
  /// themselves, and each level takes stack space. Deeper values are left to the general decoder.
  static let deepest = 64

  var cursor: UnsafePointer<UInt8>
  var end: UnsafePointer<UInt8>
  /// The number of further arrays and objects that may be open at the same time.
  var depth: Int
  let decoder: JSONElementDecoder
  /// The index of single values that the general decoder decodes.
  let tape = JSONTape()

  /// Creates a reader at the first byte of a value.
  /// - Parameter depth: the number of arrays and objects that the value may have open at the same time.
  init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int, _ decoder: JSONElementDecoder) {
    // Without bytes, the reader is at its end and never dereferences the address.
    cursor = bytes.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
    end = cursor + bytes.count
    self.depth = min(depth, Self.deepest)
    self.decoder = decoder
  }

  // MARK: Structure

  /// The byte at the cursor.
  @inline(__always)
  func byte() throws(_FeedMismatch) -> UInt8 {
    guard cursor < end else { throw _FeedMismatch() }
    return cursor.pointee
  }

  @inline(__always)
  mutating func skipSpace() {
    while cursor < end, cursor.pointee <= 0x20 {
      let byte = cursor.pointee
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      cursor += 1
    }
  }

  @inline(__always)
  mutating func take(_ expected: UInt8) throws(_FeedMismatch) {
    guard try byte() == expected else { throw _FeedMismatch() }
    cursor += 1
  }

  /// Reads a literal whose first letter has been checked.
  @inline(__always)
  mutating func take(literal word: StaticString) throws(_FeedMismatch) {
    let length = word.utf8CodeUnitCount
    guard end - cursor >= length else { throw _FeedMismatch() }
    for i in 0..<length where cursor[i] != word.utf8Start[i] { throw _FeedMismatch() }
    cursor += length
  }

  /// Reads `null` if it is the next value.
  public mutating func takeNull() throws(_FeedMismatch) -> Bool {
    guard try byte() == UInt8(ascii: "n") else { return false }
    try take(literal: "null")
    return true
  }

  @inline(__always)
  mutating func open(_ bracket: UInt8) throws(_FeedMismatch) {
    try take(bracket)
    guard depth > 0 else { throw _FeedMismatch() }
    depth -= 1
    skipSpace()
  }

  @inline(__always)
  mutating func close() {
    cursor += 1
    depth += 1
  }

  /// Starts an array.
  /// - Returns: whether it has an element; the reader is then at that element.
  public mutating func beginArray() throws(_FeedMismatch) -> Bool {
    try open(UInt8(ascii: "["))
    guard try byte() == UInt8(ascii: "]") else { return true }
    close()
    return false
  }

  /// Advances to the next element of an array.
  /// - Returns: whether there is one.
  public mutating func nextElement() throws(_FeedMismatch) -> Bool {
    skipSpace()
    if try byte() == UInt8(ascii: "]") {
      close()
      return false
    }
    try take(UInt8(ascii: ","))
    skipSpace()
    return true
  }
}

/// Signals that the reader can't read a value: the general decoder has to decode it.
public struct _FeedMismatch: Error {
  @usableFromInline init() {}
}
