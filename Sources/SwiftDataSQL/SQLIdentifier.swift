import SwiftDataCore

/// Names in SQL text. Every identifier is quoted, so that names of models and properties are never
/// read as keywords.
package enum SQLIdentifier {
  /// The name of the column with the row ID.
  package static var rowIDName: String { ColumnPlan.rowIDName }

  /// The quoted name of the column with the row ID.
  package static var rowID: String { "\"_id\"" }

  /// `name` in double quotes, with quotes inside doubled (https://sqlite.org/lang_keywords.html).
  package static func quoted(_ name: String) -> String { enclosed(name, in: "\"") }

  /// `text` as a string literal.
  package static func literal(_ text: String) -> String { enclosed(text, in: "'") }

  /// `text` between two quotes, with those inside doubled.
  private static func enclosed(_ text: String, in quote: Unicode.Scalar) -> String {
    var result = String(quote)
    if text.utf8.contains(UInt8(ascii: quote)) {
      // Not characters: one may be a quote with an accent.
      for scalar in text.unicodeScalars {
        if scalar == quote { result.unicodeScalars.append(quote) }
        result.unicodeScalars.append(scalar)
      }
    } else {
      result += text
    }
    result.unicodeScalars.append(quote)
    return result
  }
}
