import DemoFeed
import Foundation
import Testing

@testable import ProgramTesting
@testable import QuakesKit
@testable import quakes

@Suite("Back-fills that the page asks for", .timeLimit(.minutes(20)))
struct BackfillAPITests {
  private static let own = [("X-Requested-With", "quakes")]

  private static func source(_ scene: ArchiveScene, _ store: QuakeStore) throws -> LiveSource {
    try LiveSource(
      FeedSelection(scene.base + "/earthquakes/feed/v1.0/summary/all_day.geojson"), store: store,
      rule: .all, backfill: scene.backfill(store), every: .seconds(3_600), logger: silentLogger)
  }

  /// Returns the status of the back-fill at its end.
  private static func end(_ source: LiveSource) async throws -> BackfillStatus? {
    for await _ in await source.updates() {
      if let status = try await source.status().backfill, !status.isActive { return status }
    }
    return nil
  }

  @Test("Loads what the command loads, tells its progress, and one runs at a time")
  func loads() async throws {
    try await ArchiveScene.run { scene in
      let store = try scene.store()
      let source = try Self.source(scene, store)
      let wish = BackfillRequest(
        since: ArchiveScene.ago(90), until: ArchiveScene.ago(10), minimumMagnitude: 2)
      try await source.startBackfill(wish)
      #expect(try await source.status().backfill == BackfillStatus(wish, state: .waiting))
      await #expect(throws: BackfillRefusal.running) { try await source.startBackfill(wish) }
      let keeping = Task { await source.keepUp() }
      let status = try #require(try await Self.end(source))
      #expect(status.state == .done && status.share == 1 && status.parts == 2)
      #expect(status.events == status.inserted && status.failure == nil)
      // The service includes the end.
      let end = ArchiveScene.ago(10).addingTimeInterval(-1)
      let all = try await scene.catalogue(wish.since, end, "&minmagnitude=2")
      #expect(try Set(store.ids()).isSuperset(of: all) && status.events >= all.count)
      #expect(all.count > 10)
      #expect(try await source.status().coverage.map(\.minimumMagnitude) == [2])
      let before = await scene.requests
      try await source.startBackfill(wish)
      let again = try #require(try await Self.end(source))
      #expect(again.state == .done && again.parts == 0)
      #expect(await scene.requests == before)
      keeping.cancel()
      await keeping.value
    }
  }

  @Test(
    "Stopped by the user or with the server, it keeps its parts, and continues",
    arguments: [true, false])
  func stops(byUser: Bool) async throws {
    try await ArchiveScene.run { scene in
      let store = try scene.store()
      let source = try Self.source(scene, store)
      let wish = BackfillRequest(since: ArchiveScene.ago(90), until: ArchiveScene.ago(1))
      await scene.world.turnOn(.unavailable, after: 1)
      let keeping = Task { await source.keepUp() }
      scene.duringPauses { if byUser { await source.stopBackfill() } else { keeping.cancel() } }
      try await source.startBackfill(wish)
      if byUser { _ = try await Self.end(source) } else { await keeping.value }
      let stopped = try #require(try await source.status().backfill)
      #expect(stopped.state == .stopped && stopped.parts == 1 && stopped.failure == nil)
      #expect(try store.count() > 0 && store.loadedRanges().count == 1)
      _ = await scene.world.turnOn(.none)
      let next = try Self.source(scene, store)
      let running = Task { await next.keepUp() }
      try await next.startBackfill(wish)
      let rest = try #require(try await Self.end(next))
      #expect(rest.state == .done && rest.share == 1)
      #expect(try store.loadedRanges().map(\.seconds.count) == [89 * 86_400])
      for task in [keeping, running] {
        task.cancel()
        await task.value
      }
    }
  }

