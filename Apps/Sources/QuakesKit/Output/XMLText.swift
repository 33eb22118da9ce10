/// Writes XML (https://www.w3.org/TR/xml/) as UTF-8 bytes, element by element.
struct XMLText: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Appends markup as it is.
  mutating func raw(_ markup: StaticString) {
    markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends a text for an element or a quoted attribute. Characters that XML can't contain and other control
  /// characters become U+FFFD.
  mutating func text(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": raw("&amp;")
      case "<": raw("&lt;")
      case ">": raw("&gt;")
      case "\"": raw("&quot;")
      case "'": raw("&#39;")
      case "\t", "\n", "\r": bytes.append(UInt8(ascii: " "))
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": raw("\u{FFFD}")
      default: bytes.append(contentsOf: String(scalar).utf8)
      }
    }
  }

  /// Appends an element with a text; nothing for nil.
  mutating func element(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    raw("<")
    raw(name)
    raw(">")
    self.text(text)
    raw("</")
    raw(name)
    raw(">")
  }

  /// Appends an element with elements in it.
  mutating func element(_ name: StaticString, _ content: (inout XMLText) -> Void) {
    raw("<")
    raw(name)
    raw(">")
    content(&self)
    raw("</")
    raw(name)
    raw(">")
  }
}
