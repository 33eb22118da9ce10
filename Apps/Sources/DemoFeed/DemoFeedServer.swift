import Foundation
import Hummingbird
import LocalApp
import Logging

/// A USGS-compatible feed server for demos and tests, on loopback only.
public struct DemoFeedServer: Sendable {
  /// The settings of the server.
  public struct Settings: Sendable {
    /// The TCP port; 0 uses a free one.
    public var port = 8081
    /// The seed of all synthetic values.
    public var seed: UInt64 = 1
    /// The number of synthetic events in thirty days.
    public var events = 10_000
    /// The length of the event service's archive, in years.
    public var years = 10
    /// The time of the first state; `nil` for now.
    public var anchor: Date?
    /// Whether time passes by itself or by one minute per step.
    public var clock = DemoWorld.Clock.live
    /// Captures to serve instead of synthetic events.
    public var replay: Replay?
    /// The fault that is active from the start.
    public var fault = Fault.none
    /// The `max-age` of responses, in seconds; the real feeds use 60.
    public var maximumAge = 60
    /// Whether responses carry an `ETag`; the recorded ones of the real feeds don't.
    public var entityTags = false
    /// The time between automatic steps; `nil` for none.
    public var advanceEvery: Duration?
    /// The `Retry-After` of the faults 429 and 503, in seconds.
    public var retryAfter = 2
    /// The time between the pieces of a slow drip.
    public var dripInterval = Duration.milliseconds(200)
    /// The size of a piece of a slow drip, in bytes.
    public var dripSize = 256
    /// The time for which the fault `timeout` holds a request.
    public var holdTime = Duration.seconds(300)

    /// The settings of `quakes demo-feed` without options.
    public init() {}

    /// The initial catalogue of these settings.
    public var catalogue: Catalogue {
      let moment = anchor ?? Date()
      return Catalogue(
        seed: seed, events: events, anchor: Int(moment.timeIntervalSince1970 * 1_000),
        years: years)
    }
  }

  private let settings: Settings
  /// The state of the feed, for steps and faults from inside the process.
  public let world: DemoWorld

  /// Creates a server that doesn't run yet.
  public init(_ settings: Settings) {
    self.settings = settings
    world = DemoWorld(
      settings.catalogue, replay: settings.replay, clock: settings.clock, fault: settings.fault)
  }

  /// Returns the scheme, host and port at which a client reached the server: an address of this machine, or else that
  /// of the real feeds.
  static func address(of request: Request) -> String {
    let authority = request.head.authority ?? ""
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard ["127.0.0.1", "localhost"].contains(parts.first), parts.count <= 2,
      parts.count == 1 || UInt16(parts[1]) != nil
    else { return FeedDocument.usgs }
    return "http://" + authority
  }

  /// Runs until the task is cancelled or its service group shuts down.
  /// - Parameter onListening: Called once with the port.
  /// - Throws: ``DemoFeedError`` when the port is in use.
  public func run(onListening: @escaping @Sendable (Int) async -> Void) async throws {
    var logger = Logger(label: "demo-feed")
    logger.logLevel = .critical
    let application = Application(
      responder: DemoFeedResponder(settings: settings, world: world),
      configuration: .init(
        address: .hostname("127.0.0.1", port: settings.port), serverName: "quakes-demo-feed"),
      services: settings.advanceEvery.map { [Ticker(world: world, interval: $0)] } ?? [],
      onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
      logger: logger)
    do {
      try await endingGracefully { try await application.run() }
    } catch {
      guard let reason = ListeningFailure.reason(error) else { throw error }
      throw DemoFeedError(.cannotListen, "127.0.0.1:\(settings.port)", reason: reason)
    }
  }

  /// Runs the server during `body`, and stops it afterwards.
  /// - Parameter body: Gets the server's base address, for example `http://127.0.0.1:40123`.
  public func whileRunning<Result: Sendable>(
    _ body: @escaping @Sendable (String) async throws -> Result
  ) async throws -> Result {
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        defer { ready.finish() }
        try await run { ready.yield($0) }
        return nil
      }
      group.addTask {
        for await port in ports { return try await body("http://127.0.0.1:\(port)") }
        return nil
      }
      defer { group.cancelAll() }
      while let outcome = try await group.next() {
        if let result = outcome { return result }
      }
      throw DemoFeedError(.cannotListen, "127.0.0.1:\(settings.port)")
    }
  }
}
