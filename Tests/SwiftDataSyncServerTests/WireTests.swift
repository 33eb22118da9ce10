import Foundation
import ProgramTesting
import SwiftDataSync
import SwiftDataSyncServer
import SyncServing
import TestSupport
import Testing

/// The sync server with raw requests: every number of every operation, every wrong body, silent connections.
@Suite(.timeLimit(.minutes(20))) struct WireTests {
  private static let token = MemoServer.token(of: "ann")
  private static let name = String(repeating: "ab", count: 32)

  /// Runs a server, with short limits unless all requests are complete.
  private func serving(
    places: Int = 256, request: Duration = .milliseconds(300), hasShortLimits: Bool = true,
    _ body: @escaping @Sendable (WireClient) async throws -> Void
  ) async throws {
    var connections = SyncConnections()
    var limits = SyncRoutes.Limits()
    if hasShortLimits {
      connections.maximumCount = places
      connections.idleTimeout = .milliseconds(300)
      connections.crowdedIdleTimeout = .milliseconds(50)
      connections.requestTimeout = request
      connections.writeTimeout = .milliseconds(500)
      limits.bodyTimeout = .milliseconds(300)
    }
    let server = try MemoServer(
      Memo.container(), users: ["ann", "bob"], connections: connections, limits: limits)
    try await withListening {
      try await server.run(port: 0, started: $0)
    } _: { port in
      try await body(try WireClient("http://127.0.0.1:\(port)"))
    }
  }

  private static let memo =
    #"{"key":"6F9619FF-8B86-D011-B42D-00CF4FC964FF","text":"a","owner":"ann","count":#}"#

  private static var rows: [String: WireSweep.Row] {
    let fields = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]
    let object = #""entity":"Memo","key":"6F9619FF-8B86-D011-B42D-00CF4FC964FF""#
    return [
      "POST /push": WireSweep.Row(
        headers: fields,
        bodies: [
          #"{"client":"c","changes":[{"id":"1",\#(object),"baseVersion":null,"values":\#(memo)}]}"#,
          #"{"client":"c","changes":[{"id":"2",\#(object),"baseVersion":#,"values":{"count":1}}]}"#,
          #"{"client":"c","changes":[{"id":"3",\#(object),"baseVersion":#,"deleted":true}]}"#,
        ]),
      "GET /pull": WireSweep.Row(["client": "c", "cursor": "d0"], headers: fields),
      "POST /attachments/missing": WireSweep.Row(
        headers: fields,
        bodies: [
          #"{"attachments":[{\#(object),"property":"scan","sha256":"\#(name)","size":#}]}"#
        ]),
      "PATCH /attachments/{sha256}": WireSweep.Row(
        ["sha256": name, "size": "20000", "Upload-Offset": "0"], headers: fields, bodies: ["abc"]),
      "GET /attachments": WireSweep.Row(
        [
          "entity": "Memo", "key": "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "property": "scan",
          "sha256": name, "size": "20000", "Range": "bytes=0-1",
        ], headers: fields),
    ]
  }

  @Test(arguments: WireSweep.Part.allCases)
  func everyNumberOfEveryOperationAndEveryWrongBody(part: WireSweep.Part) async throws {
    try await serving(hasShortLimits: part == .wrongBodies) { client in
      var sweep = WireSweep(
        try OpenAPI("openapi-sync.yaml"), at: client, prefix: "/sync", rows: Self.rows,
        secrets: [Self.token, MemoServer.token(of: "bob")])
      await sweep.run(part)
      #expect(sweep.failures.isEmpty, "\(sweep.failures.joined(separator: "\n"))")
      #expect(sweep.cases > (part == .numbers ? 500 : 400), "\(sweep.cases)")
      let fields = [("Authorization", "Bearer \(Self.token)")]
      #expect(try await client.insistentRequest("GET", "/sync/pull", headers: fields).status == 200)
    }
  }

  /// A range has two numbers in one field.
  @Test func everyRange() async throws {
    try await serving(hasShortLimits: false) { client in
      let fields = [("Authorization", "Bearer \(Self.token)")]
      let target =
        "/sync/attachments?entity=Memo&key=1&property=scan&sha256=\(Self.name)&size="
      for size in ["20000", "9223372036854775807"] {
        for first in HostileNumber.inHeaders {
          for last in ["", "0", "19999", "9223372036854775806", "9223372036854775807", "x"] {
            let answer = try await client.insistentRequest(
              "GET", target + size, headers: fields + [("Range", "bytes=\(first)-\(last)")])
            #expect([400, 404, 416].contains(answer.status), "\(first)-\(last)")
          }
        }
      }
    }
  }

  @Test func aPortionAtTheEndOfAllNumbersEndsNothing() async throws {
    try await serving(hasShortLimits: false) { client in
      for offset in ["9223372036854775805", "9223372036854775807"] {
        let answer = try await client.request(
          "PATCH", "/sync/attachments/\(Self.name)?size=20000",
          headers: [("Authorization", "Bearer \(Self.token)"), ("Upload-Offset", offset)],
          body: "abc")
        #expect(answer.status == 409)
        #expect(try answer.text == #"{"offset":0}"#)
      }
      #expect(try await client.request("GET", "/sync/pull").status == 401)
    }
  }

  /// More clients than available connections send bodies slowly: with a token, and without one, which is refused
  /// immediately.
  @Test(arguments: [true, false]) func slowBodiesHoldNoPlaces(hasToken: Bool) async throws {
    try await serving(places: 16) { client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        let field = hasToken ? "Authorization: Bearer \(Self.token)\r\n" : ""
        for _ in 0..<48 {
          group.addTask {
            try await client.untilCut { connection in
              try await connection.send(
                "POST /sync/push HTTP/1.1\r\nHost: a\r\n\(field)Content-Length: 1000\r\n\r\na")
              // Until the connection is closed.
              while try await connection.receive() != nil {}
            }
          }
        }
        try await group.waitForAll()
      }
      let fields = [("Authorization", "Bearer \(Self.token)")]
      #expect(try await client.insistentRequest("GET", "/sync/pull", headers: fields).status == 200)
    }
  }

  /// 300 silent connections, or 1,000 with OPENSWIFTDATA_TEST_WIRE_CONNECTIONS=1000: a client that sends a request gets
  /// an answer.
  @Test(arguments: ["", "GET /sync/pull HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"])
  func idleConnectionsHoldNoPlaces(_ beginning: String) async throws {
    let count = TestEnvironment.number("OPENSWIFTDATA_TEST_WIRE_CONNECTIONS") ?? 300
    try await serving(places: 64, request: .seconds(5)) { client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            try await client.untilCut { connection in
              if !beginning.isEmpty { try await connection.send(beginning) }
              while try await connection.receive() != nil {}
            }
          }
        }
        let fields = [("Authorization", "Bearer \(Self.token)")]
        for _ in 0..<3 {
          #expect(
            try await client.insistentRequest("GET", "/sync/pull", headers: fields).status == 200)
        }
        try await group.waitForAll()
      }
    }
  }
}
