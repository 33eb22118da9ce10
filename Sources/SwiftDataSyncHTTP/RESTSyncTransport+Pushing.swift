import CurlClient
import Foundation
import SwiftDataSync

extension RESTSyncTransport {
  /// The condition of a change's request (RFC 9110 section 13.1).
  private enum Condition {
    case none
    case matches(String)
    case isAbsent
  }

  /// Statuses that report a problem with the change, not with the server.
  private static let refusals: Set<Int> = [400, 404, 405, 409, 410, 415, 422, 428]
  /// The status of a put that waits for the bytes of its attachments (RFC 4918 section 11.4).
  private static let lacksBytes = 424

  /// - Returns: nil when the server lacks the bytes of the change's attachments.
  func push(_ change: SyncChange) async throws -> SyncOutcome? {
    guard let resource = resources.first(where: { $0.entity == change.object.entity }),
      resource.isWritable
    else {
      return .rejected(
        SyncRejection(
          code: "readOnly", message: "The server takes no edits of \(change.object.entity)"))
    }
    // Before any request, also one that only reads.
    guard !change.object.key.isEmpty, !HTTPExchange.hasDotSegments(change.object.key) else {
      return .rejected(
        SyncRejection(
          code: "invalidKey",
          message: "The object's key would name another resource in the server's addresses"))
    }
    var condition = Condition.none
    switch resource.versions {
    case .none: break
    case .revision:
      condition = change.baseVersion.map { .matches("\"\($0)\"") } ?? .isAbsent
    case .entityTags:
      if let version = change.baseVersion {
        let (remote, tag) = try await presentBeforehand(change.object, resource)
        guard let remote, remote.version == version else { return outcome(of: change, remote) }
        condition = tag.map { .matches($0) } ?? .none
      } else {
        condition = .isAbsent
      }
    }
    if change.values == nil, case .isAbsent = condition { condition = .none }
    return try await send(change, resource, condition)
  }

  private func send(
    _ change: SyncChange, _ resource: RESTResource, _ condition: Condition
  ) async throws -> SyncOutcome? {
    let document = document(of: change, resource)
    var request = exchange.request(
      document == nil ? "DELETE" : "PUT", Self.path(change.object, resource))
    request.fields.add("idempotency-key", change.id)
    switch condition {
    case .none: break
    case .matches(let tag): request.fields.add("if-match", tag)
    case .isAbsent: request.fields.add("if-none-match", "*")
    }
    if case .some(.some(let document)) = document {
      request.fields.add("content-type", "application/json")
      request.body = document.json
    }
    let taken = Self.refusals.union(attachments == nil ? [412] : [412, Self.lacksBytes])
    let answer = try await exchange.answer(request, taking: taken)
    if answer.status == Self.lacksBytes { return nil }
    do { return try await outcome(of: change, answer, resource, condition) } catch var failure
      as SyncFailure
    {
      // The error occurred after the change itself was sent.
      failure.isUnsent = false
      throw failure
    }
  }

  /// Returns the outcome of a response to a change.
  private func outcome(
    of change: SyncChange, _ answer: HTTPExchange.Answer, _ resource: RESTResource,
    _ condition: Condition
  ) async throws -> SyncOutcome {
    let document = document(of: change, resource)
    switch answer.status {
    case 200..<300: return try await stored(change, answer, resource)
    case 404, 410:
      if document == nil { return .accepted(version: change.baseVersion ?? 1) }
      return refusal(answer)
    case 412:
      if case .none = condition { return refusal(answer) }
      let outcome = outcome(of: change, try await present(change.object, resource).remote)
      guard case .conflict(var remote) = outcome, resource.versions != .entityTags else {
        return outcome
      }
      remote.skipped = change.baseVersion.flatMap(answer.skipped)
      return .conflict(remote)
    default: return refusal(answer)
    }
  }

