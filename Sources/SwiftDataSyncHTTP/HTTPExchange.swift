import CurlClient
import Foundation
import SwiftDataSync
import WireFormats

/// Sends requests to a server and classifies their failures.
struct HTTPExchange: Sendable {
  /// A server's response.
  struct Answer: Sendable {
    let status: Int
    let entityTag: String?
    /// The pause that the server asks for (`Retry-After`).
    let retryAfter: Duration?
    /// Whether the body is declared as JSON.
    let isJSON: Bool
    /// The server's newest version (`Sync-Version`), and the ranges that it has skipped (`Sync-Skipped`).
    let newest: Int64?
    let skipped: [ClosedRange<Int64>]
    let body: [UInt8]

    /// Returns the versions that the server has skipped and that contain a version.
    func skipped(_ version: Int64) -> ClosedRange<Int64>? {
      skipped.skipped(version, newest: newest)
    }
  }

  private let base: String
  /// The server's address for messages: without user name, password and query.
  let address: String
  private let limits: HTTPSyncTransport.Limits
  private let token: @Sendable () async throws -> String?
  /// Whether answers have `Sync-Version` and `Sync-Skipped`.
  var readsVersions = false

  /// The connections of all exchanges; only the engine repeats attempts.
  private static let client = CurlClient()

  init(
    _ base: URL, _ limits: HTTPSyncTransport.Limits,
    _ token: @escaping @Sendable () async throws -> String?
  ) {
    let text = base.absoluteString
    self.base = text.hasSuffix("/") ? String(text.dropLast()) : text
    address = Self.shown(base)
    self.limits = limits
    self.token = token
  }

