import Foundation
import QuakesKit
import Synchronization
import Testing

@testable import quakes

@Suite("Which events start the command of `quakes watch --run`", .timeLimit(.minutes(20)))
struct EventRunnerTests {
  /// A runner whose command notes the events.
  private final class Scene: Sendable {
    let store: QuakeStore
    let runs = Mutex<[String]>([])
    let reports = Mutex<[String]>([])

    init() throws { store = try QuakeStore(file: nil) }

    func runner(mostWaiting: Int = 10) -> EventRunner {
      EventRunner(store, mostWaiting: mostWaiting) { event in
        self.runs.withLock { $0.append(event.id) }
        return event.place
      } report: { report in
        if let report { self.reports.withLock { $0.append(report) } }
      }
    }

    /// Passes changes to a runner, waits for its commands, and returns the identifiers of their events.
    func ids(
      _ changes: [EventChanges], _ query: EventQuery = EventQuery(), mostWaiting: Int = 10
    ) async throws -> [String] {
      let runner = runner(mostWaiting: mostWaiting)
      for change in changes { try runner.take(change, query) }
      runner.finish()
      await runner.run()
      return runs.withLock { $0 }
    }
  }

  private static func event(
    _ id: String, _ magnitude: Double? = 5, aliases: [String] = [], ago: Int = 100
  ) -> Event {
    var event = WatchScreenTests.event(id, magnitude, place: nil, ago: ago)
    event.aliases = aliases.isEmpty ? nil : ",\((aliases + [id]).joined(separator: ",")),"
    return event
  }

  private static func withdrawn(_ event: Event, _ replacement: String? = nil) -> Event {
    var event = event
    (event.withdrawn, event.replacement) = (event.time, replacement)
    return event
  }

  @Test("Those that come and fit, the oldest first, and none twice")
  func fitting() async throws {
    let first = Self.event("a", ago: 10)
    let (second, third) = (Self.event("b", ago: 30), Self.event("c", 3, ago: 20))
    let query = EventQuery(minimumMagnitude: 4)
    let ids = try await Scene().ids(
      [
        EventChanges(inserted: [first, second, third]),
        EventChanges(updated: [first, Self.event("old", 8)]),
        EventChanges(inserted: [Self.withdrawn(Self.event("d"))]),
        EventChanges(updated: [Self.event("d")], deleted: ["a"]),
        EventChanges(inserted: [first]),
      ], query)
    #expect(ids == ["b", "a", "d"])
  }

  @Test("One that came too weak, and is revised so that it fits, starts it then")
  func revised() async throws {
    let query = EventQuery(minimumMagnitude: 4)
    let ids = try await Scene().ids(
      [
        EventChanges(inserted: [Self.event("a", 3.9)]),
        EventChanges(updated: [Self.event("a", 4.1)]), EventChanges(updated: [Self.event("a", 6)]),
      ], query)
    #expect(ids == ["a"])
  }

  @Test("An earthquake under another identifier is the same one, whichever is known of it")
  func aliases() async throws {
    let first = Self.event("a", aliases: ["x"])
    let ids = try await Scene().ids([
      EventChanges(inserted: [first]),
      EventChanges(
        inserted: [Self.event("b", aliases: ["a"])], updated: [Self.withdrawn(first, "b")]),
      EventChanges(inserted: [Self.event("x")]),
      EventChanges(inserted: [Self.event("c", aliases: ["x"])]),
      EventChanges(updated: [Self.event("c", aliases: ["x", "y"])]),
      EventChanges(inserted: [Self.event("y")]),
      EventChanges(inserted: [Self.event("z", aliases: ["w"])]),
    ])
    #expect(ids == ["a", "z"])
  }

  @Test("Of one that came under two identifiers at once, the standing one starts it")
  func renamedAtOnce() async throws {
    let ids = try await Scene().ids([
      EventChanges(
        inserted: [
          Self.withdrawn(Self.event("a"), "b"), Self.event("b", aliases: ["a"]),
        ])
    ])
    #expect(ids == ["b"])
  }

