import Foundation
import QuakesKit
import Testing

@testable import quakes

@Suite("The event stream", .timeLimit(.minutes(5)))
struct EventStreamTests {
  private static let request = "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n"

  @Test("Opens with the pause before reconnects and the state, then sends what happens")
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
        let changes = try await connection.read(through: "\n\n")
        #expect(changes.contains("event: changes\n") && changes.contains("\nid: "))
        #expect(
          changes.contains(#""inserted":[{"id":"nc0""#) && changes.contains(#""reload":false"#))

        var status = try await source.status()
        status.state = .offline
        status.lastError = .init(message: "no network", at: 5)
        await source.change(status)
        let offline = try await connection.read(through: "\n\n")
        #expect(offline.contains("event: status\n") && offline.contains("no network"))
      }
    }
  }

  @Test("More than 500 changes are a call to load anew")
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

  @Test(
    "Who comes back gets what it missed; who was away too long, or comes from another run, a reset")
  func resumes() async throws {
    let hub = StreamHub(epoch: "e")
    let start = hub.lastID
    hub.sendChanges(Array("1".utf8))
    hub.sendChanges(Array("2".utf8))
    #expect(await Self.waiting(hub, after: start) == ["changes e-1 1", "changes e-2 2"])
    #expect(await Self.waiting(hub, after: "e-1") == ["changes e-2 2"])
    #expect(await Self.waiting(hub, after: "e-2") == [])
    #expect(await Self.waiting(hub, after: nil) == [])
    for id in ["other-1", "e-3", "e-x", "nonsense", "", "e--1"] {
      #expect(await Self.waiting(hub, after: id) == ["reset e-2 {}"])
    }
    for _ in 0..<StreamHub.maximumKept { hub.sendChanges(Array("x".utf8)) }
    #expect(await Self.waiting(hub, after: "e-1").first?.hasPrefix("reset") == true)
    #expect(await Self.waiting(hub, after: "e-2").count == StreamHub.maximumKept)
  }

  @Test("A listener that falls behind is cut off; the others go on")
  func slowListeners() async throws {
    let hub = StreamHub(epoch: "e")
    let slow = try #require(hub.listen(after: nil))
    for _ in 0...StreamHub.maximumWaiting { hub.sendHeartbeat() }
    #expect(hub.listeners == 0)
    var received = 0
    for await _ in slow.messages { received += 1 }
    #expect(received == StreamHub.maximumWaiting)
  }

  @Test("The number of listeners is bounded: the one that listened longest makes room")
  func bounded() async throws {
    let hub = StreamHub(epoch: "e")
    let all = try (0..<StreamHub.maximumListeners).map { _ in
      try #require(hub.listen(after: nil))
    }
    let next = try #require(hub.listen(after: nil))
    #expect(hub.listeners == StreamHub.maximumListeners)
    for await _ in all[0].messages { Issue.record("nothing was sent") }
    all[1].leave()
    #expect(hub.listeners == StreamHub.maximumListeners - 1)
    hub.sendHeartbeat()
    next.leave()
    var received = 0
    for await _ in next.messages { received += 1 }
    #expect(received == 1)
    hub.close()
    #expect(hub.listeners == 0 && hub.listen(after: nil) == nil)
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

  @Test("A page that goes away is forgotten")
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

  private static func waiting(_ hub: StreamHub, after id: String?) async -> [String] {
    guard let listener = hub.listen(after: id) else { return ["full"] }
    listener.leave()
    var texts: [String] = []
    for await message in listener.messages {
      let fields = String(decoding: message, as: UTF8.self).split(separator: "\n")
      texts.append(
        fields.map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" }
          .joined(separator: " "))
    }
    return texts
  }
}
