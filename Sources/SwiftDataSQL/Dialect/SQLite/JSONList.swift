/// Lists of values as JSON text for `json_each` (https://sqlite.org/json1.html).
enum JSONList {
  /// The text, or nil when JSON would not return every value exactly: reals are converted to
  /// decimal digits, blobs don't exist, and SQLite ends a text at U+0000.
  static func text(of values: [SQLValue]) -> String? {
    var text = "["
    for value in values {
      if text.utf8.count > 1 { text += "," }
      switch value {
      case .integer(let number): text += String(number)
      case .text(let string):
        guard append(string, to: &text) else { return nil }
      case .null, .real, .blob: return nil
      }
    }
    text += "]"
    return text
  }

  private static func append(_ string: String, to text: inout String) -> Bool {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar.value {
      case 0: return false
      case 0x22, 0x5C:
        text += "\\"
        text.unicodeScalars.append(scalar)
      case ..<0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
    return true
  }
}
