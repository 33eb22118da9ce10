import Foundation
import HTTPContent
import HTTPTypes
import Hummingbird
import NIOCore
import WireFormats

/// Answers the requests to the demo feed.
struct DemoFeedResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let settings: DemoFeedServer.Settings
  let world: DemoWorld

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    let path = request.uri.path
    if path.hasPrefix("/control/") { return try await control(path, request) }
    guard request.method == .get || request.method == .head else {
      return refusal(.methodNotAllowed, "only GET and HEAD", [.allow: "GET, HEAD"])
    }
    if path == "/" { return index() }
    if path.hasPrefix(DemoEventService.folder) {
      var response = try await eventService.respond(to: request)
      if request.method == .head { response.body = ResponseBody() }
      return response
    }
    if let (file, event) = DetailDocument.file(path) {
      var response = try await details(file, of: event, request)
      if request.method == .head { response.body = ResponseBody() }
      return response
    }
    guard path.hasPrefix(SummaryFeed.folder), path.hasSuffix(".geojson"),
      let feed = SummaryFeed(
        name: path.dropFirst(SummaryFeed.folder.count).dropLast(".geojson".count))
    else {
      return refusal(.notFound, "no such feed; the list is at /")
    }
    var response = try await answer(feed, request)
    if request.method == .head { response.body = ResponseBody() }
    return response
  }

  private var eventService: DemoEventService { DemoEventService(settings: settings, world: world) }

  private func answer(_ feed: SummaryFeed, _ request: Request) async throws -> Response {
    let answer = await world.answer()
    if let faulty = try await FaultyAnswer(settings: settings).instead(of: answer.fault, request) {
      return faulty
    }
    let tag = "\(answer.catalogue.seed)-\(answer.catalogue.generated)-\(feed.name)"
    return try await response(
      to: request, tag: tag, changed: answer.catalogue.generated, answer.fault
    ) {
      try content(feed, answer, DemoFeedServer.address(of: request))
    } ?? refusal(.notFound, "no capture of this feed")
  }

  /// Answers the request for a detail document, or for a file of a product.
  private func details(
    _ file: DetailDocument.File, of id: String, _ request: Request
  ) async throws -> Response {
    let answer = await world.answer()
    if let faulty = try await FaultyAnswer(settings: settings).instead(of: answer.fault, request) {
      return faulty
    }
    guard answer.replay == nil, let event = answer.catalogue.event(id: id) else {
      return refusal(.notFound, "no such event, or a capture, which has no details")
    }
    let document = DetailDocument(
      products: SyntheticProducts(event, seed: answer.catalogue.seed),
      server: DemoFeedServer.address(of: request))
    let tag = "\(answer.catalogue.seed)-\(event.updated)-\(id)-\(file)"
    return try await response(
      to: request, tag: tag, changed: event.updated, answer.fault
    ) {
      if answer.fault == .malformedFeature {
        return .capture(Array(#"{"type":"Feature","id":7,"properties":{"products":"none"}}"#.utf8))
      }
      return document.bytes(file).map { .capture($0) }
    } ?? refusal(.notFound, "the event has no such product")
  }

  /// Returns the response with a document; nil when there is none.
  /// - Parameters:
  ///   - tag: The entity tag without quotation marks.
  ///   - changed: The time of the last change, in milliseconds since 1970.
  private func response(
    to request: Request, tag: String, changed: Int, _ fault: Fault,
    _ content: () throws -> FeedContent?
  ) async throws -> Response? {
    let lastModified = Date(timeIntervalSince1970: Double(changed / 1_000))
    var headers = commonHeaders
    headers[.lastModified] = HTTPDate.format(lastModified)
    let tag = "\"\(tag)\""
    if settings.entityTags { headers[.eTag] = tag }
    if isCurrent(request, tag: tag, lastModified: lastModified) {
      await world.countNotModified()
      return Response(status: .notModified, headers: headers)
    }
    return try content().map { content in
      FeedBody(settings: settings, fault: fault).response(
        content, headers: headers, gzip: Negotiation.acceptsGzip(request.headers[.acceptEncoding]))
    }
  }

  private var commonHeaders: HTTPFields {
    var headers: HTTPFields = [
      .contentType: "application/json; charset=utf-8",
      .cacheControl: "public, max-age=\(settings.maximumAge)",
      .vary: "Accept-Encoding",
      .xContentTypeOptions: "nosniff",
    ]
    headers[.accessControlAllowOrigin] = "*"
    return headers
  }

  /// Returns whether the client has the current document. An entity tag takes precedence over a
  /// date (RFC 9110, 13.2.2).
  private func isCurrent(_ request: Request, tag: String, lastModified: Date) -> Bool {
    if let field = request.headers[.ifNoneMatch] {
      return settings.entityTags && Negotiation.matches(field, tag: tag)
    }
    guard let since = request.headers[.ifModifiedSince].flatMap({ HTTPDate.parse($0) }) else {
      return false
    }
    return lastModified <= since
  }

  private func content(
    _ feed: SummaryFeed, _ answer: DemoWorld.Answer, _ server: String
  ) throws -> FeedContent? {
    if let replay = answer.replay {
      let capture = try replay.document(of: feed, step: answer.catalogue.step)
      return capture.map { .capture($0) }
    }
    let bad = answer.fault == .malformedFeature ? 1 : nil
    return .synthetic(
      FeedDocument(feed, of: answer.catalogue, server: server, malformedFeature: bad))
  }

  private func control(_ path: String, _ request: Request) async throws -> Response {
    // A web page elsewhere must not control the demo through the visitor's browser.
    if request.headers[HTTPField.Name("Sec-Fetch-Site") ?? .origin] == "cross-site" {
      return refusal(.forbidden, "not from another site")
    }
    switch (request.method, path) {
    case (.get, "/control/state"):
      return try json(await world.state)
    case (.post, "/control/advance"):
      return try json(await world.advance())
    case (.post, "/control/fault"):
      let name = request.uri.queryParameters["kind"].map(String.init) ?? ""
      let after = request.uri.queryParameters["after"].map(String.init) ?? "0"
      guard let after = Int(after), (0...1_000_000).contains(after) else {
        return refusal(.badRequest, "after is a number of requests, from 0 to 1000000")
      }
      do {
        return try json(await world.turnOn(Fault(named: name), after: after))
      } catch let error as DemoFeedError {
        return refusal(.badRequest, error.description)
      }
    case (_, "/control/state"):
      return refusal(.methodNotAllowed, "only GET", [.allow: "GET"])
    case (_, "/control/advance"), (_, "/control/fault"):
      return refusal(.methodNotAllowed, "only POST", [.allow: "POST"])
    default:
      return refusal(.notFound, "no such control")
    }
  }

  private func index() -> Response {
    let feeds = SummaryFeed.allFeeds.map(\.path).joined(separator: "\n")
    let methods = DemoEventService.Method.allCases.map { DemoEventService.folder + $0.rawValue }
      .joined(separator: "\n")
    return text(.ok, "Demo earthquake feed\n\n\(feeds)\n\n\(methods)\n")
  }

  private func json(_ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let bytes = [UInt8](try encoder.encode(value))
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  private func refusal(
    _ status: HTTPResponse.Status, _ reason: String, _ headers: HTTPFields = [:]
  ) -> Response {
    var response = text(status, reason + "\n")
    for field in headers { response.headers[field.name] = field.value }
    return response
  }

  private func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
