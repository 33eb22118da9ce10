#if !canImport(CryptoKit)
  import CLibcrypto

  /// Algorithms of libcrypto, in a context of our own: so the system's configuration, which can turn algorithms off,
  /// isn't read.
  enum Library {
    nonisolated(unsafe) private static let context: OpaquePointer? = {
      // Without this, the end of a process would free what other threads still use.
      OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
      return OSSL_LIB_CTX_new()
    }()
    nonisolated(unsafe) static let sha256 = need(EVP_MD_fetch(context, "SHA256", nil))
    nonisolated(unsafe) static let hmac = need(EVP_MAC_fetch(context, "HMAC", nil))
    nonisolated(unsafe) static let aes256GCM = need(EVP_CIPHER_fetch(context, "AES-256-GCM", nil))
    nonisolated(unsafe) static let pbkdf2 = need(EVP_KDF_fetch(context, "PBKDF2", nil))

    /// Unwraps what the library returns. It returns nothing only without memory, where Swift's own allocations end the
    /// process, too.
    @discardableResult
    static func need(_ value: OpaquePointer?) -> OpaquePointer {
      guard let value else { fatalError("libcrypto has no memory") }
      return value
    }

    /// Returns the address of a constant name, which a parameter keeps beyond the call that makes it.
    static func name(_ text: StaticString) -> UnsafePointer<CChar> {
      UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// The same for operations on contexts, which can't fail otherwise.
    static func check(_ result: Int32) { need(result == 1 ? context : nil) }
  }

  final class DigestState {
    private let context: OpaquePointer

    private init(_ context: OpaquePointer) { self.context = context }

    convenience init() {
      let context = Library.need(EVP_MD_CTX_new())
      Library.check(EVP_DigestInit_ex(context, Library.sha256, nil))
      self.init(context)
    }

    deinit { EVP_MD_CTX_free(context) }

    func copy() -> DigestState {
      let copy = Library.need(EVP_MD_CTX_new())
      Library.check(EVP_MD_CTX_copy_ex(copy, context))
      return DigestState(copy)
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
      guard let start = bytes.baseAddress else { return }
      Library.check(EVP_DigestUpdate(context, start, bytes.count))
    }

    /// Returns the digest; nothing can follow.
    func finish() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
        Library.check(EVP_DigestFinal_ex(context, buffer.baseAddress, nil))
        count = 32
      }
    }
  }

  /// A code that authenticates messages: HMAC with SHA-256 (RFC 2104).
  package final class AuthenticationCode: @unchecked Sendable {
    /// Ready for a message; copied for each one, and otherwise only read.
    private let context: OpaquePointer

    package init(key: [UInt8]) {
      context = Library.need(EVP_MAC_CTX_new(Library.hmac))
      // An empty key needs an address, too.
      let isReady = (key.isEmpty ? [0] : key).withUnsafeBufferPointer { bytes in
        var options = [
          OSSL_PARAM_construct_utf8_string(
            Library.name("digest"), UnsafeMutablePointer(mutating: Library.name("SHA256")), 0),
          OSSL_PARAM_construct_end(),
        ]
        return EVP_MAC_init(context, bytes.baseAddress, key.count, &options)
      }
      Library.check(isReady)
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// Returns the 32 bytes of the code of a message.
    /// - Parameter parts: the message, whose parts follow each other.
    package func bytes(of parts: [UInt8]...) -> [UInt8] {
      let copy = Library.need(EVP_MAC_CTX_dup(context))
      defer { EVP_MAC_CTX_free(copy) }
      for part in parts where !part.isEmpty {
        Library.check(EVP_MAC_update(copy, part, part.count))
      }
      return [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
        Library.check(EVP_MAC_final(copy, buffer.baseAddress, &count, 32))
      }
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
      let context = Library.need(EVP_KDF_CTX_new(Library.pbkdf2))
      defer { EVP_KDF_CTX_free(context) }
      // Empty ones need an address, too.
      var (pass, seasoning) = (password + [0], salt + [0])
      var rounds = UInt64(iterations)
      // Without the lowest values of SP 800-132: the vectors of RFC 7914 have short salts.
      var isUnlimited: Int32 = 1
      return [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
        let result = pass.withUnsafeMutableBytes { pass in
          seasoning.withUnsafeMutableBytes { seasoning in
            withUnsafeMutablePointer(to: &rounds) { rounds in
              withUnsafeMutablePointer(to: &isUnlimited) { isUnlimited in
                let options = [
                  OSSL_PARAM_construct_utf8_string(
                    Library.name("digest"), UnsafeMutablePointer(mutating: Library.name("SHA256")),
                    0),
                  OSSL_PARAM_construct_octet_string(
                    Library.name("pass"), pass.baseAddress, password.count),
                  OSSL_PARAM_construct_octet_string(
                    Library.name("salt"), seasoning.baseAddress, salt.count),
                  OSSL_PARAM_construct_uint64(Library.name("iter"), rounds),
                  OSSL_PARAM_construct_int(Library.name("pkcs5"), isUnlimited),
                  OSSL_PARAM_construct_end(),
                ]
                return EVP_KDF_derive(context, buffer.baseAddress, count, options)
              }
            }
          }
        }
        Library.check(result)
        made = count
      }
    }
  }

  /// AES-256-GCM (NIST SP 800-38D).
  package struct AuthenticatedCipher: Sendable {
    private let key: [UInt8]

    /// - Parameter key: 32 bytes.
    package init(key: [UInt8]) {
      precondition(key.count == 32, "a key of AES-256 has 32 bytes")
      self.key = key
    }

    /// Encrypts a text.
    /// - Parameters:
    ///   - nonce: 12 bytes, which the same key uses once, or for the same text only.
    ///   - name: authenticated, but not part of the result.
    /// - Returns: the ciphertext, of the length of the text, and 16 bytes that authenticate both.
    package func seal(
      _ plain: [UInt8], nonce: [UInt8], authenticating name: [UInt8]
    ) -> [UInt8] {
      precondition(nonce.count == Self.nonceCount, "a nonce has 12 bytes")
      let context = start(nonce, authenticating: name, isSealing: true)
      defer { EVP_CIPHER_CTX_free(context) }
      return [UInt8](unsafeUninitializedCapacity: plain.count + Self.tagCount) { buffer, count in
        Self.convert(plain[...], with: context, to: buffer)
        var length: Int32 = 0
        let end = buffer.baseAddress?.advanced(by: plain.count)
        Library.check(EVP_CipherFinal_ex(context, end, &length))
        Library.check(
          EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), end))
        count = plain.count + Self.tagCount
      }
    }

    /// Decrypts what `seal` returned.
    /// - Returns: nil when it was changed, or sealed with another key, nonce or name.
    package func open(
      _ sealed: [UInt8], nonce: [UInt8], authenticating name: [UInt8]
    ) -> [UInt8]? {
      guard sealed.count >= Self.tagCount, nonce.count == Self.nonceCount else { return nil }
      let context = start(nonce, authenticating: name, isSealing: false)
      defer { EVP_CIPHER_CTX_free(context) }
      let size = sealed.count - Self.tagCount
      var isWhole = false
      let plain = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { buffer, count in
        Self.convert(sealed[..<size], with: context, to: buffer)
        var tag = Array(sealed[size...])
        Library.check(
          EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &tag))
        var length: Int32 = 0
        isWhole = EVP_CipherFinal_ex(context, buffer.baseAddress?.advanced(by: size), &length) == 1
        count = isWhole ? size : 0
      }
      return isWhole ? plain : nil
    }

    /// Returns a context that has the key, the nonce and the name; the caller frees it.
    private func start(
      _ nonce: [UInt8], authenticating name: [UInt8], isSealing: Bool
    ) -> OpaquePointer {
      let context = Library.need(EVP_CIPHER_CTX_new())
      Library.check(
        EVP_CipherInit_ex2(context, Library.aes256GCM, key, nonce, isSealing ? 1 : 0, nil))
      var length: Int32 = 0
      if !name.isEmpty {
        Library.check(EVP_CipherUpdate(context, nil, &length, name, Int32(name.count)))
      }
      return context
    }

    /// Encrypts or decrypts bytes, of which the library takes fewer than two gibibytes at a time.
    private static func convert(
      _ bytes: ArraySlice<UInt8>, with context: OpaquePointer,
      to buffer: UnsafeMutableBufferPointer<UInt8>
    ) {
      for start in stride(from: 0, to: bytes.count, by: 1 << 30) {
        bytes.dropFirst(start).prefix(1 << 30).withUnsafeBufferPointer { piece in
          var length: Int32 = 0
          let target = buffer.baseAddress?.advanced(by: start)
          Library.check(
            EVP_CipherUpdate(context, target, &length, piece.baseAddress, Int32(piece.count)))
        }
      }
    }
  }
#endif
