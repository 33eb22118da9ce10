import Foundation
import HTTPLimits
import Testing

@testable import ProgramTesting
@testable import quakes
@testable import TestSupport

/// The page's server with raw requests: every number of every operation, every wrong body, silent connections.
@Suite("The HTTP interface of Quakes", .timeLimit(.minutes(20)))
struct WireTests {
  private static var limits: ConnectionLimits {
    var limits = ConnectionLimits()
    limits.request = .milliseconds(300)
    limits.idle = .milliseconds(300)
    limits.crowdedIdle = .milliseconds(50)
    limits.refused = .milliseconds(200)
    limits.write = .milliseconds(500)
    return limits
  }

  private static let rows: [String: WireSweep.Row] = [
    "GET /api/events": .init(["limit": "10"]),
    "GET /api/statistics": .init(), "GET /api/export": .init(["format": "csv", "limit": "10"]),
    "GET /api/events/{id}": .init(["id": "nc1"]),
    "GET /api/events/{id}/details": .init(["id": "nc1"]),
    "GET /api/places": .init(["name": "tokyo"]),
    "GET /api/status": .init(), "GET /api/config": .init(),
    "POST /api/refresh": .init(["X-Requested-With": "quakes"]),
    "DELETE /api/refresh": .init(["X-Requested-With": "quakes"]),
    "POST /api/backfill": .init(
      ["X-Requested-With": "quakes"],
      bodies: [
        ##"{"since":1700000000000,"until":#}"##, ##"{"since":1700000000000,"minimumMagnitude":#}"##,
        ##"{"since":#}"##,
      ]),
    "DELETE /api/backfill": .init(["X-Requested-With": "quakes"]),
    "GET /api/stream": .init(["Last-Event-ID": "a-1"], isStream: true),
  ]

  @Test(
    "Every number and every wrong body gives a described response",
    arguments: WireSweep.Part.allCases)
  func sweep(part: WireSweep.Part) async throws {
    try await withServer {
      if part == .wrongBodies { $0.limits = Self.limits }
    } _: { client async throws in
      var sweep = WireSweep(
        try OpenAPI("openapi.yaml"), at: client, rows: Self.rows, secrets: [])
      await sweep.run(part)
      #expect(sweep.failures.isEmpty, "\(sweep.failures.joined(separator: "\n"))")
      #expect(sweep.cases > 400, "\(sweep.cases)")
      #expect(try await client.insistentRequest("GET", "/api/status").status == 200)
    }
  }

  @Test("An operation without a row fails the sweep")
  func missingRows() async throws {
    try await withServer { client async throws in
      var sweep = WireSweep(try OpenAPI("openapi.yaml"), at: client, rows: [:], secrets: [])
      await sweep.run(.numbers)
      #expect(sweep.failures.count == Self.rows.count)
    }
  }

  @Test("Addresses that are too long are refused as described")
  func longTargets() async throws {
    try await withServer { client async throws in
      let long = String(repeating: "a", count: 5_000)
      for operation in try OpenAPI("openapi.yaml").operations where operation.method == "GET" {
        let target = operation.path.replacingOccurrences(of: "{id}", with: "nc1") + "?x=" + long
        let status = try await client.request("GET", target).status
        #expect(status == 414 && operation.statuses.contains(status), "\(operation)")
      }
    }
  }

  @Test("A slow body after a refusal holds no place")
  func dripping() async throws {
    try await withServer {
      $0.limits = Self.limits
      $0.maximumConnections = 16
    } _: { client async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<48 {
          group.addTask {
            try await client.untilCut { connection in
              try await connection.send(
                "POST /api/refresh HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\na")
              while try await connection.receive() != nil {}
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await client.insistentRequest("GET", "/api/status").status == 200)
    }
  }

  /// 300 connections, or 1,000 with OPENSWIFTDATA_TEST_WIRE_CONNECTIONS=1000.
  @Test("Silent connections hold no places")
  func idle() async throws {
    let count = TestEnvironment.number("OPENSWIFTDATA_TEST_WIRE_CONNECTIONS") ?? 300
    try await withServer {
      $0.limits = Self.limits
      $0.maximumConnections = 64
    } _: { client async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            try await client.untilCut { connection in
              while try await connection.receive() != nil {}
            }
          }
        }
        for _ in 0..<3 {
          let answer = try await client.insistentRequest("GET", "/api/status")
          #expect(answer.status == 200)
        }
        // Each connection is closed by the server.
        try await group.waitForAll()
      }
    }
  }

  @Test("Unread streams don't prevent new ones")
  func streams() async throws {
    try await withServer { client async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<StreamHub.maximumListeners {
          group.addTask {
            try await client.connected { connection in
              try await connection.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
              _ = try await connection.read(through: "\n\n")
              open.yield()
              // The connection is neither read nor closed from here on.
              do { try await Task.sleep(for: .seconds(3_600)) } catch {}
            }
          }
        }
        var count = 0
        for await _ in opened {
          count += 1
          if count == StreamHub.maximumListeners { break }
        }
        try await client.connected { connection in
          try await connection.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
          #expect(try await connection.read(through: "\n\n").contains("200 OK"))
        }
        group.cancelAll()
      }
    }
  }

  @Test("A server that is cancelled while connections arrive ends, and the program goes on")
  func cancelledWhileAccepting() async throws {
    for _ in 0..<30 {
      let visitors = try await withServer { client in
        Task {
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
              // Most find no server any more.
              group.addTask { _ = try? await client.request("GET", "/api/status") }
            }
          }
        }
      }
      await visitors.value
    }
  }

  @Test("A plus in a path is a plus")
  func plus() async throws {
    var event = FakeSource.events(1)[0]
    event.eventID = "a+b"
    try await withServer(FakeSource([event])) { client async throws in
      #expect(try await client.request("GET", "/api/events/a+b").status == 200)
      #expect(try await client.request("GET", "/api/events/a%2Bb").status == 200)
      #expect(try await client.request("GET", "/api/events/a%20b").status == 404)
    }
  }
}