  @Test(
    "Its failure is told in plain words",
    arguments: [
      (Fault.notFound, "There is no archive at its address."),
      (.unavailable, "The archive is busy."), (.badRequest, "The archive refuses the request."),
      (.serverError, "The archive can't be reached, or fails."),
      (.truncated, "The archive's answer broke off before its end."),
      (.tooLarge, "The archive has too many earthquakes at one time."),
      (.html, "The archive sends something other than a list of earthquakes."),
    ])
  func fails(fault: Fault, summary: String) async throws {
    try await ArchiveScene.run(fault: fault) { scene in
      let source = try Self.source(scene, scene.store())
      let keeping = Task { await source.keepUp() }
      try await source.startBackfill(BackfillRequest(since: ArchiveScene.ago(30)))
      let status = try #require(try await Self.end(source))
      #expect(status.state == .failed && status.failure?.summary == summary)
      #expect(status.failure?.message.contains("the next back-fill continues there") == true)
      keeping.cancel()
      await keeping.value
    }
  }

  @Test("Without a service that has the feed's events, none starts")
  func noService() async throws {
    let source = try LiveSource(
      FeedSelection("http://127.0.0.1:9/all_day.geojson"), store: QuakeStore(file: nil), rule: .all,
      every: .seconds(3_600), logger: silentLogger)
    await #expect(throws: BackfillRefusal.noService) {
      try await source.startBackfill(BackfillRequest(since: ArchiveScene.ago(30)))
    }
    #expect(try await source.status().archive == nil)
  }

  @Test("Needs the header that other sites cannot send; a second one is a conflict")
  func requests() async throws {
    let source = FakeSource()
    try await withServer(source) { client in
      let body = #"{"since":1700000000000,"until":1710000000000,"minimumMagnitude":2.5}"#
      #expect(try await client.request("POST", "/api/backfill", body: body).status == 403)
      #expect(try await client.request("DELETE", "/api/backfill").status == 403)
      #expect(try await source.status().backfill == nil)
      let first = try await client.request("POST", "/api/backfill", headers: Self.own, body: body)
      #expect(first.status == 202)
      #expect(
        try first.text.contains(
          #""backfill":{"state":"running","since":1700000000000,"until":1710000000000,"#
            + #""minimumMagnitude":2.5,"share":0,"parts":0,"events":0,"inserted":0,"failure":null}"#
        ))
      let second = try await client.request("POST", "/api/backfill", headers: Self.own, body: body)
      #expect(try second.status == 409 && second.text.contains(#""code":"running""#))
      let stop = try await client.request("DELETE", "/api/backfill", headers: Self.own)
      #expect(try stop.status == 202 && stop.text.contains(#""state":"stopped""#))
    }
  }

  @Test(
    "Requests that cannot be meant are refused with the reason",
    arguments: [
      ("", "invalid_body"), ("[]", "invalid_body"), (#"{"until":1}"#, "invalid_body"),
      (#"{"since":"2024"}"#, "invalid_body"), (#"{"since":1e999}"#, "invalid_body"),
      (#"{"since":-3e12}"#, "from 1900"), (#"{"since":1e15}"#, "from 1900"),
      (#"{"since":-1e300}"#, "from 1900"),
      (#"{"since":1700000000000,"until":1700000000000}"#, "after the start"),
      (#"{"since":1700000000000,"until":-1e300}"#, "after the start"),
      (#"{"since":0,"until":1700000000000}"#, "20 years"), (#"{"since":0}"#, "20 years"),
      (#"{"since":1700000000000,"minimumMagnitude":11}"#, "-10 to 10"),
    ])
  func refused(body: String, reason: String) async throws {
    let source = FakeSource()
    try await withServer(source) { client in
      let response = try await client.request(
        "POST", "/api/backfill", headers: Self.own, body: body)
      let text = try response.text
      #expect(response.status == 400 && text.contains(reason), "\(text)")
      #expect(try await source.status().backfill == nil)
    }
  }

  @Test("A body that is too large isn't read")
  func tooLarge() async throws {
    try await withServer { client in
      let body = #"{"since":1}"# + String(repeating: " ", count: 2_000)
      let response = try await client.request(
        "POST", "/api/backfill", headers: Self.own, body: body)
      #expect(response.status == 413)
    }
  }
}
