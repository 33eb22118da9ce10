import AsyncHTTPClient
import Foundation
import SwiftDataSync

/// One kind of resource of a REST server, and the entity that it is here.
public struct RESTResource: Sendable {
  /// The name of the entity.
  public var entity: String
  /// Where the collection is, below the transport's address, as in `reservations`. A resource is at
  /// `reservations/KEY`.
  public var path: String
  /// Makes the key and the values of one element of the collection; nil for an element that isn't wanted. Values that
  /// are left out stay as they are here.
  public var read: @Sendable (SyncValue) -> (key: String, values: SyncValues)?
  /// Makes the document that is put.
  public var write: @Sendable (_ key: String, SyncValues) -> SyncValue
  /// Whether edits are sent; else the resource is only read, and edits of it are set aside.
  public var isWritable: Bool

  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - path: Where the collection is.
  ///   - isWritable: Whether edits are sent.
  ///   - read: Makes key and values of an element.
  ///   - write: Makes the document of a resource; the values themselves unless given.
  public init(
    entity: String, path: String, isWritable: Bool = true,
    read: @escaping @Sendable (SyncValue) -> (key: String, values: SyncValues)?,
    write: @escaping @Sendable (_ key: String, SyncValues) -> SyncValue = { .object($1) }
  ) {
    self.entity = entity
    self.path = path
    self.isWritable = isWritable
    self.read = read
    self.write = write
  }
}

/// Reaches a server that has a resource for each object: `GET` of a collection, `PUT` and `DELETE` of a resource.
///
/// Each pull fetches the collections whole, so what isn't in one any more is deleted here. Such a server knows no
/// versions: a put says what the object is to be, the last one counts, and conflicts are seen by the next pull only. A
/// put that is repeated changes nothing more; the change's id goes along as `Idempotency-Key` for servers that look at
/// it. A resource that is gone already counts as deleted.
public struct RESTSyncTransport: SyncTransport {
  private let exchange: HTTPExchange
  private let resources: [RESTResource]

  /// - Parameters:
  ///   - base: The address below which the collections are.
  ///   - resources: In the order in which they are fetched: parents first.
  ///   - client: Makes the requests; nil for one that follows no redirects and repeats nothing.
  ///   - limits: How large and how slow an exchange may be.
  ///   - token: As for ``HTTPSyncTransport``.
  public init(
    _ base: URL, resources: [RESTResource], client: HTTPClient? = nil,
    limits: HTTPSyncTransport.Limits = HTTPSyncTransport.Limits(),
    token: @escaping @Sendable () async throws -> String? = { nil }
  ) {
    exchange = HTTPExchange(base, client, limits, token)
    self.resources = resources
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

  private func push(_ change: SyncChange) async throws -> SyncOutcome {
    guard let resource = resources.first(where: { $0.entity == change.object.entity }),
      resource.isWritable
    else {
      return .rejected(
        SyncRejection(
          code: "readOnly", message: "The server takes no edits of \(change.object.entity)"))
    }
    let path = "/" + resource.path + "/" + HTTPExchange.escaped(change.object.key)
    var request = exchange.request(change.values == nil ? .DELETE : .PUT, path)
    request.headers.add(name: "idempotency-key", value: change.id)
    if let values = change.values {
      request.headers.add(name: "content-type", value: "application/json")
      request.body = .bytes(resource.write(change.object.key, values).json)
    }
    do {
      _ = try await exchange.send(request, goneIsSuccess: change.values == nil)
      return .accepted(version: 1)
    } catch let failure as SyncFailure where failure.kind == .refused {
      return .rejected(SyncRejection(code: "refused", message: failure.message))
    }
  }

  public func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var changes: [SyncRemote] = []
    for resource in resources {
      let body = try await exchange.send(exchange.request(.GET, "/" + resource.path))
      let document: SyncValue
      do { document = try SyncJSON.parse(body) } catch {
        throw SyncFailure(.server, "The server sent something else than JSON: \(error)")
      }
      guard case .list(let elements) = document else {
        throw SyncFailure(.server, "The server sent something else than a list")
      }
      for element in elements {
        guard let (key, values) = resource.read(element) else { continue }
        // Full pages are compared whatever the version: it only says that the server has the object.
        changes.append(
          SyncRemote(
            object: SyncObjectID(resource.entity, key), version: 1, values: values))
      }
    }
    return SyncPage(
      changes: changes, cursor: "", hasMore: false,
      coverage: .full(entities: resources.map(\.entity)))
  }
}
