import AsyncHTTPClient
import Foundation
import HTTPContent
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// The requests to the landmarks server (docs/openapi-landmarks.yaml).
struct RESTClient: Sendable {
  /// What the server made of a change.
  enum Answer<Value: Sendable>: Sendable {
    case done(Value)
    /// The server has another revision than the change was made from.
    case outdated
    /// The server will not take it, for this reason.
    case refused(String)
  }

  /// The time for one request.
  static let deadline = TimeAmount.seconds(15)
  /// The largest answer, in bytes.
  static let maximumAnswer = 4 << 20

  private let server: URL
  private let token: String?
  private let http: HTTPClient

  /// Works with a client that follows no redirects: the server that was named is the one that is
  /// told what the user did.
  static func with<Result: Sendable>(
    server: URL, token: String?, _ body: (RESTClient) async throws -> Result
  ) async throws -> Result {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout.connect = .seconds(5)
    let http = HTTPClient(
      eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(RESTClient(server: server, token: token, http: http)))
    } catch {
      outcome = .failure(error)
    }
    try await http.shutdown()
    return try outcome.get()
  }

  func favorites() async throws -> Set<Int> {
    struct Favorites: Decodable { var favorites: [Int] }
    return Set(try decoded(try await get("favorites"), as: Favorites.self).favorites)
  }

  func reservations() async throws -> [ReservationAnswer] {
    try decoded(try await get("reservations"), as: [ReservationAnswer].self)
  }

  func setFavorite(_ id: Int, _ isFavorite: Bool) async throws -> Answer<Void> {
    try await change(isFavorite ? .PUT : .DELETE, "favorites/\(id)") { _ in }
  }

  /// - Parameter revision: the revision that it replaces; nil when the server should have none.
  func put(
    _ reservation: Reservation, over revision: Int?
  ) async throws -> Answer<ReservationAnswer> {
    let body = try JSONEncoder.landmarks.encode(ReservationBody(reservation))
    let condition =
      revision.map { ("If-Match", "\"\($0)\"") } ?? ("If-None-Match", "*")
    return try await change(
      .PUT, "reservations/\(reservation.id.uuidString)", [condition], body
    ) { try decoded($0, as: ReservationAnswer.self) }
  }

  func remove(_ id: UUID, revision: Int) async throws -> Answer<Void> {
    try await change(
      .DELETE, "reservations/\(id.uuidString)", [("If-Match", "\"\(revision)\"")]
    ) { _ in }
  }

  // MARK: Requests

  private func get(_ path: String) async throws -> Data {
    let (status, body) = try await send(.GET, path, [], nil)
    guard status == 200 else { throw unusable(path, "it answered \(status)") }
    return body
  }

  private func change<Value>(
    _ method: HTTPMethod, _ path: String, _ headers: [(String, String)] = [], _ body: Data? = nil,
    _ value: (Data) throws -> Value
  ) async throws -> Answer<Value> {
    let (status, answer) = try await send(method, path, headers, body)
    switch status {
    case 200...299: return .done(try value(answer))
    case 412: return .outdated
    default: return .refused(Self.message(answer) ?? "The server answered \(status).")
    }
  }

  /// - Returns: an answer that says something of the request: no failure of the server or of the
  ///   way to it.
  private func send(
    _ method: HTTPMethod, _ path: String, _ headers: [(String, String)], _ body: Data?
  ) async throws -> (Int, Data) {
    var request = HTTPClientRequest(url: server.appendingPathComponent(path).absoluteString)
    request.method = method
    request.headers.add(name: "User-Agent", value: "landmarks (OpenSwiftData)")
    if let token {
      request.headers.add(name: "Authorization", value: "Bearer \(token)")
    }
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(data: body))
    }
    let status: Int
    let data: Data
    do {
      let response = try await http.execute(request, timeout: Self.deadline)
      status = Int(response.status.code)
      data = Data(buffer: try await response.body.collect(upTo: Self.maximumAnswer))
    } catch let error as CancellationError {
      throw error
    } catch is NIOTooManyBytesError {
      throw unusable(path, "it is larger than \(Self.maximumAnswer) bytes")
    } catch {
      throw unavailable("it does not answer (\(error))")
    }
    switch status {
    case 401, 403:
      throw LandmarksError(
        .unauthorized, shown, reason: "the server does not accept the token; check LANDMARKS_TOKEN")
    case 408, 429, 500...599: throw unavailable("it answered \(status)")
    default: return (status, data)
    }
  }

  private func decoded<Value: Decodable>(_ data: Data, as type: Value.Type) throws -> Value {
    do {
      return try JSONDecoder.landmarks.decode(type, from: data)
    } catch {
      throw unusable("", "\(error)")
    }
  }

  /// The reason in an error's answer, safe to show.
  private static func message(_ answer: Data) -> String? {
    struct Failure: Decodable {
      struct Details: Decodable { var message: String }
      var error: Details
    }
    do {
      let text = try JSONDecoder().decode(Failure.self, from: answer).error.message
      return PlainText.neutralised(String(text.prefix(200)))
    } catch {
      return nil  // Not ours, a proxy's page for example: the status has to do.
    }
  }

  private var shown: String {
    "\(server.scheme ?? "http")://\(server.host() ?? "")" + (server.port.map { ":\($0)" } ?? "")
  }

  private func unavailable(_ what: String) -> LandmarksError {
    LandmarksError(
      .serverUnavailable, shown, reason: "\(what); changes stay on this device and wait")
  }

  private func unusable(_ path: String, _ what: String) -> LandmarksError {
    LandmarksError(
      .badAnswer, shown, reason: "the answer of /\(path) cannot be used: \(what)")
  }
}
