import Testing

@testable import SystemCrypto

/// The bytes of hexadecimal digits.
private func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

@Suite("SHA-256")
struct SHA256DigestTests {
  // Examples of NIST for FIPS 180-4.
  @Test(
    "is that of the standard",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func standard(text: String, digest: String) {
    #expect(SHA256Digest.bytes(of: text.utf8).hexadecimalText == digest)
    #expect(SHA256Digest.bytes(of: text.utf8.lazy.map { $0 }).hexadecimalText == digest)
  }

  @Test("is the same for any parts") func parts() {
    let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for size in [1, 63, 64, 65, 4_096] {
      var digest = SHA256Digest()
      for start in stride(from: 0, to: content.count, by: size) {
        content[start..<min(start + size, content.count)].withUnsafeBytes { digest.update($0) }
      }
      #expect(digest.bytes == SHA256Digest.bytes(of: content))
    }
  }

  @Test("of a copy and of a beginning leave the digest as it is") func copies() {
    var digest = SHA256Digest()
    Array("ab".utf8).withUnsafeBytes { digest.update($0) }
    var other = digest
    Array("x".utf8).withUnsafeBytes { other.update($0) }
    #expect(digest.bytes == SHA256Digest.bytes(of: "ab".utf8))
    Array("c".utf8).withUnsafeBytes { digest.update($0) }
    #expect(digest.bytes == SHA256Digest.bytes(of: "abc".utf8))
    #expect(other.bytes == SHA256Digest.bytes(of: "abx".utf8))
    digest.update(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(digest.bytes == SHA256Digest.bytes(of: "abc".utf8))
  }
}

@Suite("HMAC with SHA-256, and keys derived by it")
struct AuthenticationCodeTests {
  @Test("has the values of RFC 4231") func standard() {
    let first = AuthenticationCode(key: [UInt8](repeating: 0x0b, count: 20))
    #expect(
      first.bytes(of: Array("Hi There".utf8)).hexadecimalText
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    let second = AuthenticationCode(key: Array("Jefe".utf8))
    #expect(
      second.bytes(of: Array("what do ya ".utf8), [], Array("want for nothing?".utf8))
        .hexadecimalText
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let long = AuthenticationCode(key: [UInt8](repeating: 0xaa, count: 131))
    #expect(
      long.bytes(of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        .hexadecimalText
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test("takes an empty key and an empty message") func empty() {
    #expect(
      AuthenticationCode(key: []).bytes(of: []).hexadecimalText
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  @Test("gives the first block of RFC 5869, test case 3") func derivation() {
    let key = KeyDerivation.key(from: [UInt8](repeating: 0x0b, count: 22), for: "")
    #expect(
      key.hexadecimalText == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
  }
}

@Suite("AES-256-GCM")
struct AuthenticatedCipherTests {
  /// The test cases 13, 14 and 16 of the specification (McGrew, Viega: The Galois/Counter Mode of Operation).
  private static let cases:
    [(key: String, nonce: String, name: String, plain: String, sealed: String)] = [
      (
        String(repeating: "0", count: 64), String(repeating: "0", count: 24), "", "",
        "530f8afbc74536b9a963b4f1c4cb738b"
      ),
      (
        String(repeating: "0", count: 64), String(repeating: "0", count: 24), "",
        String(repeating: "0", count: 32),
        "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
      ),
      (
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        "cafebabefacedbaddecaf888",
        "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
          + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
          + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
          + "76fc6ece0f4e1768cddf8853bb2d551b"
      ),
    ]

  @Test("has the values of the specification", arguments: 0..<3) func standard(index: Int) {
    let (key, nonce, name, plain, sealed) = Self.cases[index]
    let cipher = AuthenticatedCipher(key: bytes(key))
    let result = cipher.seal(bytes(plain), nonce: bytes(nonce), authenticating: bytes(name))
    #expect(result.hexadecimalText == sealed)
    let opened = cipher.open(result, nonce: bytes(nonce), authenticating: bytes(name))
    #expect(opened == bytes(plain))
  }

  @Test("opens nothing that was changed in any byte, cut, or sealed otherwise") func changed() {
    let cipher = AuthenticatedCipher(key: [UInt8](repeating: 7, count: 32))
    let nonce = [UInt8](1...12)
    let sealed = cipher.seal(Array("text".utf8), nonce: nonce, authenticating: [1])
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(cipher.open(changed, nonce: nonce, authenticating: [1]) == nil)
      #expect(
        cipher.open(Array(sealed[..<index]), nonce: nonce, authenticating: [1]) == nil)
    }
    #expect(cipher.open(sealed, nonce: nonce, authenticating: []) == nil)
    #expect(cipher.open(sealed, nonce: nonce, authenticating: [2]) == nil)
    #expect(cipher.open(sealed, nonce: [UInt8](2...13), authenticating: [1]) == nil)
    #expect(cipher.open(sealed, nonce: [1], authenticating: [1]) == nil)
    let other = AuthenticatedCipher(key: [UInt8](repeating: 8, count: 32))
    #expect(other.open(sealed, nonce: nonce, authenticating: [1]) == nil)
    #expect(cipher.open(sealed, nonce: nonce, authenticating: [1]) == Array("text".utf8))
  }
}

@Suite("Keys from passwords: PBKDF2 with HMAC-SHA-256")
struct PasswordDerivationTests {
  // RFC 7914, section 11; those of RFC 6070 for SHA-256, and empty ones, as Python's hashlib derives them.
  @Test(
    "are those of the vectors",
    arguments: [
      (
        "passwd", "salt", 1,
        """
        55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
        49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783
        """
      ),
      (
        "Password", "NaCl", 80_000,
        """
        4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\
        a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
        """
      ),
      ("password", "salt", 1, "120fb6cffcf8b32c43e7225256c4f837a86548c9"),
      (
        "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4_096,
        "348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1c635518c7dac47e9"
      ),
      ("pass\0word", "sa\0lt", 4_096, "89b69d0516f829893c696226650a8687"),
      ("", "salt", 1, "f135c27993baf98773c5cdb40a5706ce6a345cde61b000a67858650cd6a324d7"),
      ("a", "", 1, "e1f132a3e1163487d87ab4201dd7cc3c276bf0d25f9d04d839d84a3de347def6"),
    ])
  func vectors(password: String, salt: String, iterations: Int, derived: String) {
    let bytes = KeyDerivation.bytes(
      fromPassword: Array(password.utf8), salt: Array(salt.utf8), iterations: iterations,
      count: derived.utf8.count / 2)
    #expect(bytes.hexadecimalText == derived)
  }
}
