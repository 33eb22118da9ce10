import Foundation
import SwiftDataSync
import SystemCrypto

/// The access table of a server: bearer tokens (RFC 6750) and their users.
///
/// Only SHA-256 digests are stored. A lookup compares the digest of the received token with every byte of every digest
/// in the table, and selects the user without a branch: its duration depends on the number of tokens and on the length
/// of the received token, not on whether, where or with which user's token it matches.
public struct SyncTokens: Sendable {
  /// The minimum length of a token, in bytes: shorter ones can be guessed.
  public static let shortest = 16
  /// The maximum length of a token, in bytes.
  public static let longest = 512

  private let digests: [[UInt8]]
  private let users: [String]

  /// - Parameter tokens: Users with their tokens. A user may have several tokens, a token only one user.
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidToken`` for a token that is too short or too long, that has
  ///   characters other than visible ASCII ones, or that appears twice. The error names the user, never the token.
  public init(_ tokens: [(user: String, token: String)]) throws {
    var digests: [[UInt8]] = []
    var known: Set<[UInt8]> = []
    for (user, token) in tokens {
      guard (Self.shortest...Self.longest).contains(token.utf8.count),
        token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        throw SyncError(
          .invalidToken,
          "The token of \(user) can't be used. Make it of \(Self.shortest) to \(Self.longest) visible ASCII"
            + " characters, without blanks.")
      }
      let digest = Self.digest(token)
      guard known.insert(digest).inserted else {
        throw SyncError(
          .invalidToken, "The token of \(user) is there twice. Give each user tokens of his own.")
      }
      digests.append(digest)
    }
    self.digests = digests
    users = tokens.map(\.user)
  }

  /// Returns the token in an `Authorization` field (RFC 6750 section 2.1).
  ///
  /// - Parameter field: The field's value; nil when it wasn't sent.
  /// - Returns: nil for another scheme.
  public static func token(in field: String?) -> String? {
    let scheme = "bearer "
    guard let field, field.prefix(scheme.count).lowercased() == scheme else { return nil }
    return String(field.dropFirst(scheme.count))
  }

  /// Returns the user of a token.
  ///
  /// - Parameter token: The token of a request, without the word `Bearer`.
  /// - Returns: nil for a token that isn't in the table.
  public func user(of token: String) -> String? {
    guard token.utf8.count <= Self.longest else { return nil }
    let place = Self.place(of: Self.digest(token), in: digests)
    return place < 0 ? nil : users[place]
  }

  /// Returns the index of a digest, or -1. Every digest is read to its end.
  static func place<Bytes: RandomAccessCollection<UInt8>>(
    of digest: [UInt8], in digests: [Bytes]
  ) -> Int {
    var found = 0
    for (place, known) in digests.enumerated() {
      found |= (place + 1) & ConstantTime.mask(ofZero: ConstantTime.difference(digest, known))
    }
    return found - 1
  }

  private static func digest(_ token: String) -> [UInt8] {
    SHA256Digest.bytes(of: token.utf8)
  }
}

extension SyncTokens {
  /// Returns a new token of 256 random bits, in Base64 for addresses (RFC 4648, section 5).
  public static func random() -> String {
    Data(SyncPassword.random(32)).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  /// Returns the SHA-256 digest of a token in hexadecimal digits, for servers that keep tokens in a store: whoever
  /// reads the store doesn't have the tokens. Tokens from ``random()`` need no slower function, as nobody guesses them.
  public static func digestText(of token: String) -> String { digest(token).hexadecimalText }
}
