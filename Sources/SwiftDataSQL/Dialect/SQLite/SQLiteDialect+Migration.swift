import SwiftDataCore

extension SQLiteDialect {
  package func literal(_ value: SQLValue, of kind: ColumnKind) -> String {
    switch value {
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
      return "CAST(\(hexadecimal(Array(text.utf8))) AS TEXT)"
    case .blob(let bytes): return hexadecimal(bytes)
    }
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "X'\(String(decoding: text, as: UTF8.self))'"
  }

  package func null(like definition: String) -> String { "NULL" }

  package func conversion(from old: ColumnKind, to new: ColumnKind) -> SQLConversion? {
    if old == new { return SQLConversion() }
    switch (old, new) {
    case (.boolean, .integer), (.boolean, .unsigned), (.integer, .boolean), (.integer, .unsigned),
      (.unsigned, .integer), (.unsigned, .boolean), (.url, .text), (.text, .url):
      return SQLConversion()
    case (.boolean, .real): return SQLConversion { "CAST(\($0) AS REAL)" }
    case (.integer, .real), (.unsigned, .real):
      // A double holds every integer of 53 bits, and some larger ones. The largest integer becomes 2⁶³, which a cast
      // gives back as the largest integer.
      return SQLConversion(
        failure: { value in
          "typeof(\(value)) <> 'integer' OR \(value) = \(Int64.max)"
            + " OR CAST(CAST(\(value) AS REAL) AS INTEGER) <> \(value)"
        }
      ) { "CAST(\($0) AS REAL)" }
    case (.real, .integer), (.real, .unsigned):
      return SQLConversion(
        failure: { "typeof(\($0)) <> 'real' OR CAST(\($0) AS INTEGER) <> \($0)" }
      ) { "CAST(\($0) AS INTEGER)" }
    case (.integer, .decimal), (.unsigned, .decimal), (.integer, .text), (.unsigned, .text):
      return SQLConversion(failure: { "typeof(\($0)) <> 'integer'" }) { "CAST(\($0) AS TEXT)" }
    case (.decimal, .integer), (.text, .integer), (.decimal, .unsigned), (.text, .unsigned):
      return SQLConversion(
        failure: { "CAST(CAST(\($0) AS INTEGER) AS TEXT) <> \($0)" }
      ) { "CAST(\($0) AS INTEGER)" }
    case (.uuid, .text):
      return SQLConversion { [self] value in
        "CASE WHEN \(value) IS NOT NULL THEN \(uuidText(value)) END"
      }
    default: return nil
    }
  }
}
