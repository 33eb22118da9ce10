import Foundation
import HTTPContent
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers queries as USGS's FDSN event service does, from the catalogue of the summary feeds and its
/// archive.
/// Source: https://earthquake.usgs.gov/fdsnws/event/1/
struct DemoEventService {
  /// A method of the service.
  enum Method: String, CaseIterable {
    case query, count, version
  }

  /// The folder of the methods, as on earthquake.usgs.gov.
  static let folder = "/fdsnws/event/1/"
  private static let version = "1.14.1"

  let settings: DemoFeedServer.Settings
  let world: DemoWorld

  func respond(to request: Request) async throws -> Response {
    guard let method = Method(rawValue: String(request.uri.path.dropFirst(Self.folder.count)))
    else { return text(.notFound, "no such method; the list is at /\n") }
    guard method != .version else { return text(.ok, Self.version + "\n") }
    let answer = await world.answer()
    if let faulty = try await FaultyAnswer(settings: settings).instead(of: answer.fault, request) {
      return faulty
    }
    guard answer.replay == nil else {
      return text(.notFound, "captures have no event service\n")
    }
    let query: EventServiceQuery
    do {
      let parameters = request.uri.queryParameters.map {
        (name: String($0.key), value: String($0.value))
      }
      query = try EventServiceQuery(parameters, now: answer.catalogue.generated)
    } catch let refusal as EventServiceQuery.Refusal {
      return self.refusal(.badRequest, refusal.reason, request)
    }
    let count = ArchiveEvents.count(of: query, in: answer.catalogue)
    return method == .count
      ? self.count(count, query, request) : events(query, count, answer, request)
  }

  private func count(_ count: Int, _ query: EventServiceQuery, _ request: Request) -> Response {
    guard query.format == .geojson else { return text(.ok, "\(count)") }
    let most = EventServiceQuery.maximum
    let failure =
      count > most
      ? #","error":"\#(tooMany(count)) A query using these search parameters would fail.""# : ""
    var response = text(.ok, #"{"count":\#(count),"maxAllowed":\#(most)\#(failure)}"#)
    response.headers[.contentType] = "application/json; charset=utf-8"
    return response
  }

  private func events(
    _ query: EventServiceQuery, _ count: Int, _ answer: DemoWorld.Answer, _ request: Request
  ) -> Response {
    guard query.format == .geojson else {
      return refusal(
        .badRequest, "Bad format value. The demo has only \"geojson\".", request)
    }
    guard query.limit != nil || count <= EventServiceQuery.maximum else {
      return refusal(
        .badRequest, tooMany(count) + " Modify the search to match fewer events.", request)
    }
    let size = min(max(0, count - query.offset + 1), query.limit ?? .max)
    guard size > 0 else {
      return Response(status: query.noData == .notFound ? .notFound : .noContent)
    }
    let head = FeedDocument.Head(
      generated: answer.catalogue.generated, target: request.uri.string,
      title: "USGS Earthquakes", count: size, seed: answer.catalogue.seed,
      server: DemoFeedServer.address(of: request),
      part: query.limit != nil || query.offset > 1 ? (query.limit, query.offset) : nil)
    let document = FeedDocument(
      head, ArchiveEvents(of: query, in: answer.catalogue),
      malformedFeature: answer.fault == .malformedFeature ? 0 : nil)
    return FeedBody(settings: settings, fault: answer.fault).response(
      .synthetic(document),
      headers: [
        .contentType: "application/json; charset=utf-8",
        .cacheControl: "public, max-age=\(settings.maximumAge)", .vary: "Accept-Encoding",
        .xContentTypeOptions: "nosniff", .accessControlAllowOrigin: "*",
      ],
      gzip: Negotiation.acceptsGzip(request.headers[.acceptEncoding]))
  }

  private func tooMany(_ count: Int) -> String {
    "\(count) matching events exceeds search limit of \(EventServiceQuery.maximum)."
  }

  /// Returns a refusal with the text that the FDSN specification describes for errors.
  private func refusal(
    _ status: HTTPResponse.Status, _ reason: String, _ request: Request
  ) -> Response {
    let reason = PlainText.neutralised(String(reason.prefix(400)))
    let target = PlainText.neutralised(String(request.uri.string.prefix(2_000)))
    return text(
      status,
      """
      Error \(status.code): \(status.reasonPhrase)

      \(reason)

      Usage details are available from https://earthquake.usgs.gov/fdsnws/event/1

      Request:
      \(target)

      Request Submitted:
      \(Date().formatted(.iso8601))

      Service version:
      \(Self.version)

      """)
  }

  private func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "text/plain; charset=utf-8", .xContentTypeOptions: "nosniff",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
