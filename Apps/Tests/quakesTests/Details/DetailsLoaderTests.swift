import DemoFeed
import Foundation
import Testing

@testable import QuakesKit
@testable import TestSupport

@Suite("Details that are loaded and kept", .timeLimit(.minutes(20)))
struct DetailsLoaderTests {
  @Test("They are loaded once, kept, and there without the server after a restart")
  func loading() async throws {
    let (scene, event, kept) = try await DetailsScene.run { scene in
      let event = try #require(try scene.strongest(1).first)
      let loader = try scene.loader()
      let before = await scene.requests
      let answer = try await loader.details(of: event)
      #expect(answer.isCurrent && answer.failure == nil && answer.kept.event == event.id)
      // The document, its contours and its towns.
      #expect(await scene.requests == before + 3)
      let details = answer.kept.details
      let shaking = try #require(details.shaking)
      #expect(details.missing.isEmpty && details.towns.count == 5 && shaking > 3)
      #expect(details.towns.map(\.distance) == details.towns.map(\.distance).sorted())
      let strongest = try #require(details.contours.last)
      #expect(details.contours.count > 2 && strongest.intensity <= shaking + 0.05)
      let mechanism = try #require(details.mechanism)
      #expect(mechanism.kind == .momentTensor && mechanism.planes.count == 2)
      #expect(mechanism.tensor != nil && mechanism.magnitude == event.magnitude)
      #expect(try await loader.details(of: event).kept == answer.kept)
      #expect(try await scene.loader().details(of: event).kept == answer.kept)
      #expect(await scene.requests == before + 3)
      return (scene, event, answer.kept)
    }
    let store = try QuakeStore(file: scene.file)
    let gone = try FeedSelection("http://127.0.0.1:9/feed.geojson")
    var limits = DetailsLoader.Limits()
    limits.retry.maximumAttempts = 1
    limits.now = { kept.loaded }
    let offline = try await DetailsLoader(store, feed: gone, limits: limits).details(of: event)
    #expect(offline.kept == kept && offline.isCurrent && offline.failure == nil)
  }

  @Test(
    "They are loaded again when the event has changed, and after a day; without the server the kept ones stay"
  )
  func renewal() async throws {
    try await DetailsScene.run { scene in
      var event = try #require(try scene.strongest(1).first)
      let loader = try scene.loader()
      let first = try await loader.details(of: event).kept
      var before = await scene.requests
      event.updated += 60
      let second = try await loader.details(of: event)
      // The files are those of the same revision.
      #expect(await scene.requests == before + 1)
      #expect(second.isCurrent && second.kept.eventUpdated == event.updated)
      #expect(second.kept.details == first.details)
      scene.pass(days: 2)
      before = await scene.requests
      await scene.world.turnOn(.unavailable)
      let failed = try await loader.details(of: event)
      #expect(!failed.isCurrent && failed.failure?.code == .busy)
      #expect(failed.kept == second.kept)
      let asked = try await loader.details(of: event, loads: false)
      #expect(!asked.isCurrent && asked.failure == nil)
      await scene.world.turnOn(.none)
      #expect(try await loader.details(of: event).kept.loaded > second.kept.loaded)
      #expect(await scene.requests == before + 2)
    }
  }

  @Test("Where the server has entity tags, an unchanged document isn't sent again")
  func conditional() async throws {
    try await DetailsScene.run(entityTags: true) { scene in
      let event = try #require(try scene.strongest(1).first)
      let loader = try scene.loader()
      let first = try await loader.details(of: event)
      scene.pass(days: 2)
      let before = await scene.world.state
      let second = try await loader.details(of: event)
      let after = await scene.world.state
      #expect(after.notModified == before.notModified + 1 && after.requests == before.requests + 1)
      #expect(second.isCurrent && second.kept.loaded > first.kept.loaded)
      #expect(second.kept.details == first.kept.details)
    }
  }

