import WireFormats

/// The text of strings that the scanner has validated and marked.
extension JSONText {
  /// Returns the string between two quotation marks.
  /// - Returns: nil when it contains an escaped surrogate without its partner, which no Swift
  ///   string can represent.
  @inline(__always)
  static func string(
    _ bytes: UnsafeBufferPointer<UInt8>, _ marks: JSONTape.Marks
  ) -> String? {
    if marks.isEmpty { return String(decoding: bytes, as: UTF8.self) }
    return marks.contains(.loneSurrogate) ? nil : unescaped(bytes)
  }

  /// Returns the string between two quotation marks, with U+FFFD for surrogates without their
  /// partner.
  static func lossyString(
    _ bytes: UnsafeBufferPointer<UInt8>, _ marks: JSONTape.Marks
  ) -> String {
    marks.isEmpty ? String(decoding: bytes, as: UTF8.self) : unescaped(bytes)
  }
}
