import Crypto
import Foundation
import SwiftDataSQL

/// The text of a statement as the server takes it. Translators write `?` for each parameter, and names of any length.
package enum PostgresStatementText {
  /// The number of bytes of a name; the server cuts off what follows
  /// (https://www.postgresql.org/docs/15/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS).
  static let maximumNameLength = 63

  /// Numbers the parameters of a statement, and shortens its names. Texts in quotes stay as they are; there are neither
  /// comments nor literals with backslashes.
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
      default:
        output.append(byte)
        bytes.removeFirst()
      }
    }
    return String(decoding: output, as: UTF8.self)
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
