import HTTPContent

/// Formats text as a column of a table with an exact width.
package enum TextColumn {
  /// Returns left-aligned text, cut with `…` when it is too long.
  package static func left(_ text: String, _ width: Int) -> String {
    let fitted = PlainText.fitted(text, columns: width)
    return fitted + String(repeating: " ", count: max(0, width - PlainText.width(fitted)))
  }

  /// Returns right-aligned text; never cut.
  package static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - PlainText.width(text))) + text
  }
}
