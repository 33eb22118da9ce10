import Foundation
import HTTPTypes
import Hummingbird
import LandmarksKit
import LocalApp
import Logging
import NIOCore
import WireFormats

/// Answers the requests to the REST server (docs/openapi-landmarks.yaml). A request without a valid token learns
/// nothing, not even which addresses exist; only a sign-in needs none.
struct ServerResponder: HTTPResponder {
  typealias Context = AddressedContext

  /// The maximum size of a request's body, in bytes.
  static let maximumBody = 65_536

  let store: ServedStore
  /// The tokens that were given to the server; nil for none.
  let tokens: BearerTokens?
  /// The sign-in; nil without one.
  let signIn: SignIn?
  let faults: ServerFaults
  let security = SecurityHeaders(tileStyle: nil)
  let logger: Logger

  func respond(to request: Request, context: AddressedContext) async throws -> Response {
    var response: Response
    do {
      if request.method == .post, request.head.path == "/session" {
        response = try await faults.carryOut {
          try await beginSession(request, from: context.address)
        }
      } else {
        let caller = try await caller(request)
        response = try await faults.carryOut { try await answer(request, caller) }
      }
    } catch let failure as APIFailure {
      response = try Self.refusal(failure, request)
    } catch let error as RequestTargetError {
      response = try Self.refusal(APIFailure(error), request)
    } catch {
      // The log gets the details of the error; the client only gets the fact that there was one.
      logger.error("\(request.method) failed: \(error)")
      response = try Self.refusal(
        APIFailure(
          .internalServerError, "internal", "The server could not answer; its log says why."),
        request)
    }
    security.add(to: &response.headers)
    return response
  }

  /// The parts of paths of objects that devices exchange.
  private static let exchanged: Set<Substring> = ["favorites", "reservations", "photos"]

  /// Answers a request; answers about exchanged objects name the revisions, also those that refuse a change.
  private func answer(_ request: Request, _ caller: Caller) async throws -> Response {
    let path = request.head.path ?? ""
    let part = path.dropFirst().prefix { $0 != "/" && $0 != "?" }
    guard Self.exchanged.contains(part) else { return try await route(request, caller) }
    var response: Response
    do { response = try await route(request, caller) } catch let failure as APIFailure {
      response = try Self.refusal(failure, request)
    }
    // After the answer: what it has is at most of this revision.
    for field in try await store.revisions().fields { response.headers.append(field) }
    return response
  }

