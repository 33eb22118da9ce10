/// Scans numbers (RFC 8259 section 6) and the three literals.
extension JSONScanner {
  @inline(__always)
  mutating func scanNumber(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ i: inout Int
  ) throws {
    while i < count {
      let byte = bytes[i]
      let isDigit = byte &- UInt8(ascii: "0") < 10
      if isDigit, token.takesDigits {
        i &+= 1
        continue
      }
      switch token.part {
      case .minus where byte == UInt8(ascii: "-") && token.progress == 0: token.progress = 1
      case .minus where isDigit: token.part = byte == UInt8(ascii: "0") ? .zero : .integer
      case .zero, .integer, .fraction, .exponentDigits:
        guard !isDigit, token.continueNumber(with: byte) else {
          finishNumber(at: i)
          return
        }
      case .point where isDigit: token.part = .fraction
      case .exponent where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"):
        token.part = .exponentSign
      case .exponent where isDigit, .exponentSign where isDigit: token.part = .exponentDigits
      default:
        try refuse(at: i, bytes, expected: "a digit")
        return
      }
      i &+= 1
    }
  }

  /// Ends a number before the byte at a position; that byte is scanned as structure.
  mutating func finishNumber(at i: Int) {
    if mode == .capturing {
      tape.append(
        .number, offset: token.start &- captureOffset, end: base &+ i &- captureOffset,
        marks: token.marks)
    }
    valueFinished()
  }

  mutating func scanLiteral(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ i: inout Int
  ) throws {
    let word: StaticString =
      switch token.literal {
      case .true: "true"
      case .false: "false"
      default: "null"
      }
    while i < count {
      guard bytes[i] == word.utf8Start[token.progress] else {
        try refuse(at: i, bytes, expected: "a value such as true, false or null")
        return
      }
      token.progress &+= 1
      i &+= 1
      if token.progress == word.utf8CodeUnitCount {
        if mode == .capturing {
          tape.append(
            token.literal, offset: token.start &- captureOffset,
            end: base &+ i &- captureOffset)
        }
        valueFinished()
        return
      }
    }
  }
}

extension JSONScanner.Token {
  @inline(__always)
  var takesDigits: Bool {
    part == .integer || part == .fraction || part == .exponentDigits
  }

  /// Continues with the fraction or the exponent, if the byte starts one here.
  @inline(__always)
  mutating func continueNumber(with byte: UInt8) -> Bool {
    if byte == UInt8(ascii: "."), part == .zero || part == .integer {
      part = .point
    } else if byte | 0x20 == UInt8(ascii: "e"), part != .exponentDigits {
      part = .exponent
    } else {
      return false
    }
    marks = []
    return true
  }
}
