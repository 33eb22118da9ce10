import Foundation
import HTTPContent
import HTTPTypes
import Hummingbird
import LocalApp
import Logging
import QuakesKit
import WireFormats

/// Answers the requests to the page and its API.
struct WebResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let source: any QuakeSource
  let files: StaticFiles
  let hub: StreamHub
  let hosts: HostRule
  let security: SecurityHeaders
  let tileStyle: URL?
  let logger: Logger

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    var response: Response
    do {
      response = try await route(request)
    } catch let failure as APIFailure {
      response = try failure.response(to: request)
    } catch let error as RequestTargetError {
      response = try APIFailure(error).response(to: request)
    } catch {
      // The log gets the details of the error; the page only gets the fact that there was one.
      logger.error("\(request.method) \(PlainText.neutralised(request.uri.path)): \(error)")
      let failure = APIFailure(
        .internalServerError, "internal", "The server could not answer; its log says why.")
      response = try failure.response(to: request)
    }
    security.add(to: &response.headers)
    return response
  }

  private func route(_ request: Request) async throws -> Response {
    guard hosts.allows(request.head.authority) else {
      throw APIFailure(
        .misdirectedRequest, "wrong_host",
        "This server answers under the name it listens on, such as localhost.")
    }
    let target = try RequestTarget(request.head.path)
    guard target.path.hasPrefix("/api/") else { return try file(target.path, request) }
    switch target.path {
    case "/api/events":
      try request.allow("GET, HEAD")
      return try await events(target, request)
    case "/api/statistics":
      try request.allow("GET, HEAD")
      return try await statistics(target, request)
    case "/api/export":
      try request.allow("GET, HEAD")
      return try EventExport(target.parameters, source: source, now: Date()).response(to: request)
    case "/api/places":
      try request.allow("GET, HEAD")
      return try place(target, request)
    case "/api/status":
      try request.allow("GET, HEAD")
      return try WebAnswer.json(await statusJSON()).response(to: request)
    case "/api/config":
      try request.allow("GET, HEAD")
      return try WebAnswer.json(configuration).response(to: request)
    case "/api/refresh":
      try request.allow("POST, DELETE")
      return try await refresh(request)
    case "/api/backfill":
      try request.allow("POST, DELETE")
      try await backfill(request)
      return try WebAnswer.json(await statusJSON(), status: .accepted).response(to: request)
    case "/api/stream":
      try request.allow("GET")
      return try await EventStream(hub, status: statusJSON).response(to: request)
    default:
      guard target.path.hasPrefix("/api/events/") else {
        throw APIFailure.notFound("There is nothing at this address.")
      }
      try request.allow("GET, HEAD")
      return try await event(target, request)
    }
  }

  private func file(_ path: String, _ request: Request) throws -> Response {
    guard let answer = files.answer(path) else {
      throw APIFailure.notFound("There is nothing at this address.")
    }
    try request.allow("GET, HEAD")
    return try answer.response(to: request)
  }

  private func events(_ target: RequestTarget, _ request: Request) async throws -> Response {
    let parameters = try EventParameters(target.parameters, now: Date())
    let page = try await source.page(parameters.query)
    var json = JSONWriter()
    switch parameters.layout {
    case .rows:
      json.raw(#"{"events":"#)
      json.events(page.events)
    case .columns, .differences:
      json.raw(#"{"columns":"#)
      let times: EventColumns.Times = parameters.layout == .columns ? .absolute : .differences
      EventColumns(page.events, times: times).write(to: &json)
      json.raw(#","usualAddress":"#)
      json.string(EventColumns.usualAddress)
    }
    json.raw(#","total":"#)
    json.integer(page.total)
    json.raw(#","limit":"#)
    json.integer(parameters.limit)
    json.raw(#","offset":"#)
    json.integer(parameters.query.offset)
    json.raw(#","next":"#)
    json.string(parameters.next(total: page.total, shown: page.events.count))
    json.raw("}")
    return try WebAnswer.json(json.bytes).response(to: request)
  }

  private func statistics(_ target: RequestTarget, _ request: Request) async throws -> Response {
    let filter = try EventParameters(filter: target.parameters, now: Date())
    var json = JSONWriter()
    try await source.statistics(filter.query).write(to: &json)
    return try WebAnswer.json(json.bytes).response(to: request)
  }

  private func event(_ target: RequestTarget, _ request: Request) async throws -> Response {
    guard target.parameters.isEmpty else {
      throw APIFailure.invalid(target.parameters[0].name, "There is no such parameter.")
    }
    let path = target.path.dropFirst("/api/events/".count)
    let asksForDetails = path.hasSuffix(Self.details)
    let id = try RequestTarget.decoded(asksForDetails ? path.dropLast(Self.details.count) : path)
    guard !id.isEmpty, id.utf8.count <= 200, let event = try await source.event(id: id) else {
      throw APIFailure.notFound("There is no event with this identifier.")
    }
    var json = JSONWriter()
    if asksForDetails {
      try await details(of: event, request).write(to: &json)
    } else {
      event.write(to: &json, with: try await source.revisions(of: event))
    }
    return try WebAnswer.json(json.bytes).response(to: request)
  }

  /// The end of the path of an event's details.
  private static let details = "/details"

  private func details(
    of event: Event, _ request: Request
  ) async throws -> DetailsLoader.Answer {
    // A page of another site must not make this program send requests; nor does HEAD.
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    let isOwn = site.map { ["same-origin", "none"].contains($0) } ?? true
    do {
      return try await source.details(of: event, loads: isOwn && request.method == .get)
    } catch let error as DetailsError {
      throw APIFailure(error)
    }
  }

  /// The place that a name means in a search, or why there is none: no failure, since names are typed letter by letter.
  private func place(_ target: RequestTarget, _ request: Request) throws -> Response {
    guard target.parameters.map(\.name) == ["name"], let name = target.parameters.first?.value
    else { throw APIFailure.invalid("name", "Give the name of one place.") }
    guard name.count <= EventParameters.maximumSearchLength else {
      throw APIFailure.invalid(
        "name", "At most \(EventParameters.maximumSearchLength) characters.")
    }
    var json = JSONWriter()
    switch Gazetteer.own.answer(to: name) {
    case .success(let place):
      json.raw(#"{"place":{"name":"#)
      json.string(place.fullName)
      json.raw(#","latitude":"#)
      json.number(place.latitude)
      json.raw(#","longitude":"#)
      json.number(place.longitude)
      json.raw(#"},"message":null}"#)
    case .failure(let error):
      json.raw(#"{"place":null,"message":"#)
      json.string("\(error.reason).")
      json.raw("}")
    }
    return try WebAnswer.json(json.bytes).response(to: request)
  }

  private func refresh(_ request: Request) async throws -> Response {
    try request.requireOwnPage(of: "quakes")
    if request.method == .delete { await source.stop() } else { await source.refresh() }
    return try WebAnswer.json(await statusJSON(), status: .accepted).response(to: request)
  }

  private func statusJSON() async throws -> [UInt8] {
    var json = JSONWriter()
    try await source.status().write(to: &json)
    return json.bytes
  }

  private var configuration: [UInt8] {
    var json = JSONWriter()
    json.raw(#"{"version":"#)
    json.string(QuakesVersion.current)
    json.raw(#","tileStyle":"#)
    json.string(tileStyle?.absoluteString)
    json.raw(#","mapAvailable":"#)
    json.boolean(files.hasMap)
    json.raw("}")
    return json.bytes
  }
}
