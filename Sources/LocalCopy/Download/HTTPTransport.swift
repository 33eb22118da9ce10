import CurlClient
import Foundation
import WireFormats

/// Requests a feed from a server once: it follows redirects and classifies failures, but doesn't
/// retry.
struct HTTPTransport: Sendable {
  let client: CurlClient
  let configuration: HTTPConfiguration
  let clock: any TimeSource

  /// Requests the feed.
  /// - Parameters:
  ///   - url: the address of the feed.
  ///   - validators: make the request conditional unless empty.
  ///   - address: the address without query that the validators are of, which may be one that the feed redirects
  ///     to; requests to others aren't conditional. Nil when it isn't known.
  ///   - sink: receives the decoded body.
  /// - Throws: `AttemptFailure`, ``LocalCopyError``, `CancellationError`, or an error of the sink.
  func fetch(
    _ url: URL, validators: FeedValidators, of address: String? = nil, into sink: FeedSink
  ) async throws -> FeedAnswer {
    var rules = RedirectRules(
      from: url, maximum: configuration.maximumRedirects,
      allowedHosts: configuration.allowedRedirectHosts,
      staysAtOrigin: configuration.redirectsStayAtOrigin)
    var current = url
    while true {
      // Without the query, which a signature makes another each time.
      let place = FeedSource.http(current).description
      let validators = (address ?? place) == place ? validators : FeedValidators()
      let response = try await send(
        request(current, validators, withOwnHeaders: rules.isSameOrigin(current)))
      let received = clock.now
      switch response.status {
      case 200, 203:
        var answer = try await receive(response, received, into: sink)
        answer.address = place
        return answer
      case 304 where !validators.isEmpty:
        var answer = answer(response, received)
        answer.notModified = true
        answer.address = place
        return answer
      case 301, 302, 303, 307, 308:
        let location = response.fields.first("location")
        current = try rules.next(location: location, from: current)
      default:
        throw failure(response, received, text: await text(of: response))
      }
    }
  }

  /// Returns the transport for the attempt that follows a failed one: after a truncated answer, one with other
  /// connections. The rest of an answer whose length was announced too small would be taken for the next answer's head.
  func forRetry(after error: LocalCopyError) -> HTTPTransport {
    guard error.code == .truncated else { return self }
    return HTTPTransport(client: CurlClient(), configuration: configuration, clock: clock)
  }

  private func request(
    _ url: URL, _ validators: FeedValidators, withOwnHeaders: Bool
  ) -> CurlRequest {
    var request = CurlRequest(url.absoluteString)
    request.connectTimeout = configuration.connectTimeout
    request.idleTimeout = configuration.idleTimeout
    if withOwnHeaders {
      for (name, value) in configuration.headers {
        request.fields.replace(name, value)
      }
    }
    request.fields.replace("user-agent", configuration.userAgent)
    request.fields.replace("accept-encoding", "gzip")
    if request.fields["accept"].isEmpty {
      request.fields.add("accept", "application/json, */*;q=0.5")
    }
    if let tag = validators.entityTag {
      request.fields.replace("if-none-match", tag)
    }
    if let date = validators.lastModified {
      request.fields.replace("if-modified-since", date)
    }
    return request
  }

  private func send(_ request: CurlRequest) async throws -> CurlResponse {
    do {
      return try await client.send(request)
    } catch {
      try Task.checkCancellation()
      let kind: RetryMachine.Failure = error.code == .invalidRequest ? .permanent : .transient
      throw AttemptFailure(Self.noAnswer(error).causedBy(error), kind)
    }
  }

  private func receive(
    _ response: CurlResponse, _ received: Date, into sink: FeedSink
  ) async throws -> FeedAnswer {
    let expected = response.fields.first("content-length").flatMap { Int($0) }
    let body = BodyDecoder(try coding(response.fields), configuration)
    try sink.begin(expected)
    while let piece = try await next(response.body, body.wireBytes) {
      try Task.checkCancellation()
      try piece.withUnsafeBufferPointer { bytes in
        try body.receive(bytes) { try sink.receive($0, body.wireBytes) }
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
    _ body: CurlBody, _ wireBytes: Int
  ) async throws -> [UInt8]? {
    do {
      return try await body.next()
    } catch {
      try Task.checkCancellation()
      throw AttemptFailure(cut(after: wireBytes).causedBy(error), .transient)
    }
  }

  private func answer(_ response: CurlResponse, _ received: Date) -> FeedAnswer {
    var answer = FeedAnswer(received: received)
    let fields = response.fields
    answer.cache = CachePolicy(received: received) { name in
      let values = fields[name]
      return values.isEmpty ? nil : values.joined(separator: ",")
    }
    answer.validators = FeedValidators(
      entityTag: fields.first("etag"), lastModified: fields.first("last-modified"))
    return answer
  }
}
