import Crypto
import Foundation

/// Computes the names of attachments: SHA-256 in hexadecimal digits.
struct AttachmentHash {
  private var digest = SHA256()

  mutating func update(_ bytes: UnsafeRawBufferPointer) { digest.update(bufferPointer: bytes) }

  /// The hash of all bytes so far.
  var name: String { Self.hexadecimal(digest.finalize()) }

  static func name(of bytes: some Collection<UInt8>) -> String {
    var hash = AttachmentHash()
    let isHashed: Void? = bytes.withContiguousStorageIfAvailable {
      hash.update(UnsafeRawBufferPointer($0))
    }
    if isHashed == nil { Array(bytes).withUnsafeBytes { hash.update($0) } }
    return hash.name
  }

  /// Whether a text has the form of such a name and is therefore safe as a file name.
  static func isName(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func hexadecimal(_ digest: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
