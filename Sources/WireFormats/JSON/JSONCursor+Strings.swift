/// Strings (RFC 8259 section 7), whose bytes are UTF-8 (RFC 3629).
extension JSONCursor {
  /// The processing that a string needs besides copying its bytes.
  @usableFromInline
  package enum StringForm {
    /// No escapes.
    case plain
    /// Escapes.
    case escaped
    /// An escaped surrogate without its partner (RFC 8259 section 8.2), which no Swift string can represent.
    case loneSurrogate
  }

  /// Reads a string.
  @inlinable
  package mutating func string() throws(JSONError.Reason) -> String {
    try take(UInt8(ascii: "\""), else: .text)
    let start = position
    let form = try skipString()
    let text = UnsafeBufferPointer(start: start, count: position - 1 - start)
    switch form {
    case .plain: return String(decoding: text, as: UTF8.self)
    case .escaped: return JSONText.unescaped(text)
    case .loneSurrogate: throw moveToLoneSurrogate(from: start)
    }
  }

  /// Moves past a string after its opening quotation mark, including the closing quotation mark.
  @inlinable @inline(__always)
  package mutating func skipString() throws(JSONError.Reason) -> StringForm {
    skipPlain()
    guard position < end else { throw .endOfText }
    if position.pointee == UInt8(ascii: "\"") {
      position += 1
      return .plain
    }
    return try skipSpecialString()
  }

  /// Continues in a string at a byte that needs inspection.
  @usableFromInline @inline(never)
  mutating func skipSpecialString() throws(JSONError.Reason) -> StringForm {
    var form = StringForm.plain
    while true {
      skipPlain()
      guard position < end else { throw .endOfText }
      switch position.pointee {
      case UInt8(ascii: "\""):
        position += 1
        return form
      case UInt8(ascii: "\\"):
        let isPaired = try skipEscape()
        if !isPaired { form = .loneSurrogate } else if form == .plain { form = .escaped }
      case 0x80...: try skipWide()
      default: throw .noControlCharacter
      }
    }
  }

  /// Finds the bytes that need inspection: control characters, quotation marks, backslashes and non-ASCII bytes.
  /// - Returns: a word whose lowest set bit is the top bit of the first such byte; zero when there is none.
  @inlinable @inline(__always)
  package static func specialBytes(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    // The lowest set bit marks the first special byte exactly; borrows only spread upwards.
    return
      (word | ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
      | ((backslash &- ones) & ~backslash)) & tops
  }

  /// Moves past bytes that need no inspection: eight at a time, then up to the first special byte.
  @inlinable @inline(__always)
  mutating func skipPlain() {
    while end - position >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(position).loadUnaligned(as: UInt64.self))
      let special = Self.specialBytes(of: word)
      if special != 0 {
        position += special.trailingZeroBitCount &>> 3
        return
      }
      position += 8
    }
    while position < end {
      let byte = position.pointee
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return }
      position += 1
    }
  }

  /// Moves past an escape, or past two escapes that form a surrogate pair.
  /// - Returns: false for a surrogate without its partner.
  private mutating func skipEscape() throws(JSONError.Reason) -> Bool {
    position += 1
    guard position < end else { throw .escape }
    switch position.pointee {
    case UInt8(ascii: "u"): break
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
      return true
    default:
      position += 1
      throw .escape
    }
    let first = try takeUnit()
    guard first & 0xF800 == 0xD800 else { return true }
    guard first & 0xFC00 == 0xD800, end - position >= 2, position[0] == UInt8(ascii: "\\"),
      position[1] == UInt8(ascii: "u")
    else { return false }
    let second = position
    position += 1
    if try takeUnit() & 0xFC00 == 0xDC00 { return true }
    // The second escape is read again: it may start a pair of its own.
    position = second
    return false
  }

  /// Reads the `u` of an escape and its four digits.
  private mutating func takeUnit() throws(JSONError.Reason) -> UInt16 {
    position += 1
    guard end - position >= 4 else { throw .hexadecimalDigits }
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = hexadecimalValue(position.pointee) else { throw .hexadecimalDigits }
      unit = unit &<< 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Moves past a character of two to four bytes (RFC 3629 section 4).
  private mutating func skipWide() throws(JSONError.Reason) {
    let first = position.pointee
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if first == 0xE0 { second = 0xA0...0xBF } else if first == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if first == 0xF0 { second = 0x90...0xBF } else if first == 0xF4 { second = 0x80...0x8F }
    default: throw .utf8
    }
    guard end - position >= length, second.contains(position[1]) else { throw .utf8 }
    for i in 2..<max(2, length) where position[i] & 0xC0 != 0x80 { throw .utf8 }
    position += length
  }

  /// Moves behind the first surrogate without its partner.
  /// - Parameter start: the first byte of the string, which has been validated up to the cursor.
  /// - Returns: what was expected there.
  @usableFromInline @inline(never)
  mutating func moveToLoneSurrogate(from start: UnsafePointer<UInt8>) -> JSONError.Reason {
    let behind = position
    position = start
    while position < behind {
      guard position.pointee == UInt8(ascii: "\\") else {
        position += 1
        continue
      }
      guard position[1] == UInt8(ascii: "u") else {
        position += 2
        continue
      }
      let first = validUnit(at: position)
      position += 6
      if first & 0xFC00 == 0xDC00 { return .character }
      guard first & 0xFC00 == 0xD800 else { continue }
      guard position[0] == UInt8(ascii: "\\"), position[1] == UInt8(ascii: "u") else {
        return .lowSurrogate
      }
      let second = validUnit(at: position)
      position += 6
      guard second & 0xFC00 == 0xDC00 else { return .character }
    }
    return .character
  }

  /// Returns the code unit of an escape that has been validated.
  private func validUnit(at escape: UnsafePointer<UInt8>) -> UInt16 {
    (2..<6).reduce(0) { $0 << 4 | UInt16(hexadecimalValue(escape[$1]) ?? 0) }
  }
}
