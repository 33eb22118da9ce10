import SwiftDataCore
import SystemCrypto

/// Encrypts single columns with AES-256-GCM (NIST SP 800-38D).
///
/// A sealed value is a blob: the version 1, the nonce (12 bytes), the ciphertext, the tag (16 bytes). The plaintext is
/// the cell's kind and its bytes. The column's name is authenticated with it, so that a value moved to another column
/// doesn't open.
///
/// The nonce is derived from key, column and plaintext (HMAC-SHA-256, truncated to 12 bytes), as in SIV modes (RFC
/// 5297, 1.1): two plaintexts share a nonce only by a collision of 96 bits, and equal values of one column give equal
/// blobs. This lets a constraint find a unique value and a save leave an unchanged row alone. A reader of the file
/// learns which rows of a column are equal, how long values are, and which are nil.
package struct ColumnCipher: Sendable {
  private static let version: UInt8 = 1
  private let cipher: AuthenticatedCipher
  private let nonces: AuthenticationCode
  private let checks: AuthenticationCode

  package init(_ key: EncryptionKey) {
    func derived(_ purpose: String) -> [UInt8] {
      KeyDerivation.key(from: Array(key.bytes), for: "OpenSwiftData column \(purpose)")
    }
    cipher = AuthenticatedCipher(key: derived("encryption"))
    nonces = AuthenticationCode(key: derived("nonce"))
    checks = AuthenticationCode(key: derived("check"))
  }

  /// A value by which a store recognizes the key; it reveals nothing about the key.
  package func checkValue(of storeIdentifier: String) -> String {
    checks.bytes(of: Array(storeIdentifier.utf8)).hexadecimalText
  }

  package func seal(_ plain: [UInt8], column: String) -> [UInt8] {
    let name = Array(column.utf8)
    // The length separates the name from the value.
    let length = withUnsafeBytes(of: UInt64(name.count).bigEndian) { Array($0) }
    let nonce = Array(
      nonces.bytes(of: length, name, plain).prefix(AuthenticatedCipher.nonceCount))
    return [Self.version] + nonce + cipher.seal(plain, nonce: nonce, authenticating: name)
  }

  /// - Returns: nil when the blob wasn't sealed with this key for this column, or was changed.
  package func open(_ sealed: some Collection<UInt8>, column: String) -> [UInt8]? {
    guard sealed.first == Self.version else { return nil }
    let rest = sealed.dropFirst()
    return cipher.open(
      Array(rest.dropFirst(AuthenticatedCipher.nonceCount)),
      nonce: Array(rest.prefix(AuthenticatedCipher.nonceCount)), authenticating: Array(column.utf8))
  }
}

extension ColumnCipher {
  /// The name under which values of a column are encrypted; renaming the property doesn't change it.
  package static func name(table: String, originalName: String, members: [String]) -> String {
    ([table, originalName] + members).joined(separator: ".")
  }
}

/// The bytes of a cell for encryption.
package enum CellBytes {
  package static func encode(_ cell: _Cell, bytes: ArraySlice<UInt8>) -> [UInt8] {
    if cell.isBytes { return [cell.kind.rawValue] + bytes }
    return [cell.kind.rawValue] + withUnsafeBytes(of: cell.bits.bigEndian) { Array($0) }
  }

  package static func decode(_ plain: [UInt8]) -> (kind: _Cell.Kind, bytes: [UInt8], bits: Int64?)?
  {
    guard let first = plain.first, let kind = _Cell.Kind(rawValue: first) else { return nil }
    let rest = plain.dropFirst()
    switch kind {
    case .text, .blob: return (kind, Array(rest), nil)
    case .integer, .real:
      guard rest.count == 8 else { return nil }
      return (kind, [], rest.reduce(0) { $0 << 8 | Int64($1) })
    case .null: return nil
    }
  }
}

extension _Cell {
  package var isBytes: Bool { kind == .text || kind == .blob }
}
