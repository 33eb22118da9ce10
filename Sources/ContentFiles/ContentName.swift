import SystemCrypto

/// Computes the names of files that are named by their content: the SHA-256 of the bytes (FIPS 180-4) as 64 lowercase
/// hexadecimal digits. Large values in external storage and attachments have such names, so equal bytes have one file.
package struct ContentName {
  private var digest = SHA256Digest()

  package init() {}

  /// Adds bytes to the content.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    digest.update(bytes)
  }

  /// The name of all bytes so far.
  package var text: String { digest.bytes.hexadecimalText }

  /// Returns the name of a whole content.
  package static func text(of bytes: some Collection<UInt8>) -> String {
    SHA256Digest.bytes(of: bytes).hexadecimalText
  }

  /// Whether a text has the form of such a name and therefore can't lead to a file elsewhere.
  package static func isName(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { hexadecimalDigits.contains($0) }
  }
}
