import Foundation
import HTTPContent
import LandmarksKit
import SwiftDataSync
import SwiftDataSyncHTTP

/// Signing in and out.
extension AppSource {
  /// Signs a user in at the server, and exchanges from then on with the user's data.
  /// - Parameters:
  ///   - user: The user's name.
  ///   - password: The user's password.
  ///   - takesOver: Whether a store without a known user that was exchanged by a token before is taken for the user's.
  /// - Returns: The user's name as the server has it.
  /// - Throws: `LandmarksError`; nothing is changed then.
  @discardableResult
  func signIn(_ user: String, _ password: String, takesOver: Bool = false) async throws -> String {
    try await begin(openSession(user, password, takesOver: takesOver))
  }

  /// A session that the server has begun, with the user of its data.
  struct OpenedSession: Sendable {
    var session: SessionFile.Session
    var owner: StoreOwner
  }

  /// Begins a session at the server; here, nothing is changed. The parameters are those of
  /// ``signIn(_:_:takesOver:)``.
  /// - Throws: `LandmarksError`.
  func openSession(
    _ user: String, _ password: String, takesOver: Bool = false
  ) async throws -> OpenedSession {
    guard account.sessionFile != nil else {
      throw LandmarksError(
        .invalidArgument, "",
        reason:
          "this program was given a token; start it without --token and LANDMARKS_TOKEN to sign in")
    }
    guard Self.isSafe(account.server) else {
      throw LandmarksError(
        .invalidArgument, "",
        reason:
          "the password isn't sent to \(shownServer), as it could be read on the way; use an https address"
      )
    }
    let owner = try store.owner()
    if let owner, owner.user != user { throw othersStore(owner, user) }
    if owner == nil, !takesOver, sync.engine.status.state.lastPull != nil {
      throw LandmarksError(
        .invalidArgument, "",
        reason:
          "this store was exchanged with a token before, and may have another user's data; use another --store, "
          + "or `landmarks sign-in --take-over` if they are those of \(PlainText.neutralised(user))"
      )
    }
    let answer = try await ask(
      "POST", nil, .object(["user": .text(user), "password": .text(password)]))
    let (session, found) = try session(from: answer, user)
    if let owner, !owner.isSame(as: found) {
      do { _ = try await ask("DELETE", session.token) } catch {
        // The session isn't used, and ends by itself, too.
      }
      throw othersStore(owner, found.user)
    }
    return OpenedSession(session: session, owner: found)
  }

  /// Uses a session from now on.
  /// - Returns: The user's name.
  /// - Throws: `LandmarksError`.
  func begin(_ opened: OpenedSession) async throws -> String {
    try store.setOwner(opened.owner)
    try account.sessionFile?.write(opened.session)
    forgetFailure()
    await sync.resume()
    wantExchange()
    edited()
    return opened.owner.user
  }

  /// Ends the session. The store and what waits in it stay.
  /// - Returns: The user who was signed in, and whether the server knows that the session has ended; nil when nobody
  ///   was signed in.
  /// - Throws: `LandmarksError`.
  func signOut() async throws -> (user: String, isEnded: Bool)? {
    guard let sessionFile = account.sessionFile else {
      throw LandmarksError(
        .invalidArgument, "",
        reason: "a token was given at the start; nobody is signed in by a password")
    }
    let session = try account.session()
    try sessionFile.remove()
    guard let session else { return nil }
    edited()
    var isEnded = false
    do { isEnded = [204, 401].contains(try await ask("DELETE", session.token).status) } catch {
      // Without an answer, the session ends after a time without use.
    }
    return (session.user, isEnded)
  }

