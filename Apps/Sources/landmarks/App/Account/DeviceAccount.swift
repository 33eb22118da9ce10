import Foundation
import LandmarksKit
import Synchronization

/// The token of a device: given at the start, or that of a session, which a sign-in of this or another program made.
final class DeviceAccount: Sendable {
  enum State: String, Sendable {
    /// A token was given at the start, or the store is in memory.
    case token
    case signedIn
    case signedOut
  }

  /// The address of the server.
  let server: URL
  /// The file of the session; nil for a store in memory.
  let sessionFile: SessionFile?
  private let fixed: String?
  /// Whether the token that was given at the start may belong to another user than the store does.
  private let isUnconfirmed: Mutex<Bool>

  /// - Parameters:
  ///   - server: The address of the server.
  ///   - token: The token that was given at the start; nil for none.
  ///   - file: The file of the session; nil for a store in memory.
  ///   - hasOwner: Whether the store has the data of a known user. A token that was given at the start isn't used until
  ///     ``confirm()``.
  init(_ server: URL, token: String?, file: SessionFile?, hasOwner: Bool = false) {
    self.server = server
    fixed = token
    sessionFile = token == nil ? file : nil
    isUnconfirmed = Mutex(token != nil && hasOwner)
  }

  /// The token that was given at the start, as long as it isn't known to be that of the store's user.
  var unconfirmedToken: String? { isUnconfirmed.withLock { $0 } ? fixed : nil }

  /// Records that the token is that of the store's user.
  func confirm() { isUnconfirmed.withLock { $0 = false } }

  /// Returns the session with this server; nil without one. The token of another server isn't used: it would tell it to
  /// this one.
  /// - Throws: `LandmarksError`.
  func session() throws -> SessionFile.Session? {
    guard let session = try sessionFile?.read(),
      Self.key(session.server) == Self.key(server.absoluteString)
    else { return nil }
    return session
  }

  /// Returns the token for a request; nil when there is none, and none can be had by signing in.
  /// - Throws: `LandmarksError` when nobody is signed in, the file of the session can't be used, or the token may be
  ///   that of another user than the store's.
  func token() throws -> String? {
    guard sessionFile != nil else {
      guard unconfirmedToken == nil else { throw Self.unconfirmed }
      return fixed
    }
    guard let session = try session() else { throw Self.signedOut }
    return session.token
  }

  /// Returns whether somebody is signed in, and who.
  func state() throws -> (state: State, user: String?) {
    guard sessionFile != nil else { return (.token, nil) }
    guard let session = try session() else { return (.signedOut, nil) }
    return (.signedIn, session.user)
  }

  static let signedOut = LandmarksError(
    .unauthorized, "",
    reason: "nobody is signed in; use `landmarks sign-in`, or set LANDMARKS_TOKEN")

  private static let unconfirmed = LandmarksError(
    .unauthorized, "", reason: "the server hasn't said yet whose token it is")

  /// Returns an address without differences of spelling.
  private static func key(_ address: String) -> String {
    guard let parts = URLComponents(string: address) else { return address }
    let scheme = parts.scheme?.lowercased() ?? ""
    let port = parts.port ?? (scheme == "https" ? 443 : 80)
    let path = parts.percentEncodedPath
    return "\(scheme)://\(parts.host?.lowercased() ?? ""):\(port)"
      + (path.hasSuffix("/") ? String(path.dropLast()) : path)
  }
}
