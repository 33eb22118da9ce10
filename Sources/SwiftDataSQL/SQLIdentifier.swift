/// Names in SQL text. Every identifier is quoted, so that no name of a model or property is a
/// keyword.
package enum SQLIdentifier {
  /// The column that holds a row's identity.
  package static let rowID = "_id"

  /// `name` between double quotes, quotes in it doubled (https://sqlite.org/lang_keywords.html).
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
