/// Properties of a string constant that are known without reading rows.
///
/// Swift's strings are equal when they are canonically equivalent, stored texts when their bytes
/// are equal. The two agree for a constant of ASCII characters that no other scalar decomposes to:
/// all ASCII characters but `K` (U+212A), `;` (U+037E) and `` ` `` (U+1FEF), the singleton
/// decompositions of UnicodeData.txt that end in ASCII. Other constants are compared by
/// ``SQLCollation/unicode``.
enum TextConstant {
  /// Whether only the same bytes are equal to `text`.
  static func hasUniqueEncoding(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      for byte in bytes where !isPlain(byte) { return false }
      return true
    }
  }

  /// Whether the byte is an ASCII character that no other scalar decomposes to.
  @inline(__always)
  static func isPlain(_ byte: UInt8) -> Bool {
    byte < 0x80 && byte != 0x4B && byte != 0x3B && byte != 0x60
  }

  /// The common leading bytes of all strings that begin, as characters, with `text`.
  ///
  /// A plain character followed by another kind of character may be the base of a composed
  /// character, so the last plain character before the first other one is left out.
  static func commonBytes(of text: String) -> String {
    let bytes = text.utf8
    guard let end = bytes.firstIndex(where: { !isPlain($0) }) else { return text }
    guard end > bytes.startIndex else { return "" }
    return String(text[..<bytes.index(before: end)])
  }

  /// The least string that is greater, byte by byte, than all strings that begin with `prefix`; nil
  /// when there is none. `prefix` is ASCII.
  static func upperBound(of prefix: String) -> String? {
    guard let last = prefix.utf8.last else { return nil }
    var scalars = prefix.unicodeScalars
    scalars.removeLast()
    scalars.append(Unicode.Scalar(UInt8(last + 1)))
    return String(scalars)
  }
}
