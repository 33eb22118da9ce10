import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTPTypesHTTP1

/// Inserts a ``ConnectionGuard`` before the codec that converts requests into Hummingbird's types, which carry neither
/// a version nor a second host.
final class ConnectionGuardInstaller: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = Any

  private let limits: ConnectionLimits
  private let places: ConnectionPlaces

  init(_ limits: ConnectionLimits, _ places: ConnectionPlaces) {
    self.limits = limits
    self.places = places
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    do {
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(ConnectionGuard(limits, places), position: .before(codec))
    } catch {
      // A connection without limits is worse than no connection.
      context.close(promise: nil)
    }
  }
}

extension HTTP1Channel.Configuration {
  /// A configuration that keeps a server's connections within limits.
  /// - Parameters:
  ///   - limits: The time limits for clients.
  ///   - places: The counter of the server's connections.
  public static func guarded(
    _ limits: ConnectionLimits, _ places: ConnectionPlaces
  ) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionGuardInstaller(limits, places)],
      idleTimeout: TimeAmount(limits.idle),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 8 * 1_024, maxHeaderListSize: 16 * 1_024, maxHeaderFieldCount: 100))
  }
}
