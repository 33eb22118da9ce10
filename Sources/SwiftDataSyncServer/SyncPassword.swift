import Foundation
import SystemCrypto

/// A password as a server keeps it: a random salt, and what PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2) derives
/// from both. The password itself can't be read from it.
///
/// Deriving takes a few tenths of a second of a processor on purpose: ``init(_:)`` and ``matches(_:)`` must not run on
/// a thread that answers requests, and attempts have to be limited.
public struct SyncPassword: Hashable, Sendable {
  /// The number of iterations for new passwords: the least that OWASP's Password Storage Cheat Sheet (2023) recommends
  /// for HMAC-SHA-256.
  public static let iterations = 600_000
  /// The most iterations that are read, so that a stored form can't occupy a processor for long.
  static let mostIterations = 20_000_000
  /// The maximum length of a password, in bytes of UTF-8.
  public static let longest = 1_024
  private static let scheme = "pbkdf2-sha256"
  private static let saltCount = 16
  private static let keyCount = 32

  private let rounds: Int
  private let salt: [UInt8]
  private let key: [UInt8]

  /// Derives the stored form of a password.
  /// - Parameter password: The password; canonically equivalent spellings are the same one. One with U+0000 never
  ///   matches.
  public init(_ password: String) {
    rounds = Self.iterations
    salt = Self.random(Self.saltCount)
    key = Self.derived(password, salt, rounds)
  }

  /// Reads a stored form.
  /// - Parameter text: The text that ``text`` returned.
  /// - Returns: nil for any other text, and for fewer iterations than ``iterations``.
  public init?(text: String) {
    guard text.utf8.count <= 200 else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == Self.scheme,
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let rounds = Int(parts[1]),
      (Self.iterations...Self.mostIterations).contains(rounds),
      let salt = Self.bytes(parts[2]), salt.count == Self.saltCount,
      let key = Self.bytes(parts[3]), key.count == Self.keyCount
    else { return nil }
    (self.rounds, self.salt, self.key) = (rounds, salt, key)
  }

  private init(dummy: Void) {
    rounds = Self.iterations
    salt = Self.random(Self.saltCount)
    key = Self.random(Self.keyCount)
  }

  /// A password that nobody has. Comparing with it takes as long as with another one: for the names of users that a
  /// server doesn't know, which the duration of an answer then doesn't tell.
  public static let dummy = SyncPassword(dummy: ())

  /// The stored form: the method, the number of iterations, the salt and the derived bytes, in one line of ASCII.
  public var text: String {
    "\(Self.scheme):\(rounds):\(salt.hexadecimalText):\(key.hexadecimalText)"
  }

  /// Returns whether a password is this one. The duration doesn't depend on where they differ.
  public func matches(_ password: String) -> Bool {
    // HMAC fills a short key up with zeros (RFC 2104, section 2), so zeros at the end would make no difference.
    guard password.utf8.count <= Self.longest, !password.utf8.contains(0) else { return false }
    return ConstantTime.difference(Self.derived(password, salt, rounds), key) == 0
  }

  private static func derived(_ password: String, _ salt: [UInt8], _ rounds: Int) -> [UInt8] {
    KeyDerivation.bytes(
      fromPassword: Array(password.precomposedStringWithCanonicalMapping.utf8), salt: salt,
      iterations: rounds, count: keyCount)
  }

  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Returns the bytes of lowercase hexadecimal digits; nil for any other text.
  private static func bytes(_ text: Substring) -> [UInt8]? {
    let digits = text.utf8.compactMap { hexadecimalDigits.firstIndex(of: $0).map { UInt8($0) } }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

extension SyncPassword: CustomStringConvertible {
  /// Nothing of the stored form, so that logs can't tell it.
  public var description: String { "SyncPassword" }
}
