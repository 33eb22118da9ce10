import Foundation
import SwiftDataSQL
import SystemCrypto

/// The text of a statement as the server takes it. Translators write `?` for each parameter, and names of any length.
package enum PostgresStatementText {
  /// The number of bytes of a name; the server cuts off what follows
  /// (https://www.postgresql.org/docs/15/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS).
  static let maximumNameLength = 63

  /// Numbers the parameters of a statement, and shortens its names. Texts in quotes and comments stay as they are;
  /// there are no literals with backslashes.
  package static func finished(_ sql: String) -> String {
    sql.withCString { text in
      let count = sql.utf8.count
      var output: [UInt8] = []
      var parameters = 0
      // The text before `copied` is in the output, that from there to `position` isn't yet.
      var copied = 0
      var position = 0
      func replace(from start: Int, to end: Int, by replacement: String) {
        output += UnsafeRawBufferPointer(start: text + copied, count: start - copied)
        output += replacement.utf8
        copied = end
      }
      while true {
        // The C library's searches are fast in debug builds, too.
        position += strcspn(text + position, "?'\"-/")
        guard position < count else { break }
        let start = position
        switch UInt8(bitPattern: text[start]) {
        case UInt8(ascii: "?"):
          parameters += 1
          position += 1
          replace(from: start, to: position, by: "$\(parameters)")
        case UInt8(ascii: "'"): position = endOfQuotes(text, start)
        case UInt8(ascii: "\""):
          position = endOfQuotes(text, start)
          if position - start > maximumNameLength + 2 {
            let name = UnsafeRawBufferPointer(start: text + start, count: position - start)
            replace(from: start, to: position, by: shortened(quoted: name))
          }
        default: position = endOfComment(text, start)
        }
      }
      if copied == 0 { return sql }
      replace(from: count, to: count, by: "")
      return String(decoding: output, as: UTF8.self)
    }
  }

  /// Whether a text has nothing but spaces, comments and semicolons.
  static func isEmpty(_ sql: String) -> Bool {
    sql.withCString { text in
      var position = 0
      while true {
        position += strspn(text + position, " \t\n\r\u{0C};")
        guard text[position] != 0 else { return true }
        let end = endOfComment(text, position)
        if end == position + 1 { return false }
        position = end
      }
    }
  }

  /// Whether a text before it is finished has numbered parameters.
  static func hasParameters(_ sql: String) -> Bool {
    sql.withCString { text in
      var position = 0
      while true {
        position += strcspn(text + position, "$'\"-/")
        switch UInt8(bitPattern: text[position]) {
        case 0: return false
        case UInt8(ascii: "$"):
          position += 1
          if strspn(text + position, "0123456789") > 0 { return true }
        case UInt8(ascii: "'"), UInt8(ascii: "\""): position = endOfQuotes(text, position)
        default: position = endOfComment(text, position)
        }
      }
    }
  }

  /// The end of a comment (https://www.postgresql.org/docs/15/sql-syntax-lexical.html#SQL-SYNTAX-COMMENTS), or of the
  /// character where none begins.
  private static func endOfComment(_ text: UnsafePointer<CChar>, _ start: Int) -> Int {
    if strncmp(text + start, "--", 2) == 0 { return start + strcspn(text + start, "\n\r") }
    guard strncmp(text + start, "/*", 2) == 0 else { return start + 1 }
    var depth = 1
    var position = start + 2
    while depth > 0 {
      position += strcspn(text + position, "/*")
      if text[position] == 0 { break }
      if strncmp(text + position, "/*", 2) == 0 {
        depth += 1
        position += 2
      } else if strncmp(text + position, "*/", 2) == 0 {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    }
    return position
  }

  /// The end of a part in quotes. A doubled quote stands for one in the part.
  private static func endOfQuotes(_ text: UnsafePointer<CChar>, _ start: Int) -> Int {
    let quote = text[start]
    var position = start + 1
    while let found = strchr(text + position, Int32(quote)) {
      position = UnsafePointer(found) - text + 1
      if text[position] != quote { return position }
      position += 1
    }
    return position + strlen(text + position)
  }

  private static func shortened(quoted name: UnsafeRawBufferPointer) -> String {
    var inner: [UInt8] = []
    var isDoubled = false
    for byte in name.dropFirst().dropLast() {
      isDoubled = byte == UInt8(ascii: "\"") && !isDoubled
      if !isDoubled { inner.append(byte) }
    }
    return SQLIdentifier.quoted(shortened(String(decoding: inner, as: UTF8.self)))
  }

  /// A name that the server keeps whole: a longer one is cut and gets eight hexadecimal digits of its hash.
  package static func shortened(_ name: String) -> String {
    guard name.utf8.count > maximumNameLength else { return name }
    let hash = SHA256Digest.bytes(of: name.utf8).prefix(4).hexadecimalText
    var prefix = ""
    for character in name.unicodeScalars {
      guard prefix.utf8.count + character.utf8.count <= maximumNameLength - 9 else { break }
      prefix.unicodeScalars.append(character)
    }
    return prefix + "_" + hash
  }
}
