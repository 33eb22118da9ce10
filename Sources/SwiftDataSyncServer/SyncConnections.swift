import HTTPLimits
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// The limits on a server's connections: their number, and the time that each may wait for its client.
///
/// A Hummingbird application without these limits waits indefinitely: for a first byte, for the remainder of a body,
/// even of a rejected request, and for a client that doesn't read. With these limits, each of these waits ends.
///
/// ```swift
/// let application = SyncConnections().application(router, on: .hostname("0.0.0.0", port: 8080))
/// try await application.runService()
/// ```
///
/// An application that is assembled in another way uses ``server`` and ``availability``.
public struct SyncConnections: Hashable, Sendable {
  /// The maximum number of simultaneous connections; further connections wait for a place.
  public var maximumCount = 1_024
  /// The longest time that a connection waits for its next request.
  public var idleTimeout: Duration = .seconds(60)
  /// The longest time that a connection waits for its next request while all places are taken.
  public var crowdedIdleTimeout: Duration = .seconds(5)
  /// The longest time from a request's head to its end, even of a rejected request.
  public var requestTimeout: Duration = .seconds(120)
  /// The longest time that a response waits for a client that doesn't read. Responses are written in parts, so a client
  /// has this time for each 64 KiB.
  public var writeTimeout: Duration = .seconds(30)

  /// Creates the default bounds.
  public init() {}

  /// The server builder with these limits, for `Application(server:)`.
  public var server: HTTPServerBuilder {
    var limits = ConnectionLimits()
    limits.idle = idleTimeout
    limits.crowdedIdle = crowdedIdleTimeout
    limits.request = requestTimeout
    limits.write = writeTimeout
    // A client must receive the response that its push is too large; otherwise, it sends the same push again.
    limits.refused = min(.seconds(30), requestTimeout)
    limits.refusedBytes = 64 << 20
    return .http1(configuration: .guarded(limits, ConnectionPlaces(maximumCount)))
  }

  /// The limit on the number of connections, for `ApplicationConfiguration(availableConnectionsDelegate:)`.
  public var availability: any AvailableConnectionsDelegate {
    MaximumAvailableConnections(maximumCount)
  }

  /// Creates an application with these limits.
  ///
  /// - Parameters:
  ///   - router: The router that handles requests.
  ///   - address: The address to listen on.
  ///   - logger: The logger; nil for the default one.
  ///   - onServerRunning: Called once after the server has started to listen.
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
