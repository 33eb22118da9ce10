import CurlClient
import Foundation
import SwiftDataSync

/// Connects to a server through the contract's two endpoints, JSON over HTTP: `POST …/push` and `GET …/pull`
/// (docs/openapi-sync.yaml).
public struct HTTPSyncTransport: SyncTransport {
  /// The limits on an exchange's size and duration.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of bytes of a response.
    public var maximumAnswer = 64 * 1024 * 1024
    /// The maximum duration of an exchange.
    public var timeout: Duration = .seconds(60)
    /// The maximum number of objects in a response. Each takes memory in addition to its bytes.
    public var maximumObjects = 500_000

    /// Creates the default limits.
    public init() {}
  }

  let exchange: HTTPExchange

  /// - Parameters:
  ///   - base: The address of the endpoints' parent, as in `https://example.org/sync`.
  ///   - limits: The limits on an exchange's size and duration.
  ///   - token: Returns the current bearer token (RFC 6750) and is called before every request; returns nil for none.
  ///     When the server rejects the token, the engine pauses until ``SyncEngine/resume()``.
  public init(
    _ base: URL, limits: Limits = Limits(),
    token: @escaping @Sendable () async throws -> String? = { nil }
  ) {
    exchange = HTTPExchange(base, limits, token)
  }

  public func push(
    _ changes: [SyncChange], client: String
  ) async throws -> [String: SyncOutcome] {
    var request = request("POST", "/push")
    request.fields.add("content-type", "application/json")
    request.body = SyncContract.pushRequest(changes, client: client)
    return try SyncContract.parsePushAnswer(try await exchange.send(request))
  }

  public func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var query = "?client=" + HTTPExchange.escaped(client)
    if let cursor { query += "&cursor=" + HTTPExchange.escaped(cursor) }
    let page = try SyncContract.parsePage(
      try await exchange.send(request("GET", "/pull" + query)))
    try exchange.check(count: page.changes.count)
    return page
  }

  func request(_ method: String, _ path: String) -> CurlRequest {
    var request = exchange.request(method, path)
    request.fields.add("sync-contract", SyncContract.version)
    return request
  }
}
