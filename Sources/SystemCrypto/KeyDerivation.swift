extension AuthenticatedCipher {
  /// The number of bytes of a nonce.
  package static let nonceCount = 12
  /// The number of bytes that authenticate a ciphertext.
  package static let tagCount = 16
}

/// Keys that are derived from another one, by HKDF with SHA-256 and without a salt (RFC 5869), or from a password, by
/// PBKDF2.
package enum KeyDerivation {
  /// Returns a key of 32 bytes, which is one block of the function's output.
  /// - Parameters:
  ///   - master: the key from which it is derived.
  ///   - purpose: the purpose of the derived key (`info`).
  package static func key(from master: [UInt8], for purpose: String) -> [UInt8] {
    let extracted = AuthenticationCode(key: [UInt8](repeating: 0, count: 32)).bytes(of: master)
    return AuthenticationCode(key: extracted).bytes(of: Array(purpose.utf8), [1])
  }
}
