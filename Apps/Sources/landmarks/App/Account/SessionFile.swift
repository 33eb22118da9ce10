import Foundation
import LandmarksKit
import LocalApp

/// The file with the session of a device, beside its store, for the user's eyes only: whoever has the token acts as the
/// user until it is ended.
struct SessionFile: Sendable {
  /// A session with a server.
  struct Session: Codable, Hashable, Sendable {
    /// The server's address.
    var server: String
    var user: String
    var token: String
  }

  private static let maximumSize = 16_384

  let file: URL

  /// - Parameter store: The file of the device's store.
  init(besides store: URL) {
    file = store.deletingLastPathComponent()
      .appendingPathComponent(store.lastPathComponent + ".session")
  }

  /// Returns the session; nil without one.
  /// - Throws: `LandmarksError`, which never contains the token.
  func read() throws -> Session? {
    let content: Data?
    do { content = try PrivateFiles.read(file, upTo: Self.maximumSize)?.content } catch {
      throw LandmarksError(.inputOutput, file.path, reason: error.reason)
    }
    guard let content else { return nil }
    var session: Session?
    do { session = try JSONDecoder().decode(Session.self, from: content) } catch {
      // Its message could have parts of the content.
    }
    guard let session, Self.isToken(session.token), !session.user.isEmpty,
      URL(string: session.server) != nil
    else {
      throw LandmarksError(
        .inputOutput, file.path, reason: "this is no session; remove the file, and sign in again")
    }
    return session
  }

  /// Keeps a session in place of the last one.
  /// - Throws: `LandmarksError`.
  func write(_ session: Session) throws {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      try PrivateFiles.makeFolder(file.deletingLastPathComponent())
      try PrivateFiles.replace(file, by: encoder.encode(session))
    } catch {
      throw LandmarksError(
        .inputOutput, file.path, reason: "cannot be written: \(FileFailure.reason(error))")
    }
  }

  /// Removes the session, if there is one.
  /// - Throws: `LandmarksError`.
  func remove() throws {
    guard unlink(file.path) != 0, errno != ENOENT else { return }
    throw LandmarksError(
      .inputOutput, file.path, reason: "cannot be removed: \(String(cString: strerror(errno)))")
  }

  /// Whether a text can be sent as a token.
  static func isToken(_ text: String) -> Bool {
    (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }
}
