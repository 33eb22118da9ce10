import DemoFeed
import Foundation
import LocalCopy
import QuakesKit
import Testing

@testable import ProgramTesting
@testable import quakes
@testable import TestSupport

@Suite("The page's data, from feed to stream", .timeLimit(.minutes(20)))
struct LiveSourceTests {
  private static let feed = "/earthquakes/feed/v1.0/summary/all_day.geojson"

  private static func source(_ base: String, store: QuakeStore) throws -> LiveSource {
    try LiveSource(
      FeedSelection(base + feed), store: store, rule: .aboveZero, every: .seconds(3_600),
      logger: silentLogger
    ) {
      $0.http.retry.maximumAttempts = 1
      $0.http.totalDeadline = .seconds(20)
    }
  }

  /// Returns a source over a store that another source has filled. It follows the store from then
  /// on, so that the first changes it reports are those of the test.
  private static func filledSource(_ base: String, store: QuakeStore) async throws -> LiveSource {
    #expect(await (try source(base, store: store)).refreshOnce(force: true) == .done)
    return try source(base, store: store)
  }

  private static var demo: DemoFeedServer {
    var settings = DemoFeedServerTests.settings
    settings.anchor = nil
    settings.maximumAge = 0
    return DemoFeedServer(settings)
  }

  @Test(
    "A refresh fills the store; the state changes from empty to fresh; a second one changes nothing"
  )
  func fills() async throws {
    try await Self.demo.whileRunning { base in
      let source = try Self.source(base, store: QuakeStore(file: nil))
      #expect(try await source.status().state == .empty)
      #expect(await source.refreshOnce(force: true) == .done)
      let status = try await source.status()
      let report = try #require(status.lastReport)
      #expect(status.state == .fresh && status.total == report.inserted && status.total > 10)
      #expect(status.feedName == "all_day" && status.lastUpdated != nil && status.lastError == nil)
      #expect(await source.refreshOnce(force: true) == .done)
      #expect(try await source.status().lastReport?.inserted == 0)
    }
  }

  @Test(
    "With any fault of the feed the copy stays complete and the state shows it; a good response recovers",
    arguments: [
      (Fault.tooManyRequests, FeedStatus.Failure.Kind.busy), (.unavailable, .busy),
      (.truncated, .brokenOff), (.badGzip, .unusable), (.malformed, .unusable), (.html, .unusable),
    ])
  func faults(fault: Fault, kind: FeedStatus.Failure.Kind) async throws {
    let demo = Self.demo
    try await demo.whileRunning { base in
      let source = try Self.source(base, store: QuakeStore(file: nil))
      #expect(await source.refreshOnce(force: true) == .done)
      let before = try await source.page(EventQuery())
      _ = await demo.world.turnOn(fault)
      await demo.world.advance()
      let outcome = await source.refreshOnce(force: true)
      #expect(outcome != .done)
      #expect(try await source.page(EventQuery()) == before)
      let status = try await source.status()
      #expect(status.state == .offline && status.lastError?.message.isEmpty == false)
      #expect(status.lastError?.kind == kind)
      _ = await demo.world.turnOn(.none)
      #expect(await source.refreshOnce(force: true) == .done)
      #expect(try await source.status().state == .fresh)
      #expect(try await source.page(EventQuery()) != before)
    }
  }

  @Test("Only a feed that can't be reached counts as no connection, and no summary names a place")
  func unreachable() async throws {
    let port = try await Self.demo.whileRunning { base in base }
    // Nothing listens there any more.
    let source = try Self.source(port, store: QuakeStore(file: nil))
    #expect(await source.refreshOnce(force: true) != .done)
    #expect(try await source.status().lastError?.kind == .noConnection)
    for kind in FeedStatus.Failure.Kind.allCases {
      #expect(!kind.summary.contains("://") && kind.summary.hasSuffix("."))
    }
  }

