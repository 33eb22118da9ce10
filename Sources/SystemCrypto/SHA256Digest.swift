/// SHA-256 of bytes that come in parts (FIPS 180-4).
package struct SHA256Digest {
  private var state = DigestState()

  package init() {}

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if !isKnownUniquelyReferenced(&state) { state = state.copy() }
    state.update(bytes)
  }

  /// The 32 bytes of the digest of all bytes so far; more can follow.
  package var bytes: [UInt8] { state.copy().finish() }

  /// Returns the 32 bytes of the digest of a whole content.
  package static func bytes(of content: some Sequence<UInt8>) -> [UInt8] {
    var digest = SHA256Digest()
    let isAdded: Void? = content.withContiguousStorageIfAvailable {
      digest.update(UnsafeRawBufferPointer($0))
    }
    if isAdded == nil { Array(content).withUnsafeBytes { digest.update($0) } }
    return digest.state.finish()
  }
}

extension Sequence<UInt8> {
  /// The bytes as lowercase hexadecimal digits.
  package var hexadecimalText: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      text.append(hexadecimalDigits[Int(byte >> 4)])
      text.append(hexadecimalDigits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The digits of ``Swift/Sequence/hexadecimalText``, by their values.
package let hexadecimalDigits = Array("0123456789abcdef".utf8)
