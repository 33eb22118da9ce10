import Foundation
import NIOCore

/// Sends requests to every operation of a description, with every hostile number in every place, and with malformed
/// bodies of all kinds. The test fails if the table lacks an operation of the description.
package struct WireSweep: Sendable {
  /// A valid request.
  package struct Row: Sendable {
    /// The values of the parameters, by name; parameters without a value aren't sent.
    package var values: [String: String]
    package var headers: [(String, String)]
    /// The bodies; `#` is replaced by hostile numbers, and stands for 1.
    package var bodies: [String]
    /// Whether the response is an endless stream.
    package var isStream: Bool

    package init(
      _ values: [String: String] = [:], headers: [(String, String)] = [], bodies: [String] = [],
      isStream: Bool = false
    ) {
      self.values = values
      self.headers = headers
      self.bodies = bodies
      self.isStream = isStream
    }
  }

  /// The two halves of a sweep. They need different servers, because on a busy machine a server with short limits would
  /// cut off valid requests.
  package enum Part: CaseIterable, Sendable {
    /// Complete requests, which must be answered: for a server with its usual limits.
    case numbers
    /// Requests that are cut off, duplicated or never sent, whose connections must end: for a server with short limits.
    case wrongBodies
  }

  /// A failure of the sweep.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let api: OpenAPI
  private let prefix: String
  private let rows: [String: Row]
  private let client: WireClient
  private let secrets: [String]
  package private(set) var cases = 0
  package private(set) var failures: [String] = []
  package private(set) var seen: [String: Set<Int>] = [:]

  /// - Parameters:
  ///   - api: The description.
  ///   - prefix: A prefix of its paths.
  ///   - rows: A request for each operation, by method and path.
  ///   - secrets: Texts that no response may contain.
  package init(
    _ api: OpenAPI, at client: WireClient, prefix: String = "", rows: [String: Row],
    secrets: [String]
  ) {
    self.api = api
    self.client = client
    self.prefix = prefix
    self.rows = rows
    self.secrets = secrets
  }

  /// - Parameters:
  ///   - part: The half to run.
  ///   - isServed: Returns whether the server has the operation; a description may cover two servers.
  package mutating func run(
    _ part: Part, _ isServed: (OpenAPI.Operation) -> Bool = { _ in true }
  ) async {
    for operation in api.operations where isServed(operation) {
      guard let row = rows["\(operation)"] else {
        failures.append("\(operation) has no row")
        continue
      }
      switch part {
      case .numbers: await numbers(operation, row)
      case .wrongBodies:
        await expectEnds(operation, wrong(operation, row))
      }
    }
  }

  private mutating func numbers(_ operation: OpenAPI.Operation, _ row: Row) async {
    if !row.isStream { await expect(operation, row) }
    for parameter in operation.parameters where !(row.isStream && parameter.place != "header") {
      let numbers = parameter.place == "header" ? HostileNumber.inHeaders : HostileNumber.all
      for number in numbers {
        var changed = row
        changed.values[parameter.name] = number
        await expect(operation, changed)
      }
    }
    for body in row.bodies where body.contains("#") {
      for number in HostileNumber.all {
        var changed = row
        changed.bodies = [body.replacingOccurrences(of: "#", with: number)]
        await expect(operation, changed)
      }
    }
  }

  // MARK: One request

  private func target(_ operation: OpenAPI.Operation, _ row: Row) -> String {
    var path = operation.path
    var query: [String] = []
    for parameter in operation.parameters {
      guard let value = row.values[parameter.name] else { continue }
      let encoded = HostileNumber.encoded(value)
      switch parameter.place {
      case "path": path = path.replacingOccurrences(of: "{\(parameter.name)}", with: encoded)
      case "query": query.append("\(parameter.name)=\(encoded)")
      default: break
      }
    }
    return prefix + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  private func headers(_ operation: OpenAPI.Operation, _ row: Row) -> [(String, String)] {
    row.headers.filter { field in
      !operation.parameters.contains { $0.name.lowercased() == field.0.lowercased() }
        || row.values[field.0] == nil
    }
      + operation.parameters.filter { $0.place == "header" }.compactMap { parameter in
        row.values[parameter.name].map { (parameter.name, $0) }
      }
  }

  private mutating func expect(_ operation: OpenAPI.Operation, _ row: Row) async {
    cases += 1
    let target = target(operation, row)
    let body = row.bodies.first.map { $0.replacingOccurrences(of: "#", with: "1") }
    do {
      if row.isStream {
        try check(try await opened(operation, row, target))
        return
      }
      let answer = try await answer(operation.method, target, headers(operation, row), body)
      seen["\(operation)", default: []].insert(answer.status)
      let text = try answer.text
      if !operation.statuses.contains(answer.status) || answer.status >= 500 {
        failures.append("\(operation) \(target.prefix(120)): \(answer.status) \(text.prefix(200))")
      }
      if secrets.contains(where: text.contains) { failures.append("\(target): a secret") }
    } catch { failures.append("\(operation) \(target.prefix(120)) \(row.values): \(error)") }
  }

  /// Sends a request, again when the connection was closed while it was being sent: on a busy machine the server may
  /// have waited for it for too long.
  private func answer(
    _ method: String, _ target: String, _ headers: [(String, String)], _ body: String?
  ) async throws -> WireResponse {
    for _ in 1..<5 {
      do {
        return try await client.request(method, target, headers: headers, body: body)
      } catch is ChannelError {} catch is IOError {}
    }
    return try await client.request(method, target, headers: headers, body: body)
  }

  private func check(_ head: String) throws {
    guard head.contains(" 200 ") || head.contains(" 400 ") else { throw Failure(description: head) }
  }

  /// Returns the head of the response.
  private func opened(
    _ operation: OpenAPI.Operation, _ row: Row, _ target: String
  ) async throws -> String {
    let fields = headers(operation, row).map { "\($0.0): \($0.1)\r\n" }.joined()
    return try await client.connected { connection in
      try await connection.send(
        "\(operation.method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n")
      return try await connection.read(through: "\r\n\r\n")
    }
  }

  // MARK: Wrong bodies

  /// Returns the request's bytes in invalid variants. All of the connections must end.
  private func wrong(_ operation: OpenAPI.Operation, _ row: Row) -> [String] {
    let body = row.bodies.first.map { $0.replacingOccurrences(of: "#", with: "1") } ?? "{}"
    let fields = headers(operation, row).map { "\($0.0): \($0.1)\r\n" }.joined()
    let start =
      "\(operation.method) \(target(operation, row)) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)"
    let length = "Content-Length: \(body.utf8.count)\r\n"
    let whole = "\(start)\(length)\r\n\(body)"
    let chunked = "\(start)Transfer-Encoding: chunked\r\n\r\n"
    // Cut off, or never sent.
    var texts: [String] = [
      String(whole.dropLast(1)), "\(start)\(length)\r\n", start, "", "\(chunked)5\r\nab",
    ]
    // Out of order; two hosts.
    texts += ["\(body)\(whole)", "\(start)Host: evil.example\r\n\(length)\r\n\(body)"]
    // Two lengths; two framings; an unknown framing.
    texts += [
      "\(start)\(length)Content-Length: 7\r\n\r\n\(body)",
      "\(start)\(length)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "\(start)Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
      "\(start)Transfer-Encoding: gzip\r\n\r\n\(body)",
    ]
    // A complete request would open a stream, which has no end.
    guard !row.isStream else { return texts }
    // Duplicated.
    texts += [
      "\(whole)\(body)", "\(start)\(length)Connection: close\r\n\r\n\(body)\(whole)",
      "\(start)\(length)Connection: close\r\n\r\n\(body)\(body)",
    ]
    for number in HostileNumber.inHeaders {
      texts.append("\(start)Content-Length: \(number)\r\n\r\n\(body)")
      texts.append("\(chunked)\(number)\r\n\(body)")
    }
    return texts
  }

  /// The number of wrong requests that are sent at the same time: most of them only wait for a limit of the server.
  private static let width = 8

  private mutating func expectEnds(_ operation: OpenAPI.Operation, _ texts: [String]) async {
    cases += texts.count
    let (client, secrets) = (client, secrets)
    await withTaskGroup(of: String?.self) { group in
      for (index, text) in texts.enumerated() {
        if index >= Self.width, let failure = await group.next() ?? nil { failures.append(failure) }
        group.addTask { await Self.failure(of: operation, text, at: client, secrets) }
      }
      for await case let failure? in group { failures.append(failure) }
    }
  }

  /// Sends a request and reads until the connection ends.
  private static func failure(
    of operation: OpenAPI.Operation, _ text: String, at client: WireClient, _ secrets: [String]
  ) async -> String? {
    do {
      let answer = String(decoding: try await client.exchange(text), as: UTF8.self)
      if answer.contains("HTTP/1.1 500") { return "\(operation) 500 to \(text)" }
      return secrets.contains(where: answer.contains) ? "\(operation): a secret" : nil
    } catch is ChannelError {
      // The server closed the connection while the request was being sent.
      return nil
    } catch is IOError {
      // The same.
      return nil
    } catch { return "\(operation): \(error)" }
  }
}

extension WireClient {
  /// Sends a request to a server with short limits. On a busy machine the connection may be closed before the request
  /// was sent; then it is sent again, for as long as the test may last. A server without a free connection refuses or
  /// doesn't answer, and the test fails.
  package func insistentRequest(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: String? = nil
  ) async throws -> WireResponse {
    while true {
      try Task.checkCancellation()
      do {
        let answer = try await request(method, target, headers: headers, body: body)
        if answer.status != 408 { return answer }
      } catch is ChannelError {
        // Closed while the request was being sent.
      } catch is IOError {
        // Closed while the request was being sent.
      } catch is WireError {
        // Closed without an answer.
      }
    }
  }

  /// Calls `body` with a connection that the server may close at any time.
  package func untilCut(
    _ body: (inout WireConnection) async throws -> Void
  ) async throws {
    do { try await connected(body) } catch is ChannelError {
      // Closed while data was being sent.
    } catch is IOError {
      // Closed while data was being sent.
    }
  }
}
