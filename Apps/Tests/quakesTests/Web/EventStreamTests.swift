import Foundation
import QuakesKit
import Testing

@testable import ProgramTesting
@testable import quakes

@Suite("The event stream", .timeLimit(.minutes(20)))
struct EventStreamTests {
  private static let request = "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n"

  @Test("Begins with the pause before reconnects and the state, then sends changes")
  func sends() async throws {
    let source = FakeSource(FakeSource.events(2))
    try await withServer(source) { client in
      try await client.connected { connection in
        try await connection.send(Self.request + "\r\n")
        let head = try await connection.read(through: "retry: 3000\n\n")
        #expect(head.contains("text/event-stream") && head.contains("200 OK"))
        #expect(head.contains("no-store") && head.contains("Content-Security-Policy"))
        #expect(try await connection.read(through: "\n\n").contains("event: status\n"))

        await source.announce(
          EventChanges(inserted: [FakeSource.events(1)[0]], updated: []))
        // On a machine with much to do, heartbeats stand before an event.
        _ = try await connection.read(through: "event: changes")
        let changes = try await connection.read(through: "\n\n")
        #expect(changes.contains("\nid: "))
        #expect(
          changes.contains(#""inserted":[{"id":"nc0""#) && changes.contains(#""reload":false"#))

        var status = try await source.status()
        status.state = .offline
        status.lastError = .init(message: "no network", at: 5)
        await source.change(status)
        _ = try await connection.read(through: "event: status\n")
        #expect(try await connection.read(through: "\n\n").contains("no network"))
      }
    }
  }

  @Test("More than 500 changes are a request to reload")
  func reloads() async throws {
    let few = EventChanges(inserted: FakeSource.events(300), updated: FakeSource.events(200))
    #expect(!few.reload && few.inserted.count == 300)
    let many = EventChanges(inserted: FakeSource.events(300), updated: FakeSource.events(201))
    #expect(many.reload && many.inserted.isEmpty && many.updated.isEmpty)
  }

  @Test("Comments keep a quiet stream open")
  func heartbeat() async throws {
    try await withServer {
      $0.heartbeat = .milliseconds(5)
    } _: { client in
      try await client.connected { connection in
        try await connection.send(Self.request + "\r\n")
        for _ in 0..<3 { _ = try await connection.read(through: ": still here\n\n") }
      }
    }
  }

  @Test("A program that takes more connections takes more listeners: a quarter of them")
  func more() throws {
    var settings = WebServer.Settings()
    #expect(settings.maximumStreams == StreamHub.maximumListeners)
    settings.maximumConnections = 4_000
    let hub = StreamHub(epoch: "e", maximumListeners: settings.maximumStreams)
    let all = try (0..<1_001).map { _ in try #require(hub.listen(after: nil)) }
    #expect(hub.listeners == 1_000)
    withExtendedLifetime(all) {}
    hub.close()
  }

  @Test("A closed page is removed from the listeners")
  func leaving() async throws {
    let source = FakeSource()
    try await withServer(source) { client in
      // More than may listen at the same time: possible only if each is forgotten in turn.
      for _ in 0..<(StreamHub.maximumListeners + 8) {
        var isOpen = false
        while !isOpen {
          isOpen = try await client.connected { connection in
            try await connection.send(Self.request + "\r\n")
            return try await connection.read(through: "\n\n").contains("200 OK")
          }
        }
      }
    }
  }
}
