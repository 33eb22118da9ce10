/// A position in JSON text that is in memory, with the grammar of RFC 8259: the part that all readers share.
///
/// A cursor moves over the bytes once and keeps nothing else. Where it throws, it stands at the place of the error. It
/// doesn't keep the memory alive: it must not be used after the bytes are gone.
@usableFromInline
package struct JSONCursor {
  /// The maximum number of containers that may be open at the same time, whatever the reader allows: ``skipValue()``
  /// has a bit for each.
  @inlinable package static var deepest: Int { 64 }

  @usableFromInline package var position: UnsafePointer<UInt8>
  @usableFromInline package var end: UnsafePointer<UInt8>
  /// The number of further arrays and objects that may be open at the same time.
  @usableFromInline package var depth: Int

  /// Creates a cursor at the first byte.
  /// - Parameters:
  ///   - bytes: the text; it has to stay in memory as long as the cursor is used.
  ///   - depth: the number of arrays and objects that may be open at the same time, at most ``deepest``.
  @inlinable
  package init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int) {
    // Without bytes, the cursor is at its end and never dereferences the address.
    position = bytes.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
    end = position + bytes.count
    self.depth = min(depth, Self.deepest)
  }

  // MARK: Structure

  /// The byte at the cursor.
  @inlinable @inline(__always)
  package func byte() throws(JSONError.Reason) -> UInt8 {
    guard position < end else { throw .value }
    return position.pointee
  }

  @inlinable @inline(__always)
  package mutating func skipBlanks() {
    while position < end, position.pointee <= 0x20 {
      let byte = position.pointee
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  /// Moves past a byte.
  /// - Parameter reason: what the error names if another byte is at the cursor.
  @inlinable @inline(__always)
  package mutating func take(
    _ expected: UInt8, else reason: JSONError.Reason
  ) throws(JSONError.Reason) {
    guard position < end, position.pointee == expected else { throw reason }
    position += 1
  }

  /// Moves past white space, and past a byte if it is the next one.
  /// - Returns: whether it was.
  @inlinable @inline(__always)
  package mutating func takeNext(_ expected: UInt8) -> Bool {
    skipBlanks()
    guard position < end, position.pointee == expected else { return false }
    position += 1
    return true
  }

  /// Moves past a literal whose first letter has been checked.
  /// - Parameter reason: what the error names if it is another word.
  @inlinable @inline(__always)
  package mutating func take(
    literal word: StaticString, else reason: JSONError.Reason
  ) throws(JSONError.Reason) {
    let length = word.utf8CodeUnitCount
    guard end - position >= length else { throw reason }
    for i in 0..<length where position[i] != word.utf8Start[i] { throw reason }
    position += length
  }

  /// Moves past `null` if it is at the cursor.
  /// - Returns: whether it was.
  @inlinable
  package mutating func takeNull() throws(JSONError.Reason) -> Bool {
    guard try byte() == UInt8(ascii: "n") else { return false }
    try take(literal: "null", else: .null)
    return true
  }

  /// Reads a Boolean.
  @inlinable
  package mutating func bool() throws(JSONError.Reason) -> Bool {
    if try byte() == UInt8(ascii: "t") {
      try take(literal: "true", else: .true)
      return true
    }
    try take(literal: "false", else: .false)
    return false
  }

  /// Moves into an array or an object, to its first byte that isn't white space.
  /// - Parameters:
  ///   - bracket: the opening bracket.
  ///   - reason: what the error names if another byte is at the cursor.
  @inlinable @inline(__always)
  package mutating func open(
    _ bracket: UInt8, else reason: JSONError.Reason
  ) throws(JSONError.Reason) {
    guard position < end, position.pointee == bracket else { throw reason }
    guard depth > 0 else { throw .depth }
    position += 1
    depth -= 1
    skipBlanks()
  }

  /// Moves past the closing bracket at the cursor.
  @inlinable @inline(__always)
  package mutating func close() {
    position += 1
    depth += 1
  }

  // MARK: Skipping

  /// Moves past a value of any kind, which is validated.
  @inlinable
  package mutating func skipValue() throws(JSONError.Reason) {
    switch try byte() {
    case UInt8(ascii: "\""):
      position += 1
      _ = try skipString()
    case UInt8(ascii: "n"): try take(literal: "null", else: .null)
    case UInt8(ascii: "t"): try take(literal: "true", else: .true)
    case UInt8(ascii: "f"): try take(literal: "false", else: .false)
    case UInt8(ascii: "{"), UInt8(ascii: "["): try skipContainer()
    default: _ = try skipNumber()
    }
  }

  /// Moves past an array or an object with any content, without recursion.
  @usableFromInline
  mutating func skipContainer() throws(JSONError.Reason) {
    // A bit for each open container, the innermost lowest: 1 for an object. There are at most `deepest` of them.
    var kinds: UInt64 = 0
    var level = 0
    while true {
      // A value starts here.
      let first = try byte()
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        let isObject = first == UInt8(ascii: "{")
        try open(first, else: .value)
        kinds = kinds &<< 1 | (isObject ? 1 : 0)
        level += 1
        if try byte() != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { try skipName() }
          continue
        }
        close()
        kinds &>>= 1
        level -= 1
      } else {
        try skipValue()
      }
      // A value has ended here.
      while level > 0 {
        let isObject = kinds & 1 == 1
        if takeNext(UInt8(ascii: ",")) {
          skipBlanks()
          if isObject { try skipName() }
          break
        }
        guard position < end,
          position.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        else { throw isObject ? .endOfObject : .endOfArray }
        close()
        kinds &>>= 1
        level -= 1
      }
      if level == 0 { return }
    }
  }

  /// Moves past the name of a member, to its value.
  private mutating func skipName() throws(JSONError.Reason) {
    try take(UInt8(ascii: "\""), else: .memberName)
    _ = try skipString()
    guard takeNext(UInt8(ascii: ":")) else { throw .colon }
    skipBlanks()
  }
}