  @Test("Callers at the same time share one load")
  func sharing() async throws {
    try await DetailsScene.run { scene in
      let event = try #require(try scene.strongest(1).first)
      let loader = try scene.loader()
      let before = await scene.requests
      let kept = try await withThrowingTaskGroup(of: KeptDetails.self) { group in
        for _ in 0..<20 { group.addTask { try await loader.details(of: event).kept } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(kept.count == 1)
      #expect(await scene.requests == before + 3)
    }
  }

  @Test("No more than so many loads begin within a time")
  func pacing() async throws {
    try await DetailsScene.run { scene in
      let events = try scene.strongest(3)
      let loader = try scene.loader { $0.starts = 2 }
      for event in events.prefix(2) { _ = try await loader.details(of: event) }
      let error = await #expect(throws: DetailsError.self) {
        try await loader.details(of: events[2])
      }
      #expect(error?.code == .busy)
      // The first load leaves the last minute then.
      #expect((1...60).contains(error?.retryAfter ?? 0))
      // Kept details need no load.
      #expect(try await loader.details(of: events[0]).isCurrent)
    }
  }

  @Test(
    "Each fault has its error, keeps nothing, and is over when the server is well",
    arguments: [
      (Fault.badRequest, DetailsError.Code.refused), (.notFound, .gone), (.tooLarge, .refused),
      (.tooManyRequests, .busy), (.serverError, .refused), (.unavailable, .busy),
      (.timeout, .timedOut), (.truncated, .malformed), (.badGzip, .malformed),
      (.malformed, .malformed), (.malformedFeature, .malformed), (.html, .malformed),
    ])
  func faults(_ fault: Fault, _ code: DetailsError.Code) async throws {
    try await DetailsScene.run { scene in
      let event = try #require(try scene.strongest(1).first)
      await scene.world.turnOn(fault)
      let limited = try scene.loader { if fault == .timeout { $0.deadline = .milliseconds(300) } }
      let error = await #expect(throws: DetailsError.self) { try await limited.details(of: event) }
      #expect(error?.code == code, "\(String(describing: error))")
      #expect(error?.description.contains(event.id) == true)
      #expect(try scene.store.keptDetails(of: event) == nil)
      await scene.world.turnOn(.none)
      #expect(try await scene.loader().details(of: event).isCurrent)
    }
  }

  @Test("A withdrawn event keeps its details; they aren't asked for again")
  func withdrawn() async throws {
    try await DetailsScene.run { scene in
      var event = try #require(try scene.strongest(1).first)
      let loader = try scene.loader()
      let kept = try await loader.details(of: event).kept
      event.withdrawn = event.updated + 99
      event.updated += 99
      scene.pass(days: 5)
      let before = await scene.requests
      #expect(try await loader.details(of: event).kept == kept)
      #expect(await scene.requests == before)
    }
  }

  // MARK: Hostile servers

  private func event(_ detail: String?) -> Event {
    var event = FakeSource.events(2)[1]
    event.detail = detail
    return event
  }

  private func answer(
    from server: ScriptedServer, _ event: Event, bytes: Int = 100_000
  ) async throws -> DetailsLoader.Answer {
    var limits = DetailsLoader.Limits()
    limits.retry.maximumAttempts = 1
    limits.bytes = bytes
    limits.deadline = .seconds(20)
    return try await DetailsLoader(
      QuakeStore(file: nil), feed: FeedSelection(server.base + "/feed.geojson"), limits: limits
    ).details(of: event)
  }

  private func code(
    _ server: ScriptedServer, _ event: Event, bytes: Int = 100_000
  ) async -> DetailsError.Code? {
    let error = await #expect(throws: DetailsError.self) {
      try await answer(from: server, event, bytes: bytes)
    }
    return error?.code
  }

  @Test("An address that isn't the feed's own server's is never asked")
  func otherServer() async throws {
    try await ScriptedServer.run({ _ in nil }) { other in
      try await ScriptedServer.run({ _ in
        ScriptedServer.answer("", status: "302 Found", headers: "Location: \(other.base)/x\r\n")
      }) { server in
        #expect(await code(server, event(other.base + "/us1.geojson")) == .addressRefused)
        #expect(await code(server, event("file:///etc/passwd")) == .addressRefused)
        #expect(server.paths.isEmpty)
        #expect(await code(server, event(server.base + "/us1.geojson")) == .addressRefused)
        #expect(server.paths == ["/us1.geojson"])
        #expect(await code(server, event(nil)) == .noAddress)
        #expect(await code(server, event("")) == .noAddress)
      }
      #expect(other.paths.isEmpty)
    }
  }

  @Test("Documents beyond the limit are refused, as sent and inflated")
  func tooLarge() async throws {
    try await ScriptedServer.run({ _ in
      ScriptedServer.answer("{\"a\":\"\(String(repeating: "x", count: 5_000))\"}")
    }) { server in
      #expect(await code(server, event(server.base + "/a"), bytes: 2_000) == .tooLarge)
    }
  }

  @Test("Files at other servers aren't asked for; the rest is kept, and told to be incomplete")
  func otherFiles() async throws {
    try await ScriptedServer.run({ _ in nil }) { other in
      try await ScriptedServer.run({ head in
        head.contains("/towns.json")
          ? ScriptedServer.answer("[1,", headers: "")
          : ScriptedServer.answer(
            """
            {"id":"nc1","properties":{"products":{
            "shakemap":[{"properties":{"maxmmi":"5"},"contents":{"download/cont_mmi.json":
            {"url":"\(other.base)/c.json"}}}],
            "nearby-cities":[{"contents":{"nearby-cities.json":{"url":
            "http://\(head.split(separator: "\r\n").first { $0.hasPrefix("Host") || $0.hasPrefix("host") }?
              .dropFirst(6) ?? "")/towns.json"}}}]}}}
            """)
      }) { server in
        let answer = try await answer(from: server, event(server.base + "/nc1"))
        #expect(answer.isCurrent && answer.kept.details.shaking == 5)
        #expect(answer.kept.details.missing == [.contours, .towns])
        #expect(server.paths.sorted() == ["/nc1", "/towns.json"])
      }
      #expect(other.paths.isEmpty)
    }
  }
}
