import Foundation
import LandmarksKit
import LocalApp
import SwiftDataSyncServer

/// The users of the server, each with a token.
struct BearerTokens: Sendable {
  /// The default user name, for a token without a name.
  static let usualUser = "visitor"
  /// The maximum length of a user's name in bytes of UTF-8.
  private static let longestName = 100

  private let tokens: SyncTokens

  /// Creates the table of the tokens.
  /// - Parameter tokens: The user names and tokens.
  /// - Throws: `LandmarksError` for none, an unusable one, or one that two users have.
  init(_ tokens: [(user: String, token: String)]) throws {
    guard !tokens.isEmpty else {
      throw LandmarksError(
        .invalidArgument, "",
        reason: "the server has no users: `landmarks users add NAME` adds one; "
          + "--token-file FILE or LANDMARKS_TOKEN gives tokens")
    }
    for (user, _) in tokens where user.isEmpty || user.utf8.count > Self.longestName {
      throw LandmarksError(
        .invalidArgument, "name of a user with a token",
        reason: "use 1 to \(Self.longestName) bytes")
    }
    var known: Set<String> = []
    for (user, token) in tokens {
      do { _ = try SyncTokens([(user, token)]) } catch { throw Self.unusable(user) }
      guard known.insert(token).inserted else {
        throw LandmarksError(
          .invalidArgument, "token of \(user)", reason: "another user has the same one")
      }
    }
    self.tokens = try SyncTokens(tokens)
  }

  private static func unusable(_ user: String) -> LandmarksError {
    LandmarksError(
      .invalidArgument, "token of \(user)",
      reason: "use \(SyncTokens.shortest) to \(SyncTokens.longest) visible ASCII characters")
  }

  /// Reads a file with one user per line: the name, a space and the token; `#` starts a comment.
  /// - Throws: `LandmarksError`, which never contains a token.
  init(file: URL) throws {
    let text: String
    do {
      text = try String(contentsOf: file, encoding: .utf8)
    } catch {
      throw LandmarksError(.inputOutput, file.path, reason: FileFailure.reason(error))
    }
    var tokens: [(String, String)] = []
    // A line ending of CR and LF is one character.
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
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
    SyncTokens.token(in: field).flatMap { tokens.user(of: $0) }
  }
}
