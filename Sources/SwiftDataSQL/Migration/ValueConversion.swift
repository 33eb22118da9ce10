import SwiftDataCore

/// Converts the values of a column to another type without loss: values that don't fit are found beforehand, by a
/// condition or by decoding.
struct ValueConversion {
  private let sql: SQLConversion
  /// Whether each value has to be decoded as the new type and must encode to the same column again.
  let needsDecoding: Bool

  /// The SQL expression of the new value, from that of the old value.
  var expression: (String) -> String { sql.expression }
  /// A condition for values without an equivalent in the new type; nil when all values have one.
  var failure: ((String) -> String)? { sql.failure }
  var isIdentity: Bool { expression("x") == "x" }

  /// - Returns: nil when no conversion can be inferred, such as the number for a date.
  init?(from old: ColumnDescription, to new: ColumnDescription, dialect: any SQLDialect) {
    guard let sql = dialect.conversion(from: old.kind, to: new.kind) else { return nil }
    self.sql = sql
    let isUnchecked = old.type == new.type || Self.isWidening(old.type, new.type)
    if old.kind == new.kind {
      needsDecoding = !isUnchecked
      return
    }
    switch (old.kind, new.kind) {
    case (.boolean, .integer), (.boolean, .unsigned), (.boolean, .real): needsDecoding = false
    case (.integer, .boolean), (.integer, .unsigned), (.unsigned, .integer), (.unsigned, .boolean):
      needsDecoding = !isUnchecked
    case (.integer, .real), (.unsigned, .real): needsDecoding = new.type != "Double"
    case (.real, .integer), (.real, .unsigned), (.decimal, .integer), (.text, .integer),
      (.decimal, .unsigned), (.text, .unsigned):
      needsDecoding = new.type != "Int" && new.type != "Int64"
    case (.integer, .decimal), (.unsigned, .decimal), (.integer, .text), (.unsigned, .text):
      needsDecoding = new.type != "Decimal" && new.type != "String"
    case (.url, .text), (.uuid, .text): needsDecoding = new.type != "String"
    case (.text, .url): needsDecoding = true
    default: return nil
    }
  }

  /// Whether every value of the first type is also a value of the second.
  private static func isWidening(_ old: String, _ new: String) -> Bool {
    if old == "Bool" { return integers[new] != nil || new == "UInt" || new == "UInt64" }
    if old == "Float", new == "Double" { return true }
    if let old = integers[old], let new = integers[new] {
      return new.lowerBound <= old.lowerBound && old.upperBound <= new.upperBound
    }
    if let old = integers[old], new == "UInt" || new == "UInt64" { return old.lowerBound >= 0 }
    return ["UInt", "UInt64"].contains(old) && ["UInt", "UInt64"].contains(new)
  }

  private static let integers: [String: ClosedRange<Int64>] = [
    "Int": .min ... .max, "Int64": .min ... .max, "Int32": -2_147_483_648...2_147_483_647,
    "Int16": -32768...32767, "Int8": -128...127, "UInt32": 0...4_294_967_295,
    "UInt16": 0...65535, "UInt8": 0...255,
  ]
}
