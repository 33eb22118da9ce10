/// Decodes the text of JSON strings whose bytes have been validated.
@usableFromInline
package enum JSONText {
  /// Returns the string between two quotation marks, with U+FFFD for surrogates without their partner.
  /// - Parameter bytes: valid bytes, with escapes or without.
  @usableFromInline
  package static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    // An escape is never shorter than its decoded form: `\n` is 2 bytes for 1, `\u00e9` is 6 for 2,
    // a pair of `\uXXXX` is 12 for 4.
    String(unsafeUninitializedCapacity: bytes.count) { output in
      var count = 0
      var i = 0
      while i < bytes.count {
        let byte = bytes[i]
        if byte != UInt8(ascii: "\\") {
          output[count] = byte
          count += 1
          i += 1
        } else if bytes[i + 1] != UInt8(ascii: "u") {
          output[count] = simpleEscape(bytes[i + 1])
          count += 1
          i += 2
        } else {
          for unit in UTF8.encode(scalar(bytes, &i)) ?? UTF8.encodedReplacementCharacter {
            output[count] = unit
            count += 1
          }
        }
      }
      return count
    }
  }

  private static func simpleEscape(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: byte
    }
  }

  /// Returns the scalar of `\uXXXX`, or of two such escapes that form a pair.
  private static func scalar(
    _ bytes: UnsafeBufferPointer<UInt8>, _ i: inout Int
  ) -> Unicode.Scalar {
    let high = unit(bytes, i + 2)
    i += 6
    guard high & 0xF800 == 0xD800 else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
    guard high & 0xFC00 == 0xD800, i + 5 < bytes.count, bytes[i] == UInt8(ascii: "\\"),
      bytes[i + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let low = unit(bytes, i + 2)
    guard low & 0xFC00 == 0xDC00 else { return "\u{FFFD}" }
    i += 6
    let value = 0x10000 + (UInt32(high & 0x3FF) << 10 | UInt32(low & 0x3FF))
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt16 {
    (0..<4).reduce(0) { $0 << 4 | UInt16(hexadecimalValue(bytes[start + $1]) ?? 0) }
  }
}

/// The value of a hexadecimal digit, or nil.
@inlinable @inline(__always)
package func hexadecimalValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
  default: nil
  }
}
