import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import WireFormats

/// Requests a feed from a server once: it follows redirects and classifies failures, but doesn't
/// retry.
struct HTTPTransport: Sendable {
  let client: HTTPClient
  let configuration: HTTPConfiguration
  let clock: any TimeSource
  let logger: Logger

  /// Creates a client for the requests of one refresh.
  static func makeClient(_ configuration: HTTPConfiguration) -> HTTPClient {
    var client = HTTPClient.Configuration()
    // Redirects are followed here, where each hop is checked; bodies are inflated here, where both
    // sizes are counted; only the retry policy repeats attempts.
    client.redirectConfiguration = .disallow
    client.decompression = .disabled
    client.connectionPool.retryConnectionEstablishment = false
    client.timeout = .init(
      connect: TimeAmount(configuration.connectTimeout),
      read: TimeAmount(configuration.idleTimeout))
    return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: client)
  }

  /// Requests the feed.
  /// - Parameters:
  ///   - url: the address of the feed.
  ///   - validators: make the request conditional unless empty.
  ///   - sink: receives the decoded body.
  /// - Throws: `AttemptFailure`, ``LocalCopyError``, `CancellationError`, or an error of the sink.
  func fetch(
    _ url: URL, validators: FeedValidators, into sink: FeedSink
  ) async throws -> FeedAnswer {
    var rules = RedirectRules(
      from: url, maximum: configuration.maximumRedirects,
      allowedHosts: configuration.allowedRedirectHosts)
    var current = url
    while true {
      let response = try await send(
        request(current, validators, withOwnHeaders: rules.isSameOrigin(current)))
      let received = clock.now
      switch response.status.code {
      case 200, 203:
        return try await receive(response, received, into: sink)
      case 304 where !validators.isEmpty:
        var answer = answer(response, received)
        answer.notModified = true
        return answer
      case 301, 302, 303, 307, 308:
        let location = response.headers.first(name: "location")
        current = try rules.next(location: location, from: current)
        logger.debug("redirected", metadata: ["to": "\(current.host() ?? "")"])
      default:
        throw failure(response, received)
      }
    }
  }

  private func request(
    _ url: URL, _ validators: FeedValidators, withOwnHeaders: Bool
  ) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: url.absoluteString)
    if withOwnHeaders {
      for (name, value) in configuration.headers {
        request.headers.replaceOrAdd(name: name, value: value)
      }
    }
    request.headers.replaceOrAdd(name: "user-agent", value: configuration.userAgent)
    request.headers.replaceOrAdd(name: "accept-encoding", value: "gzip")
    if !request.headers.contains(name: "accept") {
      request.headers.add(name: "accept", value: "application/json, */*;q=0.5")
    }
    if let tag = validators.entityTag {
      request.headers.replaceOrAdd(name: "if-none-match", value: tag)
    }
    if let date = validators.lastModified {
      request.headers.replaceOrAdd(name: "if-modified-since", value: date)
    }
    return request
  }

  private func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    do {
      return try await client.execute(request, deadline: .distantFuture, logger: logger)
    } catch {
      try Task.checkCancellation()
      throw AttemptFailure(Self.noAnswer(error).causedBy(error), .transient)
    }
  }

  private func receive(
    _ response: HTTPClientResponse, _ received: Date, into sink: FeedSink
  ) async throws -> FeedAnswer {
    let expected = response.headers.first(name: "content-length").flatMap { Int($0) }
    let body = BodyDecoder(try coding(response.headers), configuration)
    try sink.begin(expected)
    var pieces = response.body.makeAsyncIterator()
    while let piece = try await next(&pieces, body.wireBytes) {
      try Task.checkCancellation()
      try piece.withUnsafeReadableBytes { raw in
        try body.receive(raw.bindMemory(to: UInt8.self)) {
          try sink.receive($0, body.wireBytes)
        }
      }
    }
    if let expected, expected != body.wireBytes { throw cut(after: body.wireBytes) }
    try body.finish { try sink.receive($0, body.wireBytes) }
    var answer = answer(response, received)
    answer.wireBytes = body.wireBytes
    answer.decodedBytes = body.decodedBytes
    return answer
  }

  private func next(
    _ pieces: inout HTTPClientResponse.Body.AsyncIterator, _ wireBytes: Int
  ) async throws -> ByteBuffer? {
    do {
      return try await pieces.next()
    } catch {
      try Task.checkCancellation()
      throw AttemptFailure(cut(after: wireBytes).causedBy(error), .transient)
    }
  }

  private func answer(_ response: HTTPClientResponse, _ received: Date) -> FeedAnswer {
    var answer = FeedAnswer(received: received)
    let headers = response.headers
    answer.cache = CachePolicy(received: received) { name in
      let values = headers[name]
      return values.isEmpty ? nil : values.joined(separator: ",")
    }
    answer.validators = FeedValidators(
      entityTag: headers.first(name: "etag"), lastModified: headers.first(name: "last-modified"))
    return answer
  }
}