  private func route(_ request: Request, _ caller: Caller) async throws -> Response {
    let user = caller.user
    let target = try RequestTarget(request.head.path)
    if target.path == "/attachments" || target.path.hasPrefix("/attachments/") {
      return try await attachments(target.path.dropFirst(13), request, user)
    }
    if let parameter = target.parameters.first {
      throw APIFailure.invalid(parameter.name, "There is no such parameter.")
    }
    let parts = target.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("landmarks", 1):
      try request.allow("GET, HEAD")
      return try Self.json(await store.landmarks(), request)
    case ("landmarks", 2):
      try request.allow("GET, HEAD")
      return try Self.json(await store.landmark(Self.number(parts[1])), request)
    case ("favorites", 1):
      try request.allow("GET, HEAD")
      return try Self.json(["favorites": await store.favorites(of: user)], request)
    case ("favorites", 2):
      try request.allow("PUT, DELETE")
      try await store.setFavorite(Self.number(parts[1]), request.method == .put, of: user)
      return Response(status: .noContent)
    case ("reservations", 1):
      try request.allow("GET, HEAD")
      return try Self.json(await store.reservations(of: user), request)
    case ("reservations", 2):
      try request.allow("GET, HEAD, PUT, DELETE")
      return try await reservation(Self.identifier(parts[1], "reservation"), request, user)
    case ("photos", 1):
      try request.allow("GET, HEAD")
      return try Self.json(await store.photos(of: user), request)
    case ("photos", 2):
      try request.allow("GET, HEAD, PUT, DELETE")
      return try await photo(Self.identifier(parts[1], "photo"), request, user)
    case ("session", 1): return try await session(request, caller)
    default: throw APIFailure.notFound("There is nothing at this address.")
    }
  }

  private func reservation(
    _ id: UUID, _ request: Request, _ user: String
  ) async throws -> Response {
    switch request.method {
    case .put:
      let condition = try Self.condition(request)
      let body = try await Self.body(request)
      let (answer, isNew) = try await store.put(id, body, of: user, condition)
      return try Self.json(answer, request, isNew ? .created : .ok)
    case .delete:
      try await store.remove(id, of: user, try Self.condition(request))
      return Response(status: .noContent)
    default: return try Self.json(await store.reservation(id, of: user), request)
    }
  }

  // MARK: Requests

  private static func number(_ text: Substring) throws(APIFailure) -> Int {
    guard text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text)
    else { throw APIFailure.notFound("There is no landmark with this number.") }
    return number
  }

  private static func identifier(
    _ text: Substring, _ kind: String
  ) throws(APIFailure) -> UUID {
    guard text.utf8.count == 36, let id = UUID(uuidString: String(text)) else {
      throw APIFailure.notFound("There is no such \(kind).")
    }
    return id
  }

  static func condition(_ request: Request) throws(APIFailure) -> ServedStore.Condition {
    switch (request.headers[.ifMatch], request.headers[.ifNoneMatch]) {
    case (nil, nil): return .none
    case (nil, "*"): return .absent
    case ("*", nil): return .present
    case (let tags?, nil): return .revisions(try revisions(tags))
    default:
      throw APIFailure(
        .badRequest, "invalid_condition", "Use If-Match with tags or *, or If-None-Match: *.")
    }
  }

  /// Returns the revisions that the tags of a list name (RFC 9110, section 13.1.1). Weak tags, and tags that the server
  /// never sent, match nothing.
  private static func revisions(_ tags: String) throws(APIFailure) -> Set<Int> {
    var revisions: Set<Int> = []
    let isPart: (Character) -> Bool = { $0 != " " && $0 != "\t" }
    for part in tags.split(separator: ",") {
      // An element without a tag is ignored (section 5.6.1).
      guard let start = part.firstIndex(where: isPart), let end = part.lastIndex(where: isPart)
      else { continue }
      let text = part[start...end]
      guard text.utf8.count >= 2, text.hasSuffix("\""),
        text.hasPrefix("\"") || text.hasPrefix("W/\"")
      else {
        throw APIFailure(
          .badRequest, "invalid_condition", "A tag has quotation marks, as in If-Match: \"1\".")
      }
      let digits = text.dropFirst().dropLast()
      if digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let revision = Int(digits) {
        revisions.insert(revision)
      }
    }
    return revisions
  }

  /// - Parameter advice: The message for a document of another form.
  static func document<Body: Decodable>(
    _ type: Body.Type, _ request: Request, _ advice: String
  ) async throws -> Body {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw APIFailure(
        .unsupportedMediaType, "unsupported_media_type", "Send application/json.")
    }
    let bytes = try await request.collected(upTo: maximumBody)
    do { return try JSONDecoder.landmarks.decode(type, from: bytes) } catch {
      throw APIFailure(.badRequest, "invalid_body", advice)
    }
  }

  private static func body(_ request: Request) async throws -> ReservationBody {
    var body = try await document(
      ReservationBody.self, request,
      "Send an object with landmarkID, date (such as 2027-05-01T10:00:00Z), status and note.")
    guard Reservation.Status(rawValue: body.status) != nil else {
      let choices = Reservation.Status.allCases.map(\.rawValue).joined(separator: ", ")
      throw APIFailure(
        .unprocessableContent, "invalid_status", "One of: \(choices).", parameter: "status")
    }
    try check(body.date, "date")
    body.date = Reservation.wholeMinutes(body.date)
    try check(body.note)
    return body
  }

  static func check(_ date: Date, _ parameter: String) throws(APIFailure) {
    // From 2000-01-01 to 2100-01-01, seconds since the reference date.
    guard (-31_622_400...3_124_137_600) ~= date.timeIntervalSinceReferenceDate else {
      throw APIFailure(
        .unprocessableContent, "invalid_date", "Use a date of this century.", parameter: parameter)
    }
  }

  private static func check(_ note: String?) throws(APIFailure) {
    guard let note else { return }
    guard note.utf16.count <= VisitNote.maximumMergedLength else {
      throw APIFailure(
        .unprocessableContent, "note_too_long",
        "The note has \(note.utf16.count) characters; at most \(VisitNote.maximumMergedLength) are kept.",
        parameter: "note")
    }
    guard VisitNote.isClean(note) else {
      throw APIFailure(
        .unprocessableContent, "invalid_note",
        "A note has lines that end with a line feed, and no other control characters than tabs.",
        parameter: "note")
    }
  }

  // MARK: Answers

  static func json(
    _ value: some Encodable, _ request: Request, _ status: HTTPResponse.Status = .ok
  ) throws -> Response {
    var answer = WebAnswer.json([UInt8](try JSONEncoder.landmarks.encode(value)), status: status)
    if let revision = (value as? ReservationAnswer)?.revision ?? (value as? PhotoAnswer)?.revision {
      answer.entityTag = "\"\(revision)\""
      // The tag is used in conditions of changes, so it must be the same for every representation of the object.
      answer.compresses = false
    }
    if request.method == .put {
      // If-None-Match refers to the previous reservation, not to the response.
      var headers: HTTPFields = [.contentType: answer.contentType, .cacheControl: "no-store"]
      headers[.eTag] = answer.entityTag
      return Response(
        status: status, headers: headers, body: ResponseBody(byteBuffer: .init(bytes: answer.plain))
      )
    }
    return try answer.response(to: request)
  }

  private static func refusal(_ failure: APIFailure, _ request: Request) throws -> Response {
    var response = try failure.response(to: request)
    if failure.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    if failure.retryAfter == nil {
      if failure.status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
      if failure.status == .tooManyRequests { response.headers[.retryAfter] = "60" }
    }
    return response
  }
}
