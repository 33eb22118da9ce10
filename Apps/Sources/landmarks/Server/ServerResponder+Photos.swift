import Foundation
import HTTPTypes
import Hummingbird
import LandmarksKit
import LocalApp
import SwiftDataSync
import SwiftDataSyncServer

/// The photos of visits, whose bytes are attachments (docs/openapi-sync.yaml).
extension ServerResponder {
  func photo(_ id: UUID, _ request: Request, _ user: String) async throws -> Response {
    switch request.method {
    case .put:
      let condition = try Self.condition(request)
      let body = try await Self.photoBody(request)
      let (answer, isNew) = try await store.putPhoto(id, body, of: user, condition)
      return try Self.json(answer, request, isNew ? .created : .ok)
    case .delete:
      try await store.removePhoto(id, of: user, try Self.condition(request))
      return Response(status: .noContent)
    default: return try Self.json(await store.photo(id, of: user), request)
    }
  }

  private static func photoBody(_ request: Request) async throws -> PhotoBody {
    var body = try await document(
      PhotoBody.self, request,
      "Send an object with reservationID, added (such as 2027-05-01T10:00:00Z), caption and data.")
    try check(body.added, "added")
    do { try VisitPhoto.check(caption: body.caption) } catch let error as LandmarksError {
      throw APIFailure(
        .unprocessableContent, "invalid_caption", "Of the caption: \(error.reason).",
        parameter: "caption")
    }
    // Documents have whole seconds.
    body.added = Date(
      timeIntervalSinceReferenceDate: body.added.timeIntervalSinceReferenceDate.rounded(.down))
    return body
  }

  // MARK: Attachments

  /// The limits on requests about attachments: a portion has to arrive within the time limit of a request.
  private static var limits: SyncRoutes.Limits {
    var limits = SyncRoutes.Limits()
    limits.maximumBody = 1 << 20
    limits.portion = 1 << 20
    return limits
  }

  /// Answers a request about attachments.
  /// - Parameter name: The path after `/attachments/`; empty without it.
  func attachments(
    _ name: Substring, _ request: Request, _ user: String
  ) async throws -> Response {
    let routes = SyncAttachmentRoutes(store, limits: Self.limits)
    do {
      switch name {
      case "":
        try request.allow("GET")
        let response = try await routes.download(request, user: user)
        guard response.status != .notFound else {
          throw APIFailure.notFound("There is no such attachment.")
        }
        return response
      case "missing":
        try request.allow("POST")
        return try await routes.missing(request, user: user)
      default:
        try request.allow("PATCH")
        return try await routes.upload(request, named: String(name), user: user)
      }
    } catch let failure as SyncFailure {
      throw Self.failure(failure)
    } catch is SyncRoutes.IncompleteBody {
      throw APIFailure(
        .badRequest, "incomplete_body", "The body ended before its announced length.")
    }
  }

  private static func failure(_ failure: SyncFailure) -> APIFailure {
    switch failure.kind {
    case .tooLarge: APIFailure(.contentTooLarge, "too_large", failure.message)
    case .throttled: APIFailure(.tooManyRequests, "too_many_uploads", failure.message)
    default: APIFailure(.badRequest, "invalid_request", failure.message)
    }
  }
}
