import WireFormats

/// Scans strings, numbers and literals, which may be split anywhere between two pieces.
extension JSONScanner {
  /// The scanner's state inside a token.
  struct Token {
    enum Part: UInt8 {
      case plain, escape, hexadecimal, continuation
      case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
    }

    /// The start of the token's text, in bytes from the start of the document.
    var start = 0
    var part = Part.plain
    var isKey = false
    var marks: JSONTape.Marks = []
    var literal = JSONTape.Kind.null
    /// The number of matched bytes of a literal, of digits of an escape, or of remaining
    /// continuation bytes.
    var progress = 0
    var unit: UInt16 = 0
    var escapeStart = 0
    /// The end of an escaped high surrogate whose low surrogate may follow, or -1.
    var highSurrogateEnd = -1
    /// The range of the next continuation byte (RFC 3629 section 4).
    var lowest: UInt8 = 0x80
    var highest: UInt8 = 0xBF

    @inline(__always)
    mutating func startString(at offset: Int, isKey: Bool) {
      start = offset
      part = .plain
      self.isKey = isKey
      marks = []
      highSurrogateEnd = -1
    }

    @inline(__always)
    mutating func startNumber(at offset: Int) {
      start = offset
      part = .minus
      progress = 0
      marks = .integer
    }

    mutating func startLiteral(_ kind: JSONTape.Kind, at offset: Int) {
      start = offset
      literal = kind
      progress = 0
    }

    var numberIsComplete: Bool {
      switch part {
      case .zero, .integer, .fraction, .exponentDigits: true
      default: false
      }
    }
  }

  // MARK: Strings

  @inline(__always)
  mutating func scanString(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ i: inout Int
  ) throws {
    while i < count {
      switch token.part {
      case .plain:
        skipPlain(bytes, count, &i)
        guard i < count else { return }
        let byte = bytes[i]
        if byte == UInt8(ascii: "\"") {
          try finishString(bytes, i)
          i &+= 1
          return
        }
        try leavePlain(byte, bytes, &i)
      case .continuation:
        guard bytes[i] >= token.lowest, bytes[i] <= token.highest else {
          throw invalidUTF8(at: i, bytes)
        }
        token.lowest = 0x80
        token.highest = 0xBF
        token.progress &-= 1
        if token.progress == 0 { token.part = .plain }
        i &+= 1
      case .escape: try takeEscape(bytes, &i)
      default: try takeHexadecimal(bytes, &i)
      }
    }
  }

  /// Skips bytes that need no inspection: eight at a time, then up to the first special byte.
  @inline(__always)
  private func skipPlain(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ i: inout Int) {
    while i &+ 8 <= count {
      let word = UInt64(
        littleEndian: UnsafeRawPointer(bytes + i).loadUnaligned(as: UInt64.self))
      let special = JSONCursor.specialBytes(of: word)
      if special != 0 {
        i &+= special.trailingZeroBitCount &>> 3
        return
      }
      i &+= 8
    }
    while i < count {
      let byte = bytes[i]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return }
      i &+= 1
    }
  }

  private mutating func leavePlain(
    _ byte: UInt8, _ bytes: UnsafePointer<UInt8>, _ i: inout Int
  ) throws {
    switch byte {
    case UInt8(ascii: "\\"):
      token.marks.insert(.escaped)
      token.escapeStart = base &+ i
      token.part = .escape
    case 0xC2...0xDF: token.expectContinuation(1)
    case 0xE0: token.expectContinuation(2, lowest: 0xA0)
    case 0xED: token.expectContinuation(2, highest: 0x9F)
    case 0xE1...0xEF: token.expectContinuation(2)
    case 0xF0: token.expectContinuation(3, lowest: 0x90)
    case 0xF4: token.expectContinuation(3, highest: 0x8F)
    case 0xF1...0xF3: token.expectContinuation(3)
    case 0x00..<0x20:
      throw syntaxError(at: i, bytes, expected: "control characters in strings to be escaped")
    default:
      throw invalidUTF8(at: i, bytes)
    }
    i &+= 1
  }

  private mutating func takeEscape(_ bytes: UnsafePointer<UInt8>, _ i: inout Int) throws {
    switch bytes[i] {
    case UInt8(ascii: "u"):
      token.part = .hexadecimal
      token.progress = 0
      token.unit = 0
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      token.part = .plain
    default:
      throw syntaxError(at: i, bytes, expected: "one of \"\\/bfnrtu after a backslash")
    }
    i &+= 1
  }

  private mutating func takeHexadecimal(
    _ bytes: UnsafePointer<UInt8>, _ i: inout Int
  ) throws {
    guard let digit = hexadecimalValue(bytes[i]) else {
      throw syntaxError(at: i, bytes, expected: "four hexadecimal digits after \\u")
    }
    token.unit = token.unit &<< 4 | UInt16(digit)
    token.progress &+= 1
    i &+= 1
    if token.progress == 4 { token.takeUnit(end: base &+ i) }
  }

  @inline(__always)
  private mutating func finishString(_ bytes: UnsafePointer<UInt8>, _ i: Int) throws {
    if token.highSurrogateEnd >= 0 { token.marks.insert(.loneSurrogate) }
    if token.isKey, token.marks.contains(.loneSurrogate) { tape.hasBrokenKey = true }
    if mode == .capturing {
      tape.append(
        token.isKey ? .key : .string, offset: token.start &- captureOffset,
        end: base &+ i &- captureOffset, marks: token.marks)
    } else if mode == .outside {
      try finishOpenKey(bytes, i)
    }
    if token.isKey { state = .colon } else { valueFinished() }
  }
}

extension JSONScanner.Token {
  mutating func expectContinuation(_ count: Int, lowest: UInt8 = 0x80, highest: UInt8 = 0xBF) {
    part = .continuation
    progress = count
    self.lowest = lowest
    self.highest = highest
  }

  /// Handles a complete `\uXXXX` and checks that surrogates occur in pairs (RFC 8259 section 7).
  mutating func takeUnit(end: Int) {
    let follows = highSurrogateEnd == escapeStart
    if highSurrogateEnd >= 0, !(follows && unit & 0xFC00 == 0xDC00) {
      marks.insert(.loneSurrogate)
    }
    if unit & 0xFC00 == 0xDC00, !follows { marks.insert(.loneSurrogate) }
    highSurrogateEnd = unit & 0xFC00 == 0xD800 ? end : -1
    part = .plain
  }
}
