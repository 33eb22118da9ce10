/// Names in SQL text. Every identifier is quoted, so that names of models and properties are never
/// read as keywords.
package enum SQLIdentifier {
  /// The name of the column with the row ID.
  package static let rowIDName = "_id"

  /// The quoted name of the column with the row ID.
  package static var rowID: String { "\"_id\"" }

  /// `name` in double quotes, with quotes inside doubled (https://sqlite.org/lang_keywords.html).
  package static func quoted(_ name: String) -> String {
    var text = "\""
    if name.utf8.contains(0x22) {
      for character in name.unicodeScalars {
        if character == "\"" { text += "\"" }
        text.unicodeScalars.append(character)
      }
    } else {
      text += name
    }
    text += "\""
    return text
  }

  /// `text` as a string literal.
  package static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
