#if canImport(CryptoKit)
  import CommonCrypto
  import CryptoKit
  import Foundation

  final class DigestState {
    private var digest: SHA256

    init(_ digest: SHA256 = SHA256()) { self.digest = digest }

    func copy() -> DigestState { DigestState(digest) }
    func update(_ bytes: UnsafeRawBufferPointer) { digest.update(bufferPointer: bytes) }
    /// Returns the digest; nothing can follow.
    func finish() -> [UInt8] { Array(digest.finalize()) }
  }

  /// A code that authenticates messages: HMAC with SHA-256 (RFC 2104).
  package final class AuthenticationCode: Sendable {
    private let key: SymmetricKey

    package init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// Returns the 32 bytes of the code of a message.
    /// - Parameter parts: the message, whose parts follow each other.
    package func bytes(of parts: [UInt8]...) -> [UInt8] {
      var code = HMAC<SHA256>(key: key)
      for part in parts { code.update(data: part) }
      return Array(code.finalize())
    }
  }

  extension KeyDerivation {
    /// Returns bytes that are derived from a password: PBKDF2 with HMAC and SHA-256 (RFC 8018, section 5.2).
    /// - Parameters:
    ///   - salt: Random bytes, which other passwords don't share.
    ///   - iterations: The number of iterations, at least 1; the time is proportional to it.
    ///   - count: The number of bytes to return, at least 1.
    package static func bytes(
      fromPassword password: [UInt8], salt: [UInt8], iterations: Int, count: Int
    ) -> [UInt8] {
      precondition(iterations > 0 && count > 0, "PBKDF2 needs an iteration and a byte")
      // CryptoKit doesn't have it.
      return [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
        let result = password.withUnsafeBytes { password in
          CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), password.bindMemory(to: CChar.self).baseAddress,
            password.count, salt, salt.count, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256),
            UInt32(clamping: iterations), buffer.baseAddress, count)
        }
        precondition(result == kCCSuccess, "PBKDF2: \(result)")
        made = count
      }
    }
  }

  /// AES-256-GCM (NIST SP 800-38D).
  package struct AuthenticatedCipher: Sendable {
    private let key: SymmetricKey

    /// - Parameter key: 32 bytes.
    package init(key: [UInt8]) {
      precondition(key.count == 32, "a key of AES-256 has 32 bytes")
      self.key = SymmetricKey(data: key)
    }

    /// Encrypts a text.
    /// - Parameters:
    ///   - nonce: 12 bytes, which the same key uses once, or for the same text only.
    ///   - name: authenticated, but not part of the result.
    /// - Returns: the ciphertext, of the length of the text, and 16 bytes that authenticate both.
    package func seal(
      _ plain: [UInt8], nonce: [UInt8], authenticating name: [UInt8]
    ) -> [UInt8] {
      do {
        let box = try AES.GCM.seal(
          plain, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: name)
        return Array(box.ciphertext) + Array(box.tag)
      } catch { preconditionFailure("AES-256-GCM: \(error)") }
    }

    /// Decrypts what `seal` returned.
    /// - Returns: nil when it was changed, or sealed with another key, nonce or name.
    package func open(
      _ sealed: [UInt8], nonce: [UInt8], authenticating name: [UInt8]
    ) -> [UInt8]? {
      do {
        let box = try AES.GCM.SealedBox(combined: Data(nonce + sealed))
        return Array(try AES.GCM.open(box, using: key, authenticating: name))
      } catch {
        return nil  // Every failure means the same to the caller.
      }
    }
  }
#endif
