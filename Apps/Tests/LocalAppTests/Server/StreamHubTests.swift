import LocalApp
import Testing

@Suite("The listeners of a stream", .timeLimit(.minutes(20)))
struct StreamHubTests {
  @Test(
    "A listener that reconnects gets the missed events, or a reset after too long or another run")
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

  @Test("A slow listener is disconnected; the others continue")
  func slowListeners() async throws {
    let hub = StreamHub(epoch: "e")
    let slow = try #require(hub.listen(after: nil))
    for _ in 0...StreamHub.maximumWaiting { hub.sendHeartbeat() }
    #expect(hub.listeners == 0)
    var received = 0
    for await _ in slow.messages { received += 1 }
    #expect(received == StreamHub.maximumWaiting)
  }

  @Test("The number of listeners is bounded: the oldest connection is closed for a new one")
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
