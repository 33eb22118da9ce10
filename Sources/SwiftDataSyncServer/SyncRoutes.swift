import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SwiftDataSync

/// Adds a server's endpoints to a router: `POST …/push`, `GET …/pull`, and the endpoints of attachments
/// (docs/openapi-sync.yaml).
///
/// ```swift
/// let tokens = try SyncTokens([("ann", annsToken), ("bob", bobsToken)])
/// SyncRoutes(server, tokens: tokens).add(to: router.group("sync"))
/// let application = SyncConnections().application(router, on: .hostname("127.0.0.1", port: 8080))
/// ```
///
/// ``SyncConnections`` prevents slow or silent clients from blocking the server for other clients.
public struct SyncRoutes: Sendable {
  /// The limits on requests and responses.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of bytes of a push, and of a portion of an attachment that a client sends.
    public var maximumBody = 8 * 1024 * 1024
    /// The maximum number of bytes of a portion of an attachment that a client fetches.
    public var portion = 4 * 1024 * 1024
    /// The approximate number of objects in a page.
    public var pageLength = 5_000
    /// The longest time for the body of a request to arrive; after that, the response is 408.
    public var bodyTimeout: Duration = .seconds(120)

    /// Creates the default limits.
    public init() {}
  }

  let server: SyncServer
  let limits: Limits
  private let authorize: @Sendable (_ token: String) async throws -> String?

  /// - Parameters:
  ///   - server: The server that handles the requests.
  ///   - limits: The limits on requests and responses.
  ///   - authorize: Returns the user of a bearer token; nil for an invalid token. Look tokens up in ``SyncTokens``, or
  ///     compare them with ``isEqual(_:_:)``: the duration of these operations doesn't reveal where tokens differ.
  public init(
    _ server: SyncServer, limits: Limits = Limits(),
    authorize: @escaping @Sendable (_ token: String) async throws -> String?
  ) {
    self.server = server
    self.limits = limits
    self.authorize = authorize
  }

  /// Creates the routes with a table of tokens.
  public init(_ server: SyncServer, limits: Limits = Limits(), tokens: SyncTokens) {
    self.init(server, limits: limits) { tokens.user(of: $0) }
  }

  /// Whether two secrets are equal; the comparison's duration depends only on their lengths.
  public static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    return left.count == right.count && ConstantTime.difference(left, right) == 0
  }

  /// Adds the endpoints.
  public func add<Context: RequestContext>(to routes: some RouterMethods<Context>) {
    let attachments = SyncAttachmentRoutes(server, limits: limits)
    routes.post("push") { request, _ in await answer(request) { try await push(request, $0) } }
    routes.get("pull") { request, _ in await answer(request) { try await pull(request, $0) } }
    routes.post("attachments/missing") { request, _ in
      await answer(request) { try await attachments.missing(request, user: $0) }
    }
    routes.patch("attachments/:sha256") { request, context in
      let name = context.parameters.get("sha256")
      return await answer(request) {
        try await attachments.upload(request, named: name, user: $0)
      }
    }
    routes.get("attachments") { request, _ in
      await answer(request) { try await attachments.download(request, user: $0) }
    }
  }

  // MARK: Requests

  /// The error for a body that was incomplete or didn't arrive in time; it corresponds to the status 408.
  public struct IncompleteBody: LocalizedError, CustomStringConvertible {
    public var description: String { "The body didn't come to its end in time" }
    /// The text of ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
  }

  private func push(_ request: Request, _ user: String) async throws -> Response {
    let body = try await limits.body(of: request)
    let (client, changes) = try SyncContract.parsePushRequest(body.readableBytesView)
    return Self.document(
      .ok, SyncContract.pushAnswer(try await server.push(changes, client: client, user: user)))
  }

  private func pull(_ request: Request, _ user: String) async throws -> Response {
    let cursor = request.uri.queryParameters["cursor"].map(String.init)
    return Self.document(
      .ok,
      SyncContract.page(try await server.pull(after: cursor, user: user, limit: limits.pageLength)))
  }

  private func answer(
    _ request: Request, _ body: (_ user: String) async throws -> Response
  ) async -> Response {
    do {
      if let contract = HTTPField.Name("sync-contract"), let named = request.headers[contract],
        named != SyncContract.version
      {
        throw SyncFailure(.incompatible, "This server speaks contract \(SyncContract.version)")
      }
      let user = try await user(of: request)
      return try await body(user)
    } catch let failure as SyncFailure {
      return refusal(failure)
    } catch let error as IncompleteBody {
      let message = SyncValue.text(error.description)
      return Self.document(.requestTimeout, SyncValue.object(["message": message]).json)
    } catch {
      // Details of internal errors aren't sent to clients.
      return refusal(SyncFailure(.server, "The server failed"))
    }
  }

  private func user(of request: Request) async throws -> String {
    guard let token = SyncTokens.token(in: request.headers[.authorization]),
      let user = try await authorize(token)
    else { throw SyncFailure(.authentication, "A bearer token is needed") }
    return user
  }

  // MARK: Responses

  private func refusal(_ failure: SyncFailure) -> Response {
    let status: HTTPResponse.Status =
      switch failure.kind {
      case .authentication: .unauthorized
      case .forbidden: .forbidden
      case .refused: .badRequest
      case .tooLarge: .contentTooLarge
      case .cursorExpired: .gone
      case .incompatible: .init(code: 426, reasonPhrase: "Upgrade Required")
      case .throttled: .tooManyRequests
      case .offline, .server, .suspended, .localStore: .internalServerError
      }
    var response = Self.document(status, SyncValue.object(["message": .text(failure.message)]).json)
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    if case .throttled(let pause) = failure.kind {
      response.headers[.retryAfter] = String(pause.components.seconds)
    }
    return response
  }

  static func document(_ status: HTTPResponse.Status, _ bytes: [UInt8]) -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(inParts: bytes))
  }
}

extension SyncRoutes.Limits {
  /// - Throws: ``SyncFailure`` for a body that is too large, ``SyncRoutes/IncompleteBody``.
  func body(of request: Request) async throws -> ByteBuffer {
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    let (body, limit, timeout) = (request.body, maximumBody, bodyTimeout)
    return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
      group.addTask {
        do { return try await body.collect(upTo: limit) } catch is NIOTooManyBytesError {
          throw SyncFailure(.tooLarge, "More than \(limit) bytes")
        } catch { throw SyncRoutes.IncompleteBody() }
      }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw SyncRoutes.IncompleteBody()
      }
      defer { group.cancelAll() }
      // A connection that is closed prematurely looks like the end of the body.
      guard let bytes = try await group.next(), bytes.readableBytes >= announced ?? 0 else {
        throw SyncRoutes.IncompleteBody()
      }
      return bytes
    }
  }
}
