/// Names in SQL text. Every identifier is quoted, so that names of models and properties are never
/// read as keywords.
package enum SQLIdentifier {
  /// The column that holds a row's identity.
  package static let rowID = "_id"

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