  /// Makes sure that a token that was given at the start is one of the user whose data the store has: edits of one user
  /// must not reach another one's account. Does nothing for a store that has no known user yet, for a session, whose
  /// user a sign-in has compared, and after the first success. A server without sessions isn't asked again.
  /// - Throws: `LandmarksError`; the token isn't used for anything else then.
  func confirmOwner() async throws {
    guard let token = account.unconfirmedToken, let owner = try store.owner() else { return }
    let answer = try await ask("GET", token)
    switch answer.status {
    case 200:
      guard case .object(let members) = answer.document, let user = members["user"]?.text else {
        throw unusable(answer)
      }
      let found = StoreOwner(user: user, server: Self.identifier(in: members))
      guard owner.isSame(as: found) else { throw othersStore(owner, found.user) }
    case 401, 403:
      throw LandmarksError(.unauthorized, "", reason: "the server does not accept the token")
    case 404, 405: break
    case 500...: throw unavailable(answer)
    default: throw unusable(answer)
    }
    account.confirm()
  }

  private func ask(
    _ method: String, _ token: String?, _ document: SyncValue? = nil
  ) async throws -> RESTSyncTransport.Answer {
    var limits = HTTPSyncTransport.Limits()
    limits.timeout = .seconds(15)
    limits.maximumAnswer = 65_536
    let transport = RESTSyncTransport(
      account.server, resources: [], limits: limits, token: { token })
    do { return try await transport.request(method, "session", document) } catch let failure
      as SyncFailure
    {
      throw LandmarksError(.serverUnavailable, "", reason: failure.message)
    }
  }

  /// Returns the session that the server answered.
  private func session(
    from answer: RESTSyncTransport.Answer, _ user: String
  ) throws -> (SessionFile.Session, StoreOwner) {
    var members: [String: SyncValue] = [:]
    if case .object(let found) = answer.document { members = found }
    var code: String?
    if case .object(let error) = members["error"] { code = error["code"]?.text }
    switch (answer.status, code) {
    case (201, _):
      guard let token = members["token"]?.text, SessionFile.isToken(token),
        let name = members["user"]?.text, name == user
      else { break }
      return (
        SessionFile.Session(server: account.server.absoluteString, user: name, token: token),
        StoreOwner(user: name, server: Self.identifier(in: members))
      )
    case (401, "wrong_password"):
      throw LandmarksError(.unauthorized, "", reason: "the name or the password is wrong")
    case (429, _):
      let pause = answer.retryAfter.map { max(1, min($0.components.seconds, 86_400)) } ?? 60
      throw LandmarksError(
        .serverUnavailable, "",
        reason: "too many attempts to sign in; try again in \(pause) seconds")
    case (401, _), (404, _), (405, _):
      throw LandmarksError(.badAnswer, shownServer, reason: "this server has no sign-in")
    case (500..., _): throw unavailable(answer)
    default: break
    }
    throw unusable(answer)
  }

  /// Returns the server's identifier that an answer of a session has.
  private static func identifier(in members: [String: SyncValue]) -> String? {
    members["server"]?.text.flatMap { $0.utf8.count <= 200 ? $0 : nil }
  }

  private func unavailable(_ answer: RESTSyncTransport.Answer) -> LandmarksError {
    LandmarksError(
      .serverUnavailable, shownServer,
      reason: "the server answered with status \(answer.status); try again")
  }

  private func unusable(_ answer: RESTSyncTransport.Answer) -> LandmarksError {
    LandmarksError(
      .badAnswer, shownServer, reason: "the server's answer can't be used (status \(answer.status))"
    )
  }

  private func othersStore(_ owner: StoreOwner, _ user: String) -> LandmarksError {
    let other = PlainText.neutralised(user)
    return LandmarksError(
      .invalidArgument, "",
      reason: "this store belongs to \(PlainText.neutralised(owner.user))"
        + (owner.user == user
          ? " of another account or server; use another --store"
          : "; for \(other), use another --store"))
  }

  /// Whether a password can be sent to an address: encrypted, or on this machine.
  static func isSafe(_ server: URL) -> Bool {
    if server.scheme?.lowercased() == "https" { return true }
    guard let host = server.host()?.lowercased() else { return false }
    return isLoopback(host)
  }

  /// Whether a host's name is one of this machine.
  static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
