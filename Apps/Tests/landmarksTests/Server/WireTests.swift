import Foundation
import LandmarksKit
import LocalApp
import Logging
import Synchronization
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

/// Both servers of Landmarks with raw requests: every number of every operation, every wrong body, silent connections.
@Suite("The HTTP interfaces of Landmarks", .timeLimit(.minutes(20)))
struct WireTests {
  private static let id = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
  private static let digest = String(repeating: "ab", count: 32)
  private static let reservation =
    #"{"landmarkID":#,"date":"2030-06-01T12:00:00Z","status":"confirmed"}"#

  static var limits: ConnectionLimits {
    var limits = ConnectionLimits()
    limits.request = .milliseconds(300)
    limits.idle = .milliseconds(300)
    limits.crowdedIdle = .milliseconds(50)
    limits.refused = .milliseconds(200)
    limits.write = .milliseconds(500)
    return limits
  }

  private static func limits(for part: WireSweep.Part) -> ConnectionLimits {
    part == .numbers ? LocalServer.Settings.limits : limits
  }

  private static let token = [
    ("Authorization", "Bearer \(alice)"), ("Content-Type", "application/json"),
  ]
  private static let own = [("X-Requested-With", "landmarks")]

  private static let rows: [String: WireSweep.Row] = [
    "GET /landmarks": .init(headers: token),
    "GET /landmarks/{number}": .init(["number": "1002"], headers: token),
    "GET /favorites": .init(headers: token),
    "PUT /favorites/{number}": .init(["number": "1002"], headers: token),
    "DELETE /favorites/{number}": .init(["number": "1002"], headers: token),
    "GET /reservations": .init(headers: token),
    "GET /reservations/{id}": .init(["id": id], headers: token),
    "PUT /reservations/{id}": .init(
      ["id": id], headers: token,
      bodies: [
        reservation, ##"{"landmarkID":1002,"date":"#","status":"confirmed"}"##,
        #"{"landmarkID":1002,"date":#,"status":"confirmed"}"#,
        ##"{"landmarkID":1002,"date":"2030-06-01T12:00:00Z","status":#}"##,
        ##"{"landmarkID":1002,"date":"2030-06-01T12:00:00Z","status":"confirmed","note":#}"##,
      ]),
    "DELETE /reservations/{id}": .init(["id": id], headers: token),
    "POST /session": .init(
      headers: [("Content-Type", "application/json")],
      bodies: [##"{"user":#,"password":"secret-password"}"##, ##"{"user":"ann","password":#}"##]),
    "GET /session": .init(headers: token), "DELETE /session": .init(headers: token),
    "GET /photos": .init(headers: token),
    "GET /photos/{id}": .init(["id": id], headers: token),
    "PUT /photos/{id}": .init(
      ["id": id], headers: token,
      bodies: [
        ##"{"reservationID":"\##(id)","added":#,"caption":"","data":"iVBORw=="}"##,
        ##"{"reservationID":#,"added":"2030-06-01T12:00:00Z","caption":#,"data":"iVBORw=="}"##,
        ##"{"reservationID":"\##(id)","added":"2030-06-01T12:00:00Z","caption":"","data":#}"##,
        ##"{"reservationID":"\##(id)","added":"2030-06-01T12:00:00Z","caption":"","##
          + ##""data":{"sha256":"\##(digest)","size":#}}"##,
      ]),
    "DELETE /photos/{id}": .init(["id": id], headers: token),
    "POST /attachments/missing": .init(
      headers: token,
      bodies: [
        ##"{"attachments":[{"entity":"photos","key":"\##(id)","property":"data","##
          + ##""sha256":"\##(digest)","size":#}]}"##,
        ##"{"attachments":#}"##,
      ]),
    "PATCH /attachments/{sha256}": .init(
      ["sha256": digest, "size": "20000", "Upload-Offset": "0"], headers: token, bodies: ["#"]),
    "GET /attachments": .init(
      [
        "entity": "photos", "key": id, "property": "data", "sha256": digest, "size": "20000",
        "Range": "bytes=0-9",
      ], headers: token),
    "GET /api/photos/{id}": .init(["id": id]),
    "PUT /api/photos/{id}": .init(
      ["id": id, "reservation": id, "added": "1893456000000", "caption": "a"], headers: own,
      bodies: ["#"]),
    "PUT /api/photos/{id}/caption": .init(
      ["id": id], headers: own, bodies: [#"{"caption":#}"#]),
    "DELETE /api/photos/{id}": .init(["id": id], headers: own),
    "GET /api/state": .init(), "GET /api/status": .init(), "GET /api/config": .init(),
    "GET /api/calendar": .init(), "GET /api/activity": .init(),
    "POST /api/sync": .init(headers: own),
    "POST /api/session": .init(
      headers: own + [("Content-Type", "application/json")],
      bodies: [##"{"user":#,"password":"secret-password"}"##, ##"{"user":"ann","password":#}"##]),
    "DELETE /api/session": .init(headers: own),
    "PUT /api/offline": .init(headers: own), "DELETE /api/offline": .init(headers: own),
    "GET /api/stream": .init(["Last-Event-ID": "a-1"], isStream: true),
    "PUT /api/favorites/{number}": .init(["number": "1002"], headers: own),
    "DELETE /api/favorites/{number}": .init(["number": "1002"], headers: own),
    "PUT /api/reservations/{id}": .init(
      ["id": id], headers: own,
      bodies: [
        #"{"landmarkID":1002,"date":#}"#, #"{"landmarkID":#,"date":1893456000000}"#,
        #"{"landmarkID":1002,"date":1893456000000,"note":#}"#,
      ]),
    "PUT /api/reservations/{id}/note": .init(
      ["id": id], headers: own, bodies: [#"{"note":#}"#, #"{"note":"a","base":#}"#]),
    "DELETE /api/reservations/{id}": .init(["id": id], headers: own),
    "POST /api/reservations/{id}/cancel": .init(["id": id], headers: own),
    "DELETE /api/notices/{id}": .init(["id": id], headers: own),
  ]

  @Test("Every number and every wrong body of the REST server", arguments: WireSweep.Part.allCases)
  func server(part: WireSweep.Part) async throws {
    let folder = try TemporaryFolder()
    let signIn = SignIn(UsersFile(folder.file("users")))
    try await withServer(limits: Self.limits(for: part), signIn: signIn) { client async throws in
      var sweep = WireSweep(
        try OpenAPI("openapi-landmarks.yaml"), at: client, rows: Self.rows,
        secrets: [alice, bob, "secret-password"])
      await sweep.run(part) { !$0.path.hasPrefix("/api") }
      #expect(sweep.failures.isEmpty, "\(sweep.failures.joined(separator: "\n"))")
      #expect(sweep.cases > (part == .numbers ? 400 : 700), "\(sweep.cases)")
      #expect(
        try await client.insistentRequest(
          "GET", "/landmarks", headers: [("Authorization", "Bearer \(alice)")]
        ).status == 200)
    }
  }

  @Test(
    "Every number and every wrong body of the page's program", arguments: WireSweep.Part.allCases)
  func app(part: WireSweep.Part) async throws {
    try await withApp(deviceStore(), token: alice, limits: Self.limits(for: part)) {
      client async throws in
      var sweep = WireSweep(
        try OpenAPI("openapi-landmarks.yaml"), at: client, rows: Self.rows,
        secrets: [alice, bob])
      await sweep.run(part) { $0.path.hasPrefix("/api") }
      #expect(sweep.failures.isEmpty, "\(sweep.failures.joined(separator: "\n"))")
      #expect(sweep.cases > (part == .numbers ? 250 : 800), "\(sweep.cases)")
      #expect(try await client.insistentRequest("GET", "/api/state").status == 200)
    }
  }

  @Test("Every operation without a token answers 401, as described")
  func descriptionOfUnauthorized() async throws {
    let api = try OpenAPI("openapi-landmarks.yaml")
    try await withServer { client async throws in
      for operation in api.operations
      where !operation.path.hasPrefix("/api") && "\(operation)" != "POST /session" {
        let target = Self.target(operation)
        #expect(try await client.request(operation.method, target).status == 401)
        #expect(operation.statuses.contains(401), "\(operation)")
      }
    }
  }

  @Test("Every operation of the REST server can fail by `serve --faults`, as described")
  func descriptionOfFaults() async throws {
    let api = try OpenAPI("openapi-landmarks.yaml")
    for operation in api.operations where !operation.path.hasPrefix("/api") {
      let faults = ServerFaults(percentage: 100, delay: .zero)
      try await withServer(faults: faults) { client async throws in
        let answer = try await client.request(
          operation.method, Self.target(operation), headers: Self.token)
        #expect(answer.status == 503 && answer["Retry-After"] == "1", "\(operation)")
      }
      #expect(operation.statuses.contains(503), "\(operation)")
    }
  }

  private static func target(_ operation: OpenAPI.Operation) -> String {
    operation.path.replacingOccurrences(of: "{number}", with: "1002")
      .replacingOccurrences(of: "{id}", with: id)
  }

  @Test("Slow bodies hold no places, with and without a token", arguments: [true, false])
  func dripping(hasToken: Bool) async throws {
    var places = LocalServer.Settings(port: 0)
    places.limits = Self.limits
    places.maximumConnections = 16
    try await withServer(places) { client async throws in
      let field =
        hasToken ? "Authorization: Bearer \(alice)\r\nContent-Type: application/json\r\n" : ""
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<48 {
          group.addTask {
            try await client.untilCut { connection in
              try await connection.send(
                "PUT /reservations/\(Self.id) HTTP/1.1\r\nHost: a\r\n\(field)Content-Length: 1000\r\n\r\na"
              )
              while try await connection.receive() != nil {}
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(
        try await client.insistentRequest(
          "GET", "/landmarks", headers: [("Authorization", "Bearer \(alice)")]
        ).status == 200)
    }
  }

  @Test("A dropped upload isn't logged as a defect")
  func droppedUploads() async throws {
    let lines = Lines()
    let store = try ServedStore(file: nil, landmarks: [])
    var logger = Logger(label: "test") { _ in lines }
    logger.logLevel = .trace
    let server = LandmarksServer(
      LocalServer.Settings(port: 0, limits: Self.limits), store: store,
      tokens: try BearerTokens([("alice", alice)]), logger: logger)
    try await withWireClient({ try await server.run(onListening: $0) }) { client async throws in
      let head =
        "PUT /reservations/\(Self.id) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(alice)\r\n"
        + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
      for _ in 0..<5 { try await client.untilCut { try await $0.send(head) } }
      // A connection after the others, which waits until it is closed.
      try await client.untilCut { connection in
        try await connection.send(head)
        while try await connection.receive() != nil {}
      }
      #expect(
        try await client.insistentRequest(
          "GET", "/landmarks", headers: [("Authorization", "Bearer \(alice)")]
        ).status == 200)
      #expect(lines.all.isEmpty, "\(lines.all)")
    }
  }

  @Test("Two hosts are refused, and HTTP/1.0 ends with the answer")
  func rulesOfHTTP() async throws {
    try await withServer { client async throws in
      let fields = "Authorization: Bearer \(alice)\r\n"
      let two = try await client.exchange(
        "GET /favorites HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\(fields)\r\n")
      #expect(String(decoding: two, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
      // The connection ends; otherwise this call would not.
      let old = try await client.exchange("GET /favorites HTTP/1.0\r\n\(fields)\r\n")
      #expect(String(decoding: old, as: UTF8.self).hasSuffix(#"{"favorites":[]}"#))
    }
  }
}

/// A handler that records log messages.
private final class Lines: LogHandler {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    if event.level >= .warning { lines.withLock { $0.append("\(event.message)") } }
  }
}
