import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SwiftDataSync

/// Sends requests to a server and classifies their failures.
struct HTTPExchange: Sendable {
  /// A server's response.
  struct Answer: Sendable {
    let status: UInt
    let entityTag: String?
    let body: [UInt8]
  }

  private let base: String
  /// The server's address for messages: without user name, password and query.
  let address: String
  private let limits: HTTPSyncTransport.Limits
  private let client: HTTPClient
  private let token: @Sendable () async throws -> String?

  /// Redirects would send the token to another address, and only the engine repeats attempts. The client exists as long
  /// as the process.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.timeout.connect = .seconds(10)
    return HTTPClient(
      eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }()

  init(
    _ base: URL, _ client: HTTPClient?, _ limits: HTTPSyncTransport.Limits,
    _ token: @escaping @Sendable () async throws -> String?
  ) {
    let text = base.absoluteString
    self.base = text.hasSuffix("/") ? String(text.dropLast()) : text
    address = Self.shown(base)
    self.limits = limits
    self.client = client ?? Self.client
    self.token = token
  }

  func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: base + path)
    request.method = method
    return request
  }

  private static func shown(_ url: URL) -> String {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.user = nil
    parts?.password = nil
    parts?.query = nil
    parts?.fragment = nil
    let text = parts?.string ?? url.host() ?? "The server"
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// - Throws: ``SyncFailure`` for a response with more objects than allowed.
  func check(count: Int) throws {
    guard count > limits.maximumObjects else { return }
    throw SyncFailure(
      .server, "The answer of \(address) has more than \(limits.maximumObjects) objects")
  }

  static func escaped(_ text: String) -> String {
    // RFC 3986 section 2.3.
    let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  func send(_ request: HTTPClientRequest) async throws -> [UInt8] {
    try await answer(request).body
  }

  /// - Parameter taken: Unsuccessful statuses that count as a response.
  func answer(_ request: HTTPClientRequest, taking taken: Set<UInt> = []) async throws -> Answer {
    var request = request
    request.headers.add(name: "accept", value: "application/json")
    do {
      if let token = try await token() {
        request.headers.add(name: "authorization", value: "Bearer \(token)")
      }
    } catch { throw SyncFailure(.authentication, "There is no token for \(address): \(error)") }
    do {
      let response = try await client.execute(request, timeout: Self.amount(limits.timeout))
      let body = try await response.body.collect(upTo: limits.maximumAnswer)
      let status = response.status.code
      guard (200..<300).contains(status) || taken.contains(status) else {
        throw failure(response, body)
      }
      return Answer(
        status: status, entityTag: response.headers.first(name: "etag"),
        body: Array(body.readableBytesView))
    } catch let failure as SyncFailure {
      throw failure
    } catch is NIOTooManyBytesError {
      throw SyncFailure(
        .server, "The answer of \(address) is larger than \(limits.maximumAnswer) bytes")
    } catch {
      throw failure(error)
    }
  }

  /// Converts a duration to NIO's unit, capped at a century.
  private static func amount(_ duration: Duration) -> TimeAmount {
    .milliseconds(Int64(min(max(.zero, duration), .seconds(3_153_600_000)) / .milliseconds(1)))
  }

  /// Classifies the error of a request without a response, or with one that can't be read.
  private func failure(_ error: any Error) -> SyncFailure {
    let isUnsent = Self.isUnsent(error)
    switch error {
    case is HTTPParserError:
      return SyncFailure(
        .server, "What answers at \(address) doesn't speak HTTP. Check the address.")
    case let error as HTTPClientError where Self.isLate(error) && !isUnsent:
      return SyncFailure(.offline, "\(address) didn't answer within \(limits.timeout)")
    case let error as HTTPClientError where error == .remoteConnectionClosed:
      return SyncFailure(.offline, "\(address) closed the connection before its answer was whole")
    default:
      return SyncFailure(
        .offline, "\(address) can't be reached. Check the address and the network.",
        isUnsent: isUnsent)
    }
  }

  private static func isLate(_ error: HTTPClientError) -> Bool {
    error == .deadlineExceeded || error == .readTimeout || error == .writeTimeout
  }

  /// Whether no connection was made: each request uses at most one connection, without a retry.
  private static func isUnsent(_ error: any Error) -> Bool {
    switch error {
    case is NIOConnectionError: true
    case let error as HTTPClientError: error == .connectTimeout
    case let error as IOError: error.errnoCode == ECONNREFUSED
    default: false
    }
  }

  /// Classifies a status (RFC 9110 section 15).
  private func failure(_ response: HTTPClientResponse, _ body: ByteBuffer) -> SyncFailure {
    let code = response.status.code
    let message = "\(address) answered \(code)"
    switch code {
    case 400, 404, 405, 415, 422: return SyncFailure(.refused, message)
    case 401: return SyncFailure(.authentication, "\(address) doesn't take the credentials")
    case 403: return SyncFailure(.forbidden, "\(address) doesn't allow this to the user")
    case 410: return SyncFailure(.cursorExpired, "\(address) wants everything fetched anew")
    case 413: return SyncFailure(.tooLarge, "The request is too large for \(address)")
    case 426, 505: return SyncFailure(.incompatible, "\(address) speaks another contract")
    default: break
    }
    if code == 429 || code == 503, let pause = Self.retryAfter(response.headers) {
      return SyncFailure(.throttled(after: pause), "\(address) asks for a pause")
    }
    return SyncFailure(code == 429 ? .throttled(after: .seconds(10)) : .server, message)
  }

  /// Reads a `Retry-After` in seconds (RFC 9110 section 10.2.3); the date form is ignored.
  private static func retryAfter(_ headers: HTTPHeaders) -> Duration? {
    headers.first(name: "retry-after").flatMap { Int($0) }.map { .seconds(max(0, $0)) }
  }
}
