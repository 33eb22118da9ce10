/// Skips values that aren't requested: they are only validated.
extension _FeedReader {
  /// The processing that a string needs besides copying its bytes.
  enum StringForm {
    case plain, escaped, loneSurrogate
  }

  /// Skips a value of any kind.
  mutating func skipValue() throws(_FeedMismatch) {
    switch try byte() {
    case UInt8(ascii: "\""):
      cursor += 1
      _ = try skipString()
    case UInt8(ascii: "n"): try take(literal: "null")
    case UInt8(ascii: "t"): try take(literal: "true")
    case UInt8(ascii: "f"): try take(literal: "false")
    case UInt8(ascii: "{"), UInt8(ascii: "["): try skipContainer()
    default: _ = try skipNumber()
    }
  }

  /// Skips an array or an object with any content, without recursion.
  private mutating func skipContainer() throws(_FeedMismatch) {
    // A bit for each open container, the innermost lowest: 1 for an object. There are at most `deepest` of them.
    var kinds: UInt64 = 0
    var level = 0
    while true {
      // A value starts here.
      let first = try byte()
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        let isObject = first == UInt8(ascii: "{")
        try open(first)
        kinds = kinds &<< 1 | (isObject ? 1 : 0)
        level += 1
        if try byte() != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { try skipKey() }
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
        skipSpace()
        let isObject = kinds & 1 == 1
        let next = try byte()
        if next == UInt8(ascii: ",") {
          cursor += 1
          skipSpace()
          if isObject { try skipKey() }
          break
        }
        guard next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw _FeedMismatch()
        }
        close()
        kinds &>>= 1
        level -= 1
      }
      if level == 0 { return }
    }
  }

  private mutating func skipKey() throws(_FeedMismatch) {
    try take(UInt8(ascii: "\""))
    _ = try skipString()
    skipSpace()
    try take(UInt8(ascii: ":"))
    skipSpace()
  }

  // MARK: Strings

  /// Skips a string after its opening quotation mark, including the closing quotation mark.
  @inline(__always)
  mutating func skipString() throws(_FeedMismatch) -> StringForm {
    skipPlain()
    guard cursor < end else { throw _FeedMismatch() }
    if cursor.pointee == UInt8(ascii: "\"") {
      cursor += 1
      return .plain
    }
    return try skipSpecialString()
  }

  /// Continues in a string at a byte that needs inspection.
  @inline(never)
  private mutating func skipSpecialString() throws(_FeedMismatch) -> StringForm {
    var form = StringForm.plain
    while true {
      skipPlain()
      switch try byte() {
      case UInt8(ascii: "\""):
        cursor += 1
        return form
      case UInt8(ascii: "\\"):
        let isPaired = try skipEscape()
        if !isPaired { form = .loneSurrogate } else if form == .plain { form = .escaped }
      case 0x80...: try skipWide()
      default: throw _FeedMismatch()
      }
    }
  }

  /// Finds the bytes that need inspection: control characters, quotation marks, backslashes and non-ASCII bytes.
  /// - Returns: a word whose lowest set bit is the top bit of the first such byte; zero when there is none.
  @inline(__always)
  static func specialBytes(of word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    // The lowest set bit marks the first special byte exactly; borrows only spread upwards.
    return
      (word | ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
      | ((backslash &- ones) & ~backslash)) & tops
  }

  /// Skips bytes that need no inspection: eight at a time, then up to the first special byte.
  @inline(__always)
  private mutating func skipPlain() {
    while end - cursor >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
      let special = Self.specialBytes(of: word)
      if special != 0 {
        cursor += special.trailingZeroBitCount &>> 3
        return
      }
      cursor += 8
    }
    while cursor < end {
      let byte = cursor.pointee
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return }
      cursor += 1
    }
  }

  /// Skips an escape, or two escapes that form a surrogate pair.
  /// - Returns: false for a surrogate without its partner.
  private mutating func skipEscape() throws(_FeedMismatch) -> Bool {
    cursor += 1
    switch try byte() {
    case UInt8(ascii: "u"): break
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      cursor += 1
      return true
    default: throw _FeedMismatch()
    }
    let first = try takeUnit()
    guard first & 0xF800 == 0xD800 else { return true }
    guard first & 0xFC00 == 0xD800, end - cursor >= 2, cursor[0] == UInt8(ascii: "\\"),
      cursor[1] == UInt8(ascii: "u")
    else { return false }
    let second = cursor
    cursor += 1
    if try takeUnit() & 0xFC00 == 0xDC00 { return true }
    // The second escape is read again: it may start a pair of its own.
    cursor = second
    return false
  }

  /// Reads the `u` of an escape and its four digits.
  private mutating func takeUnit() throws(_FeedMismatch) -> UInt16 {
    guard end - cursor >= 5 else { throw _FeedMismatch() }
    var unit: UInt16 = 0
    for i in 1...4 {
      guard let digit = hexadecimalValue(cursor[i]) else { throw _FeedMismatch() }
      unit = unit &<< 4 | UInt16(digit)
    }
    cursor += 5
    return unit
  }

  /// Skips a character of two to four bytes (RFC 3629 section 4).
  private mutating func skipWide() throws(_FeedMismatch) {
    let first = cursor.pointee
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
    default: throw _FeedMismatch()
    }
    guard end - cursor >= length, second.contains(cursor[1]) else { throw _FeedMismatch() }
    for i in 2..<max(2, length) where cursor[i] & 0xC0 != 0x80 { throw _FeedMismatch() }
    cursor += length
  }
}
