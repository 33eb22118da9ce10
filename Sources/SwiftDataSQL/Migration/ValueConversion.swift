import SwiftDataCore

/// Converts the values of a column to another type without loss: values that don't fit are found beforehand, by a
/// condition or by decoding.
struct ValueConversion {
  /// The SQL expression of the new value, from that of the old value.
  let expression: (String) -> String
  /// A condition for values without an equivalent in the new type; nil when all values have one.
  let failure: ((String) -> String)?
  /// Whether each value has to be decoded as the new type and must encode to the same column again.
  let needsDecoding: Bool

  private init(
    needsDecoding: Bool = false, failure: ((String) -> String)? = nil,
    _ expression: @escaping (String) -> String = { $0 }
  ) {
    self.expression = expression
    self.failure = failure
    self.needsDecoding = needsDecoding
  }

  var isIdentity: Bool { expression("x") == "x" }

  /// - Returns: nil when no conversion can be inferred, such as the number for a date.
  init?(from old: ColumnDescription, to new: ColumnDescription) {
    let isUnchecked = old.type == new.type || Self.isWidening(old.type, new.type)
    if old.kind == new.kind {
      self.init(needsDecoding: !isUnchecked)
      return
    }
    switch (old.kind, new.kind) {
    case (.boolean, .integer), (.boolean, .unsigned):
      self.init()
    case (.integer, .boolean), (.integer, .unsigned), (.unsigned, .integer), (.unsigned, .boolean):
      self.init(needsDecoding: !isUnchecked)
    case (.boolean, .real):
      self.init { "CAST(\($0) AS REAL)" }
    case (.integer, .real), (.unsigned, .real):
      // A double holds every integer of 53 bits, and some larger ones.
      self.init(
        needsDecoding: new.type != "Double",
        failure: { value in
          "typeof(\(value)) <> 'integer' OR CAST(CAST(\(value) AS REAL) AS INTEGER) <> \(value)"
        }
      ) { "CAST(\($0) AS REAL)" }
    case (.real, .integer), (.real, .unsigned):
      self.init(
        needsDecoding: new.type != "Int" && new.type != "Int64",
        failure: { "typeof(\($0)) <> 'real' OR CAST(\($0) AS INTEGER) <> \($0)" }
      ) { "CAST(\($0) AS INTEGER)" }
    case (.integer, .decimal), (.unsigned, .decimal), (.integer, .text), (.unsigned, .text):
      self.init(
        needsDecoding: new.type != "Decimal" && new.type != "String",
        failure: { "typeof(\($0)) <> 'integer'" }
      ) { "CAST(\($0) AS TEXT)" }
    case (.decimal, .integer), (.text, .integer), (.decimal, .unsigned), (.text, .unsigned):
      self.init(
        needsDecoding: new.type != "Int" && new.type != "Int64",
        failure: { "CAST(CAST(\($0) AS INTEGER) AS TEXT) <> \($0)" }
      ) { "CAST(\($0) AS INTEGER)" }
    case (.url, .text):
      self.init(needsDecoding: new.type != "String")
    case (.text, .url):
      self.init(needsDecoding: true)
    case (.uuid, .text):
      self.init(needsDecoding: new.type != "String", Self.uuidText)
    default: return nil
    }
  }

  private static func uuidText(_ value: String) -> String {
    let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map {
      "substr(hex(\(value)), \($0.0), \($0.1))"
    }
    return "CASE WHEN \(value) IS NOT NULL THEN \(parts.joined(separator: " || '-' || ")) END"
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
