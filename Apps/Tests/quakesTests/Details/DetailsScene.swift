import DemoFeed
import Foundation
import LocalCopy
import Synchronization

@testable import QuakesKit
@testable import TestSupport

/// A demo feed and a store that it has filled.
final class DetailsScene: Sendable {
  static let feed = "/earthquakes/feed/v1.0/summary/all_month.geojson"

  let base: String
  let world: DemoWorld
  let store: QuakeStore
  let file: URL
  private let folder: TemporaryFolder
  private let clock = Mutex(Date(timeIntervalSince1970: 1_750_000_000))

  private init(_ base: String, _ world: DemoWorld) async throws {
    self.base = base
    self.world = world
    folder = try TemporaryFolder()
    file = folder.url.appendingPathComponent("a.store")
    store = try QuakeStore(file: file)
    try await QuakeFeed(FeedSelection(base + Self.feed), into: store, rule: .all).refresh()
  }

  /// Runs a demo feed.
  static func run<Result: Sendable>(
    entityTags: Bool = false, _ body: @escaping @Sendable (DetailsScene) async throws -> Result
  ) async throws -> Result {
    var settings = DemoFeedServerTests.settings
    settings.entityTags = entityTags
    settings.years = 0
    let server = DemoFeedServer(settings)
    return try await server.whileRunning { base in
      try await body(DetailsScene(base, server.world))
    }
  }

  func loader(
    _ store: QuakeStore? = nil, base: String? = nil,
    _ change: (inout DetailsLoader.Limits) -> Void = { _ in }
  ) throws -> DetailsLoader {
    var limits = DetailsLoader.Limits()
    limits.retry.maximumAttempts = 1
    limits.now = { [self] in clock.withLock { $0 } }
    change(&limits)
    return DetailsLoader(
      store ?? self.store, feed: try FeedSelection((base ?? self.base) + Self.feed),
      limits: limits)
  }

  /// Moves the time of loaders.
  func pass(days: Double) { clock.withLock { $0 += days * 86_400 } }

  /// The strongest events, which have all products.
  func strongest(_ count: Int = 5) throws -> [Event] {
    try store.events(
      EventQuery(minimumMagnitude: 5.5, sort: .magnitude, limit: count))
  }

  var requests: Int { get async { await world.state.requests } }
}
