import Foundation
import SwiftDataSync

/// Connects to a server that has a resource for each object: `GET` of a collection, `PUT` and `DELETE` of a resource.
///
/// Each pull fetches the complete collections, so an object that is no longer in its collection is deleted locally.
/// Repeating a put changes nothing more; the change's ID is sent as `Idempotency-Key` for servers that use it. Deleting
/// a resource that no longer exists counts as a success.
///
/// If the server distinguishes the states of a resource (``RESTResource/versions``), a change is conditional on the
/// state on which both sides agreed: `If-Match`, and `If-None-Match: *` for a new resource (RFC 9110 section 13.1).
/// When the condition fails (412), nothing is stored, and the current state is fetched and merged; when that state
/// equals the put one, an earlier response was lost, and the change counts as accepted.
///
/// A server whose revisions increase across all resources can name those that it has skipped, so that nothing is lost
/// when its store is replaced by an older copy (``namesSkippedVersions``).
///
/// Large values are sent in Base64, unless the server has the endpoints of attachments (docs/openapi-sync.yaml): then
/// elements and put documents have `{"sha256": …, "size": …}` in their place, and the server answers a put whose bytes
/// haven't arrived with 424, upon which they are sent before the put is repeated.
public struct RESTSyncTransport: SyncTransport {
  private(set) var exchange: HTTPExchange
  let resources: [RESTResource]
  let attachments: String?
  let reason: @Sendable (SyncValue) -> String?
  /// Returns the part for programs of the document with which the server rejects a change, as
  /// `SyncRejection.details`, which is kept on the device; by default nothing. The document may be as large as
  /// the limits, so return only that part.
  public var details: @Sendable (SyncValue) -> SyncValue? = { _ in nil }

  /// Whether the server names the revisions that it has skipped (``SyncPage/skippedVersions``): the answers of
  /// collections, and those with 412, have `Sync-Version` with its newest revision, and `Sync-Skipped` with ranges such
  /// as `101-1795000000000000, 1795000000000007-1796000000000000`. Resources without versions need the former in the
  /// answers to puts, too. Without these fields, as in the answers of an earlier version of the server, nothing is
  /// known of it.
  ///
  /// It has no effect on a transport with resources of ``RESTResource/Versions/entityTags``.
  public var namesSkippedVersions: Bool {
    get { exchange.readsVersions }
    set { exchange.readsVersions = newValue }
  }

  /// - Parameters:
  ///   - base: The parent address of the collections.
  ///   - resources: The resources in the order in which they are fetched: parents first.
  ///   - attachments: The path of the server's endpoints of attachments below `base`, as in `attachments`; nil for a
  ///     server without them.
  ///   - limits: The limits on an exchange's size and duration.
  ///   - token: See ``HTTPSyncTransport``.
  ///   - reason: Returns the sentence for users from the document with which the server rejects a change; by default,
  ///     the `detail` or `title` of RFC 9457.
  public init(
    _ base: URL, resources: [RESTResource], attachments: String? = nil,
    limits: HTTPSyncTransport.Limits = HTTPSyncTransport.Limits(),
    token: @escaping @Sendable () async throws -> String? = { nil },
    reason: @escaping @Sendable (SyncValue) -> String? = RESTSyncTransport.problemDetail
  ) {
    exchange = HTTPExchange(base, limits, token)
    self.resources = resources
    self.attachments = attachments
    self.reason = reason
  }

  /// Returns the `detail`, or otherwise the `title`, of an RFC 9457 document.
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
        // Without its attachments' bytes, a change has no outcome.
        outcomes[change.id] = try await push(change)
      } catch var failure as SyncFailure {
        let unanswered = failure.unanswered ?? (failure.isUnsent ? [] : [change.id])
        // The outcomes so far count; the remaining changes are sent again.
        if unanswered.isEmpty, !outcomes.isEmpty { return outcomes }
        (failure.outcomes, failure.unanswered) = (outcomes, unanswered)
        throw failure
      }
    }
    return outcomes
  }

  public func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var changes: [SyncRemote] = []
    var entities: [String] = []
    var newest: Int64?
    var skipped: [ClosedRange<Int64>] = []
    for resource in resources {
      let answer = try await exchange.answer(
        exchange.request("GET", "/" + resource.path), taking: resource.isOptional ? [404] : [],
        mayLackPath: resource.isOptional)
      if answer.status == 404 { continue }
      entities.append(resource.entity)
      let elements = try resource.elements(answer.body)
      try exchange.check(count: changes.count + elements.count)
      changes += try elements.compactMap { try resource.remote($0, newest: answer.newest) }
      guard let version = answer.newest else { continue }
      newest = max(newest ?? version, version)
      skipped = answer.skipped
    }
    var page = SyncPage(
      changes: changes, cursor: "", hasMore: false,
      coverage: .full(entities: entities))
    // Numbers of entity tags are none that increase.
    if !resources.contains(where: { $0.versions == .entityTags }) {
      (page.version, page.skippedVersions) = (newest, newest == nil ? [] : skipped)
    }
    return page
  }
}
