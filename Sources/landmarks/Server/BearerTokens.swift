import Crypto
import Foundation
import LandmarksKit

/// The users of the server, each with a token.
///
/// Only digests are kept. The digest of a received token is compared with all of them, each in
/// constant time and without stopping at a match, so that the response time reveals nothing.
struct BearerTokens: Sendable {
  /// The minimum length of a token, in characters: shorter ones can be guessed.
  static let shortest = 16
  /// The maximum length of a token, in characters.
  static let longest = 512
  /// The default user name, for a token without a name.
  static let usualUser = "visitor"

  private let users: [(name: String, digest: SHA256.Digest)]

  /// Creates the digests of tokens.
  /// - Parameter tokens: The user names and tokens.
  /// - Throws: `LandmarksError` for none, an unusable one, or one that two users have.
  init(_ tokens: [(user: String, token: String)]) throws {
    guard !tokens.isEmpty else {
      throw LandmarksError(
        .invalidArgument, "--token",
        reason: "the server needs a token: use --token-file FILE, or set LANDMARKS_TOKEN")
    }
    var users: [(String, SHA256.Digest)] = []
    for (user, token) in tokens {
      guard !user.isEmpty, user.utf8.count <= 100,
        (Self.shortest...Self.longest) ~= token.utf8.count,
        token.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
      else {
        throw LandmarksError(
          .invalidArgument, "token of \(user)",
          reason: "use \(Self.shortest) to \(Self.longest) visible ASCII characters")
      }
      let digest = Self.digest(token)
      guard !users.contains(where: { $0.1 == digest }) else {
        throw LandmarksError(
          .invalidArgument, "token of \(user)", reason: "another user has the same one")
      }
      users.append((user, digest))
    }
    self.users = users
  }

  /// Reads a file with one user per line: the name, a space and the token; `#` starts a comment.
  /// - Throws: `LandmarksError`, which never contains a token.
  init(file: URL) throws {
    let text: String
    do {
      text = try String(contentsOf: file, encoding: .utf8)
    } catch {
      throw LandmarksError(.inputOutput, file.path, reason: error.localizedDescription)
    }
    var tokens: [(String, String)] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard words.count == 2 else {
        throw LandmarksError(
          .invalidArgument, "\(file.path):\(number + 1)",
          reason: "write a user's name, a blank and the token")
      }
      tokens.append((String(first), String(words[1])))
    }
    try self.init(tokens)
  }

  /// Returns the user whose token an `Authorization` field carries (RFC 6750, 2.1); nil if no user
  /// has it.
  func user(_ field: String?) -> String? {
    let parts = field?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= Self.longest
    else { return nil }
    let digest = Self.digest(String(parts[1]))
    var found: String?
    // swift-crypto compares digests in constant time.
    for user in users where user.digest == digest { found = user.name }
    return found
  }

  private static func digest(_ token: String) -> SHA256.Digest {
    SHA256.hash(data: Data(token.utf8))
  }
}
