import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The responses of a fault that replace a feed.
struct FaultyAnswer {
  let settings: DemoFeedServer.Settings

  /// Returns the response of a fault that replaces the feed; `nil` when the fault damages the
  /// feed's body or there is no fault.
  func instead(of fault: Fault, _ request: Request) async throws -> Response? {
    switch fault {
    case .badRequest: return refusal(.badRequest)
    case .notFound: return refusal(.notFound)
    case .tooLarge: return refusal(.contentTooLarge)
    case .serverError: return refusal(.internalServerError)
    case .tooManyRequests: return busy(.tooManyRequests)
    case .unavailable: return busy(.serviceUnavailable)
    case .html: return page()
    case .timeout:
      try await hold(request)
      return Response(status: .gatewayTimeout)
    case .none, .truncated, .badGzip, .malformed, .malformedFeature, .slowDrip:
      return nil
    }
  }

  private func busy(_ status: HTTPResponse.Status) -> Response {
    Response(
      status: status,
      headers: [.retryAfter: "\(settings.retryAfter)", .contentType: "text/plain"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: status.reasonPhrase + "\n")))
  }

  private func refusal(_ status: HTTPResponse.Status) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain"],
      body: ResponseBody(
        byteBuffer: ByteBuffer(
          string: "Error \(status.code): \(status.reasonPhrase)\n\nA fault of the demo.\n")))
  }

  private func page() -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(
        byteBuffer: ByteBuffer(
          string: "<!doctype html><title>Sign in</title><p>Accept our terms to go online.\n")))
  }

  /// Holds the request until its client gives up, the time is over or the server stops.
  private func hold(_ request: Request) async throws {
    try await request.body.consumeWithCancellationOnInboundClose { _ in
      await cancelWhenGracefulShutdown {
        do {
          try await Task.sleep(for: settings.holdTime)
        } catch {
          // Cancelled: the client has gone or the server stops. Either ends the wait as intended.
        }
      }
    }
  }
}
