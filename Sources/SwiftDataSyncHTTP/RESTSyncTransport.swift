import AsyncHTTPClient
import Foundation
import SwiftDataSync

/// Reaches a server that has a resource for each object: `GET` of a collection, `PUT` and `DELETE` of a resource.
///
/// Each pull fetches the collections whole, so what isn't in one any more is deleted here. A put that is repeated
/// changes nothing more; the change's id goes along as `Idempotency-Key` for servers that look at it. A resource that is
/// gone already counts as deleted.
///
/// Where the server tells states from each other (``RESTResource/versions``), a change is made on condition that the
/// resource is as it was when both sides agreed: `If-Match`, and `If-None-Match: *` for a new one (RFC 9110 section
/// 13.1). When it isn't (412), nothing is stored, and the present state is fetched and merged; when that is what was
/// put, an answer was lost, and the change is done.
public struct RESTSyncTransport: SyncTransport {
  let exchange: HTTPExchange
  let resources: [RESTResource]
  let reason: @Sendable (SyncValue) -> String?

  /// - Parameters:
  ///   - base: The address below which the collections are.
  ///   - resources: In the order in which they are fetched: parents first.
  ///   - client: Makes the requests; nil for one that follows no redirects and repeats nothing.
  ///   - limits: How large and how slow an exchange may be.
  ///   - token: As for ``HTTPSyncTransport``.
  ///   - reason: Finds the sentence for people in the document with which the server refuses a change; by default the
  ///     `detail` or `title` of RFC 9457.
  public init(
    _ base: URL, resources: [RESTResource], client: HTTPClient? = nil,
    limits: HTTPSyncTransport.Limits = HTTPSyncTransport.Limits(),
    token: @escaping @Sendable () async throws -> String? = { nil },
    reason: @escaping @Sendable (SyncValue) -> String? = RESTSyncTransport.problemDetail
  ) {
    exchange = HTTPExchange(base, client, limits, token)
    self.resources = resources
    self.reason = reason
  }

  /// The `detail`, else the `title`, of a document of RFC 9457.
  @Sendable public static func problemDetail(_ document: SyncValue) -> String? {
    guard case .object(let members) = document else { return nil }
    return members["detail"]?.text ?? members["title"]?.text
  }

  public func push(
    _ changes: [SyncChange], client: String
  ) async throws -> [String: SyncOutcome] {
    var outcomes: [String: SyncOutcome] = [:]
    for change in changes {
      do {
        outcomes[change.id] = try await push(change)
      } catch let failure as SyncFailure {
        // What was answered so far counts; the rest is sent again.
        if outcomes.isEmpty { throw failure }
        return outcomes
      }
    }
    return outcomes
  }

  public func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var changes: [SyncRemote] = []
    for resource in resources {
      let body = try await exchange.send(exchange.request(.GET, "/" + resource.path))
      let elements = try resource.elements(body)
      try exchange.check(count: changes.count + elements.count)
      changes += try elements.compactMap { try resource.remote($0) }
    }
    return SyncPage(
      changes: changes, cursor: "", hasMore: false,
      coverage: .full(entities: resources.map(\.entity)))
  }
}
