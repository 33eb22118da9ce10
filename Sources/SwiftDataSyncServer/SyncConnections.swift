import HTTPLimits
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// How a server's connections are bounded: in number, and in the time that each may wait for its client.
///
/// A Hummingbird application of its own accord waits for ever: for a first byte, for the rest of a body, also of a request
/// that it has refused, for a client that doesn't read. With these limits each of them ends.
///
/// ```swift
/// let application = SyncConnections().application(router, on: .hostname("0.0.0.0", port: 8080))
/// try await application.runService()
/// ```
///
/// An application that is put together otherwise takes ``server`` and ``availability``.
public struct SyncConnections: Hashable, Sendable {
  /// The most connections at the same time; more wait for a place.
  public var maximumCount = 1_024
  /// The longest time that a connection waits for its next request.
  public var idleTimeout: Duration = .seconds(60)
  /// The same while all places are taken.
  public var crowdedIdleTimeout: Duration = .seconds(5)
  /// The longest time from a request's head to its end, also of one that was refused.
  public var requestTimeout: Duration = .seconds(120)
  /// The longest time that an answer waits for a client that doesn't read.
  public var writeTimeout: Duration = .seconds(30)

  public init() {}

  /// The connections, for `Application(server:)`.
  public var server: HTTPServerBuilder {
    var limits = ConnectionLimits()
    limits.idle = idleTimeout
    limits.crowdedIdle = crowdedIdleTimeout
    limits.request = requestTimeout
    limits.write = writeTimeout
    // A client that is told that its push is too large has to hear it, or it sends the same again.
    limits.refused = min(.seconds(30), requestTimeout)
    limits.refusedBytes = 64 << 20
    return .http1(configuration: .guarded(limits, ConnectionPlaces(maximumCount)))
  }

  /// The number of connections, for `ApplicationConfiguration(availableConnectionsDelegate:)`.
  public var availability: any AvailableConnectionsDelegate {
    MaximumAvailableConnections(maximumCount)
  }

  /// An application within these limits.
  ///
  /// - Parameters:
  ///   - router: What answers.
  ///   - address: Where it listens.
  ///   - logger: Where it writes; nil for the usual place.
  ///   - onServerRunning: Called once when it listens.
  public func application<Context: RequestContext>(
    _ router: Router<Context>, on address: BindAddress, logger: Logger? = nil,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
  ) -> Application<RouterResponder<Context>>
  where Context: InitializableFromSource<ApplicationRequestContextSource> {
    Application(
      router: router, server: server,
      configuration: ApplicationConfiguration(
        address: address, availableConnectionsDelegate: availability),
      onServerRunning: onServerRunning, logger: logger)
  }
}
