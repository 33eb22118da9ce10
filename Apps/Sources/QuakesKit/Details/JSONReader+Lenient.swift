import WireFormats

/// Reading of documents whose values may have other types than they should.
extension JSONReader {
  /// Reads an object member by member; skips a value of another kind.
  mutating func members(
    _ member: (inout JSONReader, _ name: String) throws -> Void
  ) throws {
    guard try kind() == .object else { return try skipValue() }
    try object(member)
  }

  /// Reads an array element by element; skips a value of another kind.
  mutating func elements(_ element: (inout JSONReader) throws -> Void) throws {
    guard try kind() == .array else { return try skipValue() }
    try array(element)
  }

  /// Reads a text, or a number as text; nil for a value of another kind, and for a longer text.
  /// - Parameter limit: the maximum length, in bytes.
  mutating func text(upTo limit: Int) throws -> String? {
    switch try kind() {
    case .string:
      let text = try string()
      return text.utf8.count <= limit ? text : nil
    case .number:
      switch try number() {
      case .integer(let whole): return String(whole)
      case .real(let value): return String(value)
      }
    default:
      try skipValue()
      return nil
    }
  }

  /// Reads a number, or a text that is one; nil for a value of another kind.
  mutating func finiteNumber() throws -> Double? { try text(upTo: 40).flatMap(Self.number) }

  /// Returns the number that a text is; nil for infinities and what isn't decimal.
  static func number(_ text: String) -> Double? {
    let isDecimal = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains($0)
    }
    guard isDecimal, let value = Double(text), value.isFinite else { return nil }
    return value
  }
}
