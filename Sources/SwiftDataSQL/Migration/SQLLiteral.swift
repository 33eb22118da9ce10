extension SQLValue {
  /// The value as a literal in a statement.
  package var literal: String {
    switch self {
    case .null: return "NULL"
    case .integer(let integer):
      // The smallest integer has no positive counterpart for the sign to negate.
      return integer == .min ? "(-9223372036854775807 - 1)" : "\(integer)"
    case .real(let real):
      if real == .infinity { return "9e999" }
      if real == -.infinity { return "-9e999" }
      return "\(real)"
    case .text(let text):
      // A string literal ends at a NUL.
      guard text.utf8.contains(0) else { return SQLIdentifier.literal(text) }
      return "CAST(\(Self.hexadecimal(Array(text.utf8))) AS TEXT)"
    case .blob(let bytes): return Self.hexadecimal(bytes)
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "X'\(String(decoding: text, as: UTF8.self))'"
  }
}
