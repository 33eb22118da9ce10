/// Reads one JSON object straight from the bytes of a feed, for what `@FeedElement` writes.
///
/// It goes over the bytes once and keeps no index. It validates as strictly as ``JSONScanner``, what is skipped too, and
/// gives up at everything that it can't take: bytes that aren't JSON, a value of another type, a missing member, a key
/// that comes twice, an object that isn't there to its end. The general decoder then takes the
/// same bytes from their start, and its result or its error counts. So there is one place that words errors.
public struct _FeedReader {
  /// How many containers a value may open here, whatever the limit is: types may contain themselves, and each
  /// level of them takes stack. What is deeper is left to the general decoder.
  static let deepest = 64

  var cursor: UnsafePointer<UInt8>
  var end: UnsafePointer<UInt8>
  /// How many more arrays and objects may be open at once.
  var depth: Int
  let decoder: JSONElementDecoder
  /// For single values that the general decoder takes.
  let tape = JSONTape()

  /// Makes a reader at the first byte of a value.
  /// - Parameter depth: how many arrays and objects the value may open at once.
  init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int, _ decoder: JSONElementDecoder) {
    // Without bytes, the reader is at its end and never looks at the address.
    cursor = bytes.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
    end = cursor + bytes.count
    self.depth = min(depth, Self.deepest)
    self.decoder = decoder
  }

  // MARK: Structure

  /// The byte at hand.
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

  /// Takes the rest of a literal whose first letter has been looked at.
  @inline(__always)
  mutating func take(literal word: StaticString) throws(_FeedMismatch) {
    let length = word.utf8CodeUnitCount
    guard end - cursor >= length else { throw _FeedMismatch() }
    for i in 0..<length where cursor[i] != word.utf8Start[i] { throw _FeedMismatch() }
    cursor += length
  }

  /// Takes `null` if it comes.
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

  /// Begins an array.
  /// - Returns: whether it has an element, at which the reader then is.
  public mutating func beginArray() throws(_FeedMismatch) -> Bool {
    try open(UInt8(ascii: "["))
    guard try byte() == UInt8(ascii: "]") else { return true }
    close()
    return false
  }

  /// Goes on to the next element of an array.
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

/// The reader can't take what comes: the general decoder has to look at it.
public struct _FeedMismatch: Error {
  @usableFromInline init() {}
}
