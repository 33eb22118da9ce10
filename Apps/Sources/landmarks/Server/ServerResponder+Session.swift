import Foundation
import HTTPTypes
import Hummingbird
import LocalApp
import SwiftDataSyncServer

/// Sign-in and sign-out.
extension ServerResponder {
  /// The user of a request.
  struct Caller: Sendable {
    var user: String
    /// The token of a session; nil for a token that was given to the server.
    var session: String?
  }

  private struct Credentials: Decodable {
    var user: String
    var password: String
  }

  /// The answer to a sign-in.
  private struct Opened: Encodable {
    var token: String
    var user: String
    var server: String?
  }

  private struct Session: Encodable {
    var user: String
    var server: String?
  }

  /// Returns the user whose token a request carries.
  /// - Throws: ``APIFailure`` 401, `LandmarksError` for a file of users that can't be used.
  func caller(_ request: Request) async throws -> Caller {
    if let user = tokens?.user(request.headers[.authorization]) { return Caller(user: user) }
    if let signIn, let token = SyncTokens.token(in: request.headers[.authorization]),
      (SyncTokens.shortest...SyncTokens.longest).contains(token.utf8.count),
      let user = try await store.user(
        of: token, now: signIn.now(), { try signIn.users.credential(of: $0) })
    {
      return Caller(user: user, session: token)
    }
    throw APIFailure(.unauthorized, "unauthorized", "Send a token: Authorization: Bearer TOKEN.")
  }

  /// Begins a session.
  func beginSession(_ request: Request, from address: String?) async throws -> Response {
    guard let signIn else { throw APIFailure.notFound("This server has no sign-in.") }
    // Other sites' pages can't send this type without asking first, which no answer allows.
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw APIFailure(
        .unsupportedMediaType, "unsupported_media_type", "Send application/json.")
    }
    let bytes = try await request.collected(upTo: 8_192)
    let credentials: Credentials
    do { credentials = try JSONDecoder().decode(Credentials.self, from: bytes) } catch {
      throw APIFailure(.badRequest, "invalid_body", "Send an object with user and password.")
    }
    let (user, credential) = try await signIn.check(
      credentials.user, credentials.password, from: address)
    let token = try await store.beginSession(of: user, credential, now: signIn.now())
    let opened = Opened(token: token, user: user, server: try await store.identifier())
    return Response(
      status: .created,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: .init(bytes: [UInt8](try JSONEncoder().encode(opened)))))
  }

  /// Describes the session of a request, or ends it.
  func session(_ request: Request, _ caller: Caller) async throws -> Response {
    try request.allow("GET, HEAD, POST, DELETE")
    guard request.method == .delete else {
      return try Self.json(
        Session(user: caller.user, server: try await store.identifier()), request)
    }
    guard let token = caller.session else {
      throw APIFailure(
        .forbidden, "fixed_token",
        "This token was given to the server at its start; it isn't ended.")
    }
    try await store.endSession(token)
    return Response(status: .noContent)
  }
}