  @Test("One that the store had before, under a former identifier, isn't new")
  func formerIdentifier() async throws {
    let scene = try Scene()
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString + ".geojson")
    defer { try? FileManager.default.removeItem(at: folder) }
    func refresh(_ id: String, _ ids: String) async throws {
      let text = """
        {"features":[{"properties":{"mag":5,"place":"x","time":0,"ids":"\(ids)"},
        "geometry":{"coordinates":[1,2]},"id":"\(id)"}]}
        """
      try Data(text.utf8).write(to: folder)
      try await QuakeFeed(FeedSelection(folder.path), into: scene.store, rule: .all)
        .refresh(force: true)
    }
    try await refresh("a", ",a,")
    let runner = scene.runner()
    try await refresh("b", ",a,b,")
    let stored = try #require(try scene.store.event(id: "b"))
    try runner.take(EventChanges(inserted: [stored]), EventQuery())
    try await refresh("c", ",c,")
    let other = try #require(try scene.store.event(id: "c"))
    try runner.take(EventChanges(inserted: [other]), EventQuery())
    runner.finish()
    await runner.run()
    #expect(scene.runs.withLock { $0 } == ["c"])
  }

  @Test(
    "A first load of an empty store starts it only if asked; later ones do",
    arguments: [false, true])
  func firstLoad(takesFirstLoad: Bool) async throws {
    let store = try QuakeStore(file: nil)
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString + ".geojson")
    defer { try? FileManager.default.removeItem(at: file) }
    func refresh(_ ids: [String]) async throws {
      let features = ids.map {
        """
        {"properties":{"mag":5,"place":"x","time":0},"geometry":{"coordinates":[1,2]},"id":"\($0)"}
        """
      }
      try Data("{\"features\":[\(features.joined(separator: ","))]}".utf8).write(to: file)
      try await QuakeFeed(FeedSelection(file.path), into: store, rule: .all).refresh(force: true)
    }
    let (ran, running) = AsyncStream.makeStream(of: String.self)
    let runner = EventRunner(store, takesFirstLoad: takesFirstLoad) { event in
      running.yield(event.id)
      return nil
    } report: { _ in
    }
    // More than a change lists: the first load comes in several pieces.
    let first = (0..<EventChanges.limit + 10).map { "a\($0)" }
    let follower = try StoreFollower(store, large: .inPieces)
    try await refresh(first)
    try await refresh(first + ["b"])
    let work = Task {
      async let commands: Void = runner.run()
      await runner.follow(follower) { EventQuery() }
      await commands
    }
    var ids: Set<String> = []
    for await id in ran {
      ids.insert(id)
      if id == "b" { break }
    }
    work.cancel()
    await work.value
    #expect(ids == Set((takesFirstLoad ? first : []) + ["b"]))
  }

  @Test("Failures are told and the others still run; so are those for which there was no room")
  func reports() async throws {
    let scene = try Scene()
    var failing = Self.event("a\u{1b}")
    failing.place = "ended with exit code 3"
    let ids = try await scene.ids(
      [
        EventChanges(inserted: [failing, Self.event("b", ago: 5), Self.event("c", ago: 4)]),
        .unknown,
      ], mostWaiting: 2)
    #expect(ids == ["a\u{1b}", "b"])
    #expect(
      scene.reports.withLock { $0 } == [
        "The store was changed without a history; no command ran for that.",
        "The command for a\u{fffd} ended with exit code 3.",
        "1 event came while 2 others waited for the command.",
      ])
  }

  @Test("What is remembered is bounded, and what was forgotten isn't new")
  func bounds() {
    var earthquakes = NewEarthquakes()
    let first = Self.event("first")
    earthquakes.note(inserted: [first], updated: [], replaced: [])
    for number in 0..<NewEarthquakes.limit {
      earthquakes.note(inserted: [Self.event("\(number)")], updated: [], replaced: [])
    }
    #expect(earthquakes.count <= NewEarthquakes.limit)
    let isFirstNew = earthquakes.take(first)
    let isLastNew = earthquakes.take(Self.event("\(NewEarthquakes.limit - 1)"))
    #expect(!isFirstNew && isLastNew)
  }
}
