import Crypto
import Foundation
import SwiftDataSQL

/// The text of a statement as the server takes it. Translators write `?` for each parameter, and names of any length.
package enum PostgresStatementText {
  /// The number of bytes of a name; the server cuts off what follows
  /// (https://www.postgresql.org/docs/15/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS).
  static let maximumNameLength = 63

  /// Numbers the parameters of a statement, and shortens its names. Texts in quotes and comments stay as they are; there
  /// are no literals with backslashes.
  package static func finished(_ sql: String) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(sql.utf8.count + 16)
    var parameters = 0
    var bytes = Array(sql.utf8)[...]
    while let byte = bytes.first {
      switch byte {
      case UInt8(ascii: "?"):
        parameters += 1
        output += "$\(parameters)".utf8
        bytes.removeFirst()
      case UInt8(ascii: "'"): output += quoted(&bytes)
      case UInt8(ascii: "\""): output += shortened(quoted(&bytes))
      case UInt8(ascii: "-"), UInt8(ascii: "/"): output += commentOrCharacter(&bytes)
      default:
        output.append(byte)
        bytes.removeFirst()
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Whether a text has nothing but spaces, comments and semicolons.
  static func isEmpty(_ sql: String) -> Bool {
    var bytes = Array(sql.utf8)[...]
    while let byte = bytes.first {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D, 0x0C, UInt8(ascii: ";"): bytes.removeFirst()
      case UInt8(ascii: "-"), UInt8(ascii: "/"):
        if commentOrCharacter(&bytes).count == 1 { return false }
      default: return false
      }
    }
    return true
  }

  /// Whether a text before it is finished has numbered parameters.
  static func hasParameters(_ sql: String) -> Bool {
    var bytes = Array(sql.utf8)[...]
    while let byte = bytes.first {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): _ = quoted(&bytes)
      case UInt8(ascii: "-"), UInt8(ascii: "/"): _ = commentOrCharacter(&bytes)
      default:
        bytes.removeFirst()
        if byte == UInt8(ascii: "$"), let next = bytes.first, (0x30...0x39).contains(next) {
          return true
        }
      }
    }
    return false
  }

  /// Removes and returns a comment (https://www.postgresql.org/docs/15/sql-syntax-lexical.html#SQL-SYNTAX-COMMENTS),
  /// or the first character where none begins.
  private static func commentOrCharacter(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = bytes
    if bytes.starts(with: "--".utf8) {
      let end = bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
      bytes = bytes[end...]
    } else if bytes.starts(with: "/*".utf8) {
      var depth = 0
      repeat {
        if bytes.starts(with: "/*".utf8) {
          depth += 1
          bytes.removeFirst(2)
        } else if bytes.starts(with: "*/".utf8) {
          depth -= 1
          bytes.removeFirst(2)
        } else {
          bytes.removeFirst()
        }
      } while depth > 0 && !bytes.isEmpty
    } else {
      bytes.removeFirst()
    }
    return start[..<bytes.startIndex]
  }

  /// Removes and returns a part in quotes, with them. A doubled quote ends the part and begins another one, except in
  /// a name.
  private static func quoted(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let quote = bytes[bytes.startIndex]
    var end = bytes.startIndex + 1
    while end < bytes.endIndex {
      if bytes[end] == quote {
        guard end + 1 < bytes.endIndex, bytes[end + 1] == quote else { break }
        end += 1
      }
      end += 1
    }
    let part = bytes[bytes.startIndex..<min(end + 1, bytes.endIndex)]
    bytes = bytes[part.endIndex...]
    return part
  }

  private static func shortened(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard name.count > maximumNameLength + 2 else { return name }
    let inner = String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
      .replacingOccurrences(of: "\"\"", with: "\"")
    return Array(SQLIdentifier.quoted(shortened(inner)).utf8)[...]
  }

  /// A name that the server keeps whole: a longer one is cut and gets eight hexadecimal digits of its hash.
  package static func shortened(_ name: String) -> String {
    guard name.utf8.count > maximumNameLength else { return name }
    let hash = SHA256.hash(data: Data(name.utf8)).prefix(4).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    var prefix = ""
    for character in name.unicodeScalars {
      guard prefix.utf8.count + character.utf8.count <= maximumNameLength - 9 else { break }
      prefix.unicodeScalars.append(character)
    }
    return prefix + "_" + hash
  }
}
