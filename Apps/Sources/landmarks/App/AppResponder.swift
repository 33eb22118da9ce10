import Foundation
import HTTPContent
import HTTPTypes
import Hummingbird
import LandmarksKit
import LocalApp
import Logging
import NIOCore
import WireFormats

/// Answers the requests to the page and its API (docs/openapi-landmarks.yaml). It uses only the
/// device's own store: the page needs no other server.
struct AppResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  /// The maximum size of a request's body, in bytes.
  static let maximumBody = 65_536

  let source: AppSource
  let files: StaticFiles
  let hub: StreamHub
  let hosts: HostRule
  let security: SecurityHeaders
  let logger: Logger

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    var response: Response
    do {
      response = try await route(request)
    } catch let failure as APIFailure {
      response = try failure.response(to: request)
    } catch let error as RequestTargetError {
      response = try APIFailure(error).response(to: request)
    } catch let error as LandmarksError where error.code == .storeChanged {
      // The page's edits wait for a program that can store them.
      let failure = APIFailure(
        .serviceUnavailable, "store_changed", Self.sentence(error.reason), retryAfter: 30)
      response = try failure.response(to: request)
    } catch let error as LandmarksError where Self.status(error) != nil {
      let failure = APIFailure(
        Self.status(error) ?? .badRequest, "refused", Self.sentence(error.reason))
      response = try failure.response(to: request)
    } catch {
      // The log gets the details of the error; the page only gets the fact that there was one.
      logger.error("\(request.method) \(PlainText.neutralised(request.uri.path)): \(error)")
      let failure = APIFailure(
        .internalServerError, "internal", "The program could not answer; its log says why.")
      response = try failure.response(to: request)
    }
    security.add(to: &response.headers)
    return response
  }

  /// Returns a reason as a sentence.
  static func sentence(_ reason: String) -> String {
    reason.prefix(1).uppercased() + reason.dropFirst() + (reason.hasSuffix(".") ? "" : ".")
  }

  private static func status(_ error: LandmarksError) -> HTTPResponse.Status? {
    switch error.code {
    case .notFound: .notFound
    case .invalidArgument: .unprocessableContent
    default: nil
    }
  }

  private func route(_ request: Request) async throws -> Response {
    guard hosts.allows(request.head.authority) else {
      throw APIFailure(
        .misdirectedRequest, "wrong_host",
        "This program answers under the name it listens on, such as localhost.")
    }
    let target = try RequestTarget(request.head.path)
    guard target.path.hasPrefix("/api/") else {
      guard let answer = files.answer(target.path) else { throw Self.nothing }
      try request.allow("GET, HEAD")
      return try answer.response(to: request)
    }
    let parts = target.path.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, parts[0] == "photos" {
      return try await photo(parts[1], target.parameters, request)
    }
    if parts.count == 2, parts[0] == "notices" {
      return try await notice(parts[1], target.parameters, request)
    }
    if let parameter = target.parameters.first {
      throw APIFailure.invalid(parameter.name, "There is no such parameter.")
    }
    switch parts.count {
    case 1: return try await resource(parts[0], request)
    case 2:
      switch parts[0] {
      case "favorites": return try await favorite(parts[1], request)
      case "reservations": return try await reservation(parts[1], request)
      default: throw Self.nothing
      }
    case 3 where parts[0] == "reservations" && parts[2] == "cancel":
      return try await cancellation(parts[1], request)
    case 3 where parts[0] == "reservations" && parts[2] == "note":
      return try await note(parts[1], request)
    case 3 where parts[0] == "photos" && parts[2] == "caption":
      return try await caption(parts[1], request)
    default: throw Self.nothing
    }
  }

  private func resource(_ name: Substring, _ request: Request) async throws -> Response {
    switch name {
    case "state":
      try request.allow("GET, HEAD")
      return try WebAnswer.json(await source.pageState()).response(to: request)
    case "status":
      try request.allow("GET, HEAD")
      return try WebAnswer.json(await statusJSON()).response(to: request)
    case "config":
      try request.allow("GET, HEAD")
      var json = JSONWriter()
      json.raw(#"{"version":"#)
      json.string(LandmarksVersion.current)
      json.raw(#","mapAvailable":"#)
      json.boolean(files.hasMap)
      json.raw(#","store":"#)
      json.string(try source.store.identifier())
      json.raw("}")
      return try WebAnswer.json(json.bytes).response(to: request)
    case "activity":
      try request.allow("GET, HEAD")
      var json = JSONWriter()
      json.raw(#"{"activities":"#)
      json.list(try source.store.activity()) { $0.activity($1) }
      json.raw("}")
      return try WebAnswer.json(json.bytes).response(to: request)
    case "calendar":
      try request.allow("GET, HEAD")
      return try calendar(request)
    case "sync":
      try allowChange("POST", request)
      source.wantExchange()
      return try WebAnswer.json(await statusJSON(), status: .accepted).response(to: request)
    case "session": return try await session(request)
    case "offline":
      try allowChange("PUT, DELETE", request)
      if request.method == .put { await source.workOffline() } else { source.wantExchange() }
      return try WebAnswer.json(await statusJSON()).response(to: request)
    case "stream":
      try request.allow("GET")
      return try await EventStream(hub, status: statusJSON).response(to: request)
    default: throw Self.nothing
    }
  }

  private func calendar(_ request: Request) throws -> Response {
    let headers: HTTPFields = [
      .contentType: "text/calendar; charset=utf-8", .cacheControl: "no-store",
      .contentDisposition: "attachment; filename=\"visits.ics\"",
    ]
    guard let bytes = try source.store.calendar(now: source.clock.now) else {
      throw APIFailure.notFound("There are no visits.")
    }
    return Response(
      status: .ok, headers: headers,
      body: request.method == .head
        ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  func allowChange(_ methods: String, _ request: Request) throws(APIFailure) {
    try request.allow(methods)
    try request.requireOwnPage(of: "landmarks")
  }

  func statusJSON() async throws -> [UInt8] {
    var json = JSONWriter()
    json.status(try await source.status())
    return json.bytes
  }

  static var nothing: APIFailure {
    APIFailure.notFound("There is nothing at this address.")
  }
}
