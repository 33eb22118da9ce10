import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SwiftDataSync

/// Reaches a server by the contract of two endpoints, JSON over HTTP: `POST …/push` and `GET …/pull`
/// (docs/openapi-sync.yaml).
public struct HTTPSyncTransport: SyncTransport {
  /// How large and how slow an exchange may be.
  public struct Limits: Hashable, Sendable {
    /// The most bytes of an answer.
    public var maximumAnswer = 64 * 1024 * 1024
    /// The longest time for an exchange.
    public var timeout: Duration = .seconds(60)
    /// The most objects of an answer. Each costs memory beside its bytes.
    public var maximumObjects = 500_000

    public init() {}
  }

  let exchange: HTTPExchange

  /// - Parameters:
  ///   - base: The address under which the endpoints are, as in `https://example.org/sync`.
  ///   - client: Makes the requests; nil for one that follows no redirects and repeats nothing.
  ///   - limits: How large and how slow an exchange may be.
  ///   - token: The bearer token (RFC 6750) of the moment, asked before every request; nil for none. When the server
  ///     doesn't take it, the engine pauses until ``SyncEngine/resume()``.
  public init(
    _ base: URL, client: HTTPClient? = nil, limits: Limits = Limits(),
    token: @escaping @Sendable () async throws -> String? = { nil }
  ) {
    exchange = HTTPExchange(base, client, limits, token)
  }

  public func push(
    _ changes: [SyncChange], client: String
  ) async throws -> [String: SyncOutcome] {
    var request = request(.POST, "/push")
    request.headers.add(name: "content-type", value: "application/json")
    request.body = .bytes(SyncContract.pushRequest(changes, client: client))
    return try SyncContract.parsePushAnswer(try await exchange.send(request))
  }

  public func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var query = "?client=" + HTTPExchange.escaped(client)
    if let cursor { query += "&cursor=" + HTTPExchange.escaped(cursor) }
    let page = try SyncContract.parsePage(
      try await exchange.send(request(.GET, "/pull" + query)))
    try exchange.check(count: page.changes.count)
    return page
  }

  func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
    var request = exchange.request(method, path)
    request.headers.add(name: "sync-contract", value: SyncContract.version)
    return request
  }
}