  /// Returns the document to put: nil for a deletion, and a nil document for a member of a set.
  private func document(of change: SyncChange, _ resource: RESTResource) -> SyncValue?? {
    guard let values = change.values else { return nil }
    switch resource.content {
    case .objects: return .some(resource.write(change.object.key, values))
    case .keys(let property): return values[property] == .boolean(true) ? .some(nil) : nil
    }
  }

  /// Returns the outcome of a change that the server accepted, with the values as stored.
  private func stored(
    _ change: SyncChange, _ answer: HTTPExchange.Answer, _ resource: RESTResource
  ) async throws -> SyncOutcome {
    // Also where the document isn't needed: the answer may be another one's.
    if answer.isJSON, !answer.body.isEmpty { _ = try RESTResource.document(answer.body) }
    guard let pushed = change.values, resource.versions != .none else {
      return .accepted(
        version: change.values == nil ? change.baseVersion ?? 1 : answer.newest ?? 1)
    }
    var remote: SyncRemote?
    if !answer.body.isEmpty {
      remote = try resource.remote(try RESTResource.document(answer.body))
    } else {
      remote = try await present(change.object, resource).remote
    }
    guard let remote, let values = remote.values else { return outcome(of: change, nil) }
    guard remote.object == change.object else {
      throw SyncFailure(
        .server, "The server answered a change of \(change.object) with another one")
    }
    return .accepted(
      version: remote.version, values: Self.isSame(values, pushed) ? nil : values)
  }

  /// Returns the outcome when nothing was stored because the resource is in another state.
  private func outcome(of change: SyncChange, _ remote: SyncRemote?) -> SyncOutcome {
    guard let remote, let values = remote.values else {
      if change.values == nil { return .accepted(version: change.baseVersion ?? 1) }
      return .conflict(
        SyncRemote(object: change.object, version: change.baseVersion ?? 1, values: nil))
    }
    // An earlier attempt was stored, and its response was lost.
    if let pushed = change.values, Self.isSame(values, pushed) {
      return .accepted(version: remote.version)
    }
    return .conflict(remote)
  }

  /// Returns the current resource with its strong entity tag, if it has one that can be sent back.
  private func present(
    _ object: SyncObjectID, _ resource: RESTResource
  ) async throws -> (remote: SyncRemote?, tag: String?) {
    let request = exchange.request("GET", Self.path(object, resource))
    let answer = try await exchange.answer(request, taking: [404, 410])
    guard (200..<300).contains(answer.status) else { return (nil, nil) }
    let tag = answer.entityTag.flatMap {
      $0.hasPrefix("\"") && HTTPFields.Field.isValue($0) ? $0 : nil
    }
    return (try resource.remote(try RESTResource.document(answer.body)), tag)
  }

  /// Returns the current resource before a change of it is sent.
  ///
  /// - Throws: ``SyncFailure``, which says that the change wasn't sent.
  private func presentBeforehand(
    _ object: SyncObjectID, _ resource: RESTResource
  ) async throws -> (remote: SyncRemote?, tag: String?) {
    do { return try await present(object, resource) } catch var failure as SyncFailure {
      failure.unanswered = []
      throw failure
    }
  }

  private static func path(_ object: SyncObjectID, _ resource: RESTResource) -> String {
    "/" + resource.path + "/" + HTTPExchange.escaped(object.key)
  }

  /// Whether all values that the server returns equal the put ones.
  private static func isSame(_ values: SyncValues, _ pushed: SyncValues) -> Bool {
    values.allSatisfy { property, value in
      guard let mine = pushed[property] else { return true }
      if let number = value.number, let other = mine.number { return number == other }
      return value == mine
    }
  }

  private func refusal(_ answer: HTTPExchange.Answer) -> SyncOutcome {
    var rejection = SyncRejection(
      code: "refused",
      message: answer.sentence(reason) ?? "The server answered \(answer.status)")
    rejection.details = answer.document.flatMap(details)
    return .rejected(rejection)
  }
}