  @Test("A file that is no feed is told as a file, and isn't expected to become one")
  func fileWithoutFeed() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("events.geojson")
    try Data("hello".utf8).write(to: file)
    let source = try LiveSource(
      FeedSelection(file.path), store: QuakeStore(file: nil), rule: .aboveZero,
      every: .seconds(3_600), logger: silentLogger)
    #expect(await source.refreshOnce(force: true) != .done)
    let error = try #require(try await source.status().lastError)
    #expect(error.kind == .unusableFile && error.message.contains("The file isn't a feed"))
  }

  @Test("A malformed feature is skipped, the others are imported")
  func malformedFeature() async throws {
    let demo = Self.demo
    _ = await demo.world.turnOn(.malformedFeature)
    try await demo.whileRunning { base in
      let source = try Self.source(base, store: QuakeStore(file: nil))
      #expect(await source.refreshOnce(force: true) == .done)
      let report = try #require(try await source.status().lastReport)
      #expect(report.skipped == 1 && report.inserted > 10)
    }
  }

  @Test("New and revised events reach a page that listens")
  func pushes() async throws {
    let demo = Self.demo
    try await demo.whileRunning { base in
      let source = try await Self.filledSource(base, store: QuakeStore(file: nil))
      let keepingUp = Task { await source.keepUp() }
      defer { keepingUp.cancel() }
      try await withServer(source) { client in
        try await client.connected { connection in
          try await connection.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
          _ = try await connection.read(through: "event: status\n")
          let before = try await source.page(EventQuery()).total
          await demo.world.advance()
          let right = [("X-Requested-With", "quakes")]
          let response = try await client.request("POST", "/api/refresh", headers: right)
          #expect(response.status == 202)
          let running = try response.text
          #expect(
            running.contains(#""state":"refreshing""#) || running.contains(#""state":"fresh""#))
          _ = try await connection.read(through: "event: changes\n")
          let data = try await connection.read(through: "\n\n")
          #expect(data.contains(#""inserted":[{"id":""#) || data.contains(#""updated":[{"id":""#))
          #expect(data.contains(#""reload":false"#))
          #expect(try await source.page(EventQuery()).total >= before)
        }
      }
    }
  }

  @Test(
    "Refreshes of another process reach an open page like its own; large ones cause a reload")
  func otherProcess() async throws {
    let demo = Self.demo
    let folder = try TemporaryFolder("quakes")
    let program = try Program(folder: folder.url)
    try await demo.whileRunning { base in
      let source = try await Self.filledSource(base, store: QuakeStore(file: program.store))
      let keepingUp = Task { await source.keepUp() }
      defer { keepingUp.cancel() }
      try await withServer(source) { client in
        try await client.connected { connection in
          try await connection.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
          _ = try await connection.read(through: "event: status\n")
          await demo.world.advance()
          #expect(
            try await program.run("refresh", "--force", "--feed", base + Self.feed).code == 0)
          _ = try await connection.read(through: "event: changes\n")
          let data = try await connection.read(through: "\n\n")
          #expect(data.contains(#""inserted":[{"id":""#) && data.contains(#""reload":false"#))
          // The state is the other source's, too: this one hasn't refreshed.
          let report = try #require(try await source.status().lastReport)
          #expect(try await source.status().state == .fresh)
          #expect(report.inserted > 0 && report.unchanged > 0)

          let month = folder.file("all_month.geojson")
          let catalogue = Catalogue(seed: 3, events: 3_000, anchor: 1_750_000_000_000)
          _ = try FeedFile.write(SummaryFeed(level: .all, window: .month), of: catalogue, to: month)
          #expect(try await program.run("refresh", "--feed", month.path).code == 0)
          _ = try await connection.read(through: "event: changes\n")
          let reload = try await connection.read(through: "\n\n")
          #expect(
            reload.contains(#"{"inserted":[],"updated":[],"deleted":[],"reload":true}"#))
        }
      }
    }
  }

  @Test("An event that another one has replaced is deleted for the pages, which never get it")
  func replaced() async throws {
    func feature(_ id: String, _ ids: String) -> String {
      """
      {"type":"Feature","id":"\(id)","properties":{"mag":2,"time":1750000000000,"ids":"\(ids)"},
      "geometry":{"type":"Point","coordinates":[1,2,3]}}
      """
    }
    let folder = try TemporaryFolder()
    let store = try QuakeStore(file: nil)
    let other = feature("us1", ",us1,nc1,")
    func open(_ features: [String]) throws -> LiveSource {
      let list = features.joined(separator: ",")
      let file = try folder.file(
        "feed.geojson",
        #"{"type":"FeatureCollection","metadata":{"status":200},"features":[\#(list)]}"#)
      return try LiveSource(
        FeedSelection(file.path), store: store, rule: .all, every: .seconds(3_600),
        logger: silentLogger)
    }
    #expect(await (try open([feature("nc1", ",nc1,"), other])).refreshOnce(force: true) == .done)
    let source = try open([other])
    let keepingUp = Task { await source.keepUp() }
    defer { keepingUp.cancel() }
    #expect(await source.refreshOnce(force: true) == .done)
    for await case .changes(let changes) in await source.updates() {
      #expect(changes == EventChanges(deleted: ["nc1"]))
      break
    }
    let all = try await source.page(EventQuery(includesWithdrawn: true))
    #expect(all.events.map(\.id) == ["us1"])
  }

  @Test("A refresh that is asked for while one runs joins it")
  func joins() async throws {
    let demo = Self.demo
    try await demo.whileRunning { base in
      let source = try Self.source(base, store: QuakeStore(file: nil))
      async let first = source.refreshOnce(force: false)
      async let second = source.refreshOnce(force: false)
      await source.refresh()
      #expect(await [first, second] == [.done, .done])
      while try await source.status().state != .fresh { await Task.yield() }
      #expect(try await source.status().total > 10)
    }
  }

  @Test("A refresh whose feed never arrives can be stopped and changes nothing; another may follow")
  func stops() async throws {
    let demo = Self.demo
    try await demo.whileRunning { base in
      let source = try Self.source(base, store: QuakeStore(file: nil))
      #expect(await source.refreshOnce(force: true) == .done)
      let before = try await source.page(EventQuery())
      await demo.world.advance()
      _ = await demo.world.turnOn(.timeout)
      async let outcome = source.refreshOnce(force: true)
      await source.refresh()
      while try await source.status().state != .refreshing { await Task.yield() }
      await source.stop()
      #expect(await outcome == .done)
      while try await source.status().state == .refreshing {
        // The second request may have started another one in the meantime.
        await source.stop()
        await Task.yield()
      }
      let status = try await source.status()
      #expect(status.state == .fresh && status.lastError == nil)
      #expect(try await source.page(EventQuery()) == before)
      _ = await demo.world.turnOn(.none)
      #expect(await source.refreshOnce(force: true) == .done)
      #expect(try await source.page(EventQuery()) != before)
    }
  }

  @Test("After a failure the next refresh is sooner, but not before the feed allows it")
  func pauses() {
    let every = Duration.seconds(300)
    func pause(_ failures: Int, _ retryAfter: Double? = nil) -> Duration {
      RefreshLoop.pause(every: every, failures: failures, retryAfter: retryAfter)
    }
    #expect(pause(0) == every && pause(1) == .seconds(10) && pause(2) == .seconds(20))
    #expect(pause(9) == every && pause(1_000) == every)
    #expect(pause(1, 60) == .seconds(60) && pause(1, 1e300) == .seconds(86_400))
    #expect(pause(1, -5) == .seconds(10))
    #expect(RefreshLoop.pause(every: .seconds(5), failures: 1, retryAfter: nil) == .seconds(5))
  }
}