  func request(_ method: String, _ path: String) -> CurlRequest {
    var request = CurlRequest(base + path)
    request.method = method
    request.totalTimeout = limits.timeout
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

  /// Whether a part of the text between slashes is "." or "..": clients and servers take such a part as a step in the
  /// path (RFC 3986 section 5.2.4), and some servers also beside an escaped slash, or beside a backslash. Escaped dots
  /// mean the same.
  static func hasDotSegments(_ text: String) -> Bool {
    text.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
      .contains { $0.count <= 2 && $0.allSatisfy { $0 == UInt8(ascii: ".") } }
  }

  func send(_ request: CurlRequest) async throws -> [UInt8] {
    try await answer(request).body
  }

  /// - Parameters:
  ///   - taken: Unsuccessful statuses that count as a response.
  ///   - isDocument: Whether a response is a JSON document or empty; false when it may be anything.
  ///   - mayLackPath: Whether the server may not know the path at all: then a web page may say so, too.
  func answer(
    _ request: CurlRequest, taking taken: Set<Int> = [], isDocument: Bool = true,
    mayLackPath: Bool = false
  ) async throws -> Answer {
    var request = request
    request.fields.add("accept", "application/json")
    do {
      if let token = try await token() {
        request.fields.add("authorization", "Bearer \(token)")
      }
    } catch { throw SyncFailure(.authentication, "There is no token for \(address): \(error)") }
    do {
      let response = try await Self.client.send(request)
      guard let body = try await response.body.collect(upTo: limits.maximumAnswer) else {
        throw SyncFailure(
          .server, "The answer of \(address) is larger than \(limits.maximumAnswer) bytes")
      }
      guard (200..<300).contains(response.status) || taken.contains(response.status) else {
        throw failure(response)
      }
      let isUnknownPath = mayLackPath && response.status == 404
      guard !isDocument || isUnknownPath || !Self.isStranger(response, body) else {
        throw SyncFailure(
          .server,
          "A web page answers at \(address) in place of the server. Check the address, and whether the network wants"
            + " a sign-in.")
      }
      return Answer(
        status: response.status, entityTag: response.fields.first("etag"),
        retryAfter: Self.retryAfter(response.fields),
        isJSON: response.fields.first("content-type")?.lowercased().contains("json") ?? false,
        newest: readsVersions ? try newest(response.fields) : nil,
        skipped: readsVersions ? try skipped(response.fields) : [], body: body)
    } catch let error as CurlError {
      throw failure(error)
    }
  }

  /// Whether an answer that would count as one of the server is a web page, as networks send it that want a sign-in: a
  /// change that got it isn't stored, and an object that it calls missing may be there.
  private static func isStranger(_ response: CurlResponse, _ body: [UInt8]) -> Bool {
    let counts = (200..<300).contains(response.status) || [404, 410].contains(response.status)
    guard counts else { return false }
    let type = response.fields.first("content-type")?.lowercased() ?? ""
    if ["text/html", "application/xhtml+xml"].contains(where: type.hasPrefix) { return true }
    // No JSON begins like this.
    return body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
  }

  /// Classifies the error of a request without a response, or with one that can't be read.
  private func failure(_ error: CurlError) -> SyncFailure {
    switch error.code {
    case .notHTTP:
      SyncFailure(.server, "The server at \(address) doesn't speak HTTP. Check the address.")
    case .headTooLarge:
      SyncFailure(.server, "The head of the answer of \(address) is too large")
    case .totalTimeout where !error.isUnsent, .idleTimeout:
      SyncFailure(.offline, "\(address) didn't answer within \(limits.timeout)")
    case .closed:
      SyncFailure(.offline, "\(address) closed the connection before its answer was whole")
    case .invalidRequest:
      SyncFailure(
        .offline, "A request to \(address) can't be sent: \(error.message)", isUnsent: true)
    case .unreachable, .connectTimeout, .totalTimeout, .cancelled:
      SyncFailure(
        .offline, "\(address) can't be reached. Check the address and the network.",
        isUnsent: error.isUnsent)
    }
  }

  /// Classifies a status (RFC 9110 section 15).
  private func failure(_ response: CurlResponse) -> SyncFailure {
    let code = response.status
    let message = "\(address) answered \(code)"
    switch code {
    case 301, 302, 303, 307, 308:
      return SyncFailure(
        .server,
        "\(address) leads to another address, which isn't followed. Check the address, and whether the network wants a"
          + " sign-in.")
    case 400, 404, 405, 415, 422: return SyncFailure(.refused, message)
    case 401: return SyncFailure(.authentication, "\(address) doesn't take the credentials")
    case 403: return SyncFailure(.forbidden, "\(address) doesn't allow this to the user")
    case 410: return SyncFailure(.cursorExpired, "\(address) wants everything fetched anew")
    case 413: return SyncFailure(.tooLarge, "The request is too large for \(address)")
    case 426, 505: return SyncFailure(.incompatible, "\(address) speaks another contract")
    default: break
    }
    if code == 429 || code == 503, let pause = Self.retryAfter(response.fields) {
      return SyncFailure(.throttled(after: pause), "\(address) asks for a pause")
    }
    return SyncFailure(code == 429 ? .throttled(after: .seconds(10)) : .server, message)
  }

  private func newest(_ fields: HTTPFields) throws -> Int64? {
    guard let text = fields.first("sync-version") else { return nil }
    guard let version = Int64(text), version >= 0 else { throw damaged("Sync-Version") }
    return version
  }

  /// Reads ranges such as `101-1795000000000000, 1795000000000007-1796000000000000`.
  private func skipped(_ fields: HTTPFields) throws -> [ClosedRange<Int64>] {
    try fields.list("sync-skipped").suffix(SyncPage.maximumSkipped).map { text in
      let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
      guard bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last else {
        throw damaged("Sync-Skipped")
      }
      return first...last
    }
  }

  private func damaged(_ field: String) -> SyncFailure {
    SyncFailure(.server, "The field \(field) of the answer of \(address) can't be read")
  }

  private static func retryAfter(_ fields: HTTPFields) -> Duration? {
    fields.first("retry-after").flatMap { RetryAfter.parse($0, now: .now) }
  }
}
