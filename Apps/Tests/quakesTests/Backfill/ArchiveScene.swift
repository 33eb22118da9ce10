import DemoFeed
import Foundation
import Synchronization
import Testing
import WireFormats

@testable import ProgramTesting
@testable import QuakesKit
@testable import TestSupport

/// A demo feed with an archive and stores to fill from it. Pauses take no time.
final class ArchiveScene: Sendable {
  /// The time of the demo's newest event, and of all back-fills: 2025-06-15T15:06:40Z.
  static let now = Date(timeIntervalSince1970: 1_750_000_000)

  let base: String
  let world: DemoWorld
  let service: EventService
  private let folder: TemporaryFolder
  private let pauses = Mutex<[Duration]>([])
  private let whenPausing = Mutex<(@Sendable () async -> Void)?>(nil)

  private init(_ base: String, _ world: DemoWorld) throws {
    self.base = base
    self.world = world
    service = try EventService(base)
    folder = try TemporaryFolder()
  }

  /// Runs a demo feed.
  /// - Parameters:
  ///   - events: The number of events in thirty days.
  ///   - years: The length of the archive.
  static func run<Result: Sendable>(
    events: Int = 300, years: Int = 1, fault: Fault = .none,
    _ body: @escaping @Sendable (ArchiveScene) async throws -> Result
  ) async throws -> Result {
    var settings = DemoFeedServer.Settings()
    settings.port = 0
    settings.seed = 5
    settings.events = events
    settings.years = years
    settings.anchor = now
    settings.clock = .steps
    settings.fault = fault
    let server = DemoFeedServer(settings)
    return try await server.whileRunning { base in
      try await body(ArchiveScene(base, server.world))
    }
  }

  /// A store; stores of the same name are one.
  func store(_ name: String = "a") throws -> QuakeStore {
    try QuakeStore(file: folder.url.appendingPathComponent("\(name).store"))
  }

  /// Writes a file.
  func file(_ name: String, _ content: Data) throws -> URL {
    let file = folder.url.appendingPathComponent(name)
    try content.write(to: file)
    return file
  }

  func backfill(_ store: QuakeStore, rule: MagnitudeRule = .all) -> Backfill {
    var pacing = Backfill.Pacing()
    pacing.now = { Self.now }
    pacing.makeRandom = { SeededGenerator(seed: 3) }
    pacing.lease.pause = .milliseconds(5)
    pacing.sleep = { [self] pause in
      pauses.withLock { $0.append(pause) }
      await whenPausing.withLock { $0 }?()
      try Task.checkCancellation()
    }
    return Backfill(from: service, into: store, rule: rule, pacing: pacing)
  }

  /// The pauses so far.
  var paused: [Duration] { pauses.withLock { $0 } }

  /// Sets what happens during pauses.
  func duringPauses(_ body: @escaping @Sendable () async -> Void) {
    whenPausing.withLock { $0 = body }
  }

  var requests: Int { get async { await world.state.requests } }

  /// Returns a time so many days before the newest event.
  static func ago(_ days: Double) -> Date { now.addingTimeInterval(-days * 86_400) }

  /// Returns the answer of the demo's service to a query.
  func ask(_ query: String) async throws -> FeedJSON? {
    let response = try await WireClient(base).request(
      "GET", "/fdsnws/event/1/query?format=geojson&\(query)")
    return response.status == 204 ? nil : try FeedJSON(response.text)
  }

  /// Returns the identifiers that the demo's service has between two times, asked page by page.
  func catalogue(_ since: Date, _ until: Date = now, _ more: String = "") async throws -> [String] {
    var ids: [String] = []
    while let page = try await ask(
      "starttime=\(since.formatted(.iso8601))&endtime=\(until.formatted(.iso8601))"
        + "&limit=5000&offset=\(ids.count + 1)\(more)")
    {
      ids += page.ids
    }
    return ids
  }
}

extension QuakeStore {
  /// The identifiers of all events, also of withdrawn ones.
  func ids() throws -> [String] {
    var ids: [String] = []
    try forEachBatch(EventQuery(includesWithdrawn: true)) { ids += $0.map(\.id) }
    return ids
  }
}
