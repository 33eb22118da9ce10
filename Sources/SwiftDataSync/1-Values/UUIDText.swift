import Foundation

/// Converts between UUIDs and their text (RFC 9562 section 4), in uppercase as in Foundation. Keys are converted for
/// every object, and Foundation uses C's formatted input and output for it.
enum UUIDText {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// - Parameter bytes: Sixteen bytes.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var place = 0
      for byte in bytes where place < 36 {
        if place == 8 || place == 13 || place == 18 || place == 23 {
          buffer[place] = UInt8(ascii: "-")
          place += 1
        }
        buffer[place] = digits[Int(byte >> 4)]
        buffer[place + 1] = digits[Int(byte & 15)]
        place += 2
      }
      return place
    }
  }

  /// Returns the bytes of a UUID in uppercase or lowercase.
  ///
  /// - Returns: nil for any other text.
  static func bytes(_ text: String) -> [UInt8]? {
    number(text).map { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
  }

  /// Returns the bytes of a UUID in uppercase or lowercase as one number, with the first byte the highest.
  ///
  /// - Returns: nil for any other text.
  static func number(_ text: String) -> UInt128? {
    var text = text
    return text.withUTF8 { utf8 in
      guard utf8.count == 36 else { return nil }
      var (high, low): (UInt64, UInt64) = (0, 0)
      for place in 0..<36 {
        if place == 8 || place == 13 || place == 18 || place == 23 {
          guard utf8[place] == UInt8(ascii: "-") else { return nil }
          continue
        }
        guard let digit = digit(utf8[place]) else { return nil }
        if place < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      }
      return UInt128(high) << 64 | UInt128(low)
    }
  }

  /// Whether a text is a UUID in uppercase.
  static func isCanonical(_ text: String) -> Bool {
    !text.utf8.contains { (0x61...0x7A).contains($0) } && number(text) != nil
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x30...0x39: character - 0x30
    case 0x41...0x46: character - 0x37
    case 0x61...0x66: character - 0x57
    default: nil
    }
  }
}
