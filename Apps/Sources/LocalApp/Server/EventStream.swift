import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// `GET /api/stream`: the current state, followed by all events from then on.
package struct EventStream {
  private let status: () async throws -> [UInt8]
  private let hub: StreamHub

  /// - Parameters:
  ///   - hub: Distributes the events.
  ///   - status: Returns the current state, as JSON without line breaks.
  package init(_ hub: StreamHub, status: @escaping () async throws -> [UInt8]) {
    self.hub = hub
    self.status = status
  }

  /// Returns the response, which lasts until the client closes it or the server stops.
  /// - Throws: ``APIFailure`` 503 when the server is about to stop.
  package func response(to request: Request) async throws -> Response {
    let lastID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
    // Listening starts before the state is read, so that no event between the two is lost.
    let firstID = hub.lastID
    guard let listener = hub.listen(after: lastID ?? firstID) else {
      throw APIFailure(.serviceUnavailable, "ending", "The server is about to end.")
    }
    let json: [UInt8]
    do {
      json = try await status()
    } catch {
      listener.leave()
      throw error
    }
    let status = StreamHub.message(
      event: "status", id: lastID == nil ? firstID : nil, data: json)
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
