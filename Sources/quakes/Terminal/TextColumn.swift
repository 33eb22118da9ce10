import QuakesKit

/// Text as a column of a table: exactly as wide as asked for.
enum TextColumn {
  /// Text at the left, cut with `…` when it is too long.
  static func left(_ text: String, _ width: Int) -> String {
    let fitted = PlainText.fitted(text, columns: width)
    return fitted + String(repeating: " ", count: max(0, width - PlainText.width(fitted)))
  }

  /// Text at the right; never cut.
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - PlainText.width(text))) + text
  }
}
