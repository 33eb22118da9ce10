import HTTPContent
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// `GET /api/stream`: the state now, and everything that happens from now on.
struct EventStream {
  let source: any QuakeSource
  let hub: StreamHub

  /// The response, which goes on until the client or the server ends.
  /// - Throws: ``APIFailure`` 503 when too many listen already.
  func response(to request: Request) async throws -> Response {
    let lastID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
    // Listening begins before the state is read, so that nothing falls between the two.
    let firstID = hub.lastID
    guard let listener = hub.listen(after: lastID ?? firstID) else {
      throw APIFailure(.serviceUnavailable, "too_many_listeners", "Too many pages are open.")
    }
    var json = JSONBytes()
    do {
      try await source.status().write(to: &json)
    } catch {
      listener.leave()
      throw error
    }
    let status = StreamHub.message(
      event: "status", id: lastID == nil ? firstID : nil, data: json.bytes)
    let opening = Array("retry: 3000\n\n".utf8) + status
    let body = ResponseBody { [body = request.body] writer in
      defer { listener.leave() }
      try await writer.write(ByteBuffer(bytes: opening))
      try await body.consumeWithInboundCloseHandler { _ in
        for await message in listener.messages.cancelOnGracefulShutdown() {
          try await writer.write(ByteBuffer(bytes: message))
        }
      } onInboundClosed: {
        listener.leave()
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
      body: body)
  }
}
