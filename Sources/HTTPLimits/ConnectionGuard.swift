import NIOCore
import NIOHTTP1

/// Keeps one server connection within its limits; sits between the HTTP decoder and all other handlers.
///
/// It also enforces two rules of RFC 9112 that the underlying library leaves open: an HTTP/1.1 request names exactly
/// one host (section 3.2), and a connection that uses HTTP/1.0, or whose client asks for it, closes after the response
/// (section 9.3).
///
/// A client may send further requests before it has the response to the first one, and the program may take them before
/// it has answered. No response of the guard's own goes out in the place of another request's.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPServerRequestPart
  package typealias InboundOut = HTTPServerRequestPart
  package typealias OutboundIn = HTTPServerResponsePart
  package typealias OutboundOut = HTTPServerResponsePart

  private let limits: ConnectionLimits
  private let places: ConnectionPlaces
  private var hasPlace = false
  private var isClosing = false
  private var timer: Scheduled<Void>?
  private var timerDeadline: NIODeadline?

  /// A request whose response hasn't ended.
  private struct Request {
    let version: HTTPVersion
    /// Whether the connection closes after the response.
    var isLast: Bool
  }

  private var requests = CircularBuffer<Request>()
  /// Whether nothing that the client sends is taken any more: the last of the requests is the connection's last.
  private var isDeaf = false
  /// Whether a request's head has arrived and its end hasn't.
  private var isReading = false
  /// Whether a response has started and not ended.
  private var isAnswering = false
  /// The number of discarded bytes of the current request's remainder; nil while nothing is discarded.
  private var thrownAway: Int?
  /// Whether the connection closes after the remainder.
  private var isLastThrownAway = false
  /// The time at which the current wait started.
  private var since = NIODeadline.now()
  /// The time since which the client hasn't been reading; nil while the channel is writable.
  private var blockedSince: NIODeadline?

  /// - Parameters:
  ///   - limits: The time limits for the client.
  ///   - places: The counter of the server's connections.
  package init(_ limits: ConnectionLimits, _ places: ConnectionPlaces) {
    self.limits = limits
    self.places = places
  }

  // MARK: Connection

  package func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  package func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) { end() }

  private func begin(_ context: ChannelHandlerContext) {
    guard !hasPlace else { return }
    hasPlace = true
    places.enter()
    since = context.eventLoop.now
    arm(context)
  }

  private func end() {
    timer?.cancel()
    timer = nil
    guard hasPlace else { return }
    hasPlace = false
    places.leave()
  }

  private func close(_ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    context.close(promise: nil)
  }

  /// Sends an empty response with this status and closes the connection.
  private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    let head = HTTPResponseHead(
      version: .http1_1, status: status,
      headers: ["connection": "close", "content-length": "0"])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    let sent = context.eventLoop.makePromise(of: Void.self)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    closeWhenSent(sent, context)
  }

  private func closeWhenSent(
    _ sent: EventLoopPromise<Void>, _ context: ChannelHandlerContext
  ) {
    let channel = context.channel
    sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
  }

  // MARK: Requests

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing, !isDeaf else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      let isOld = head.version.major < 1 || head.version == .http1_0
      guard isOld || head.headers["host"].count == 1 else {
        guard !requests.isEmpty else { return refuse(.badRequest, context) }
        // A response to this request would be taken for that to an earlier one.
        isDeaf = true
        requests[requests.index(before: requests.endIndex)].isLast = true
        return
      }
      requests.append(Request(version: head.version, isLast: isOld || !head.isKeepAlive))
      isReading = true
      since = context.eventLoop.now
      context.fireChannelRead(data)
    case .body(let bytes):
      guard let count = thrownAway else { return context.fireChannelRead(data) }
      thrownAway = count + bytes.readableBytes
      if count + bytes.readableBytes > limits.refusedBytes { close(context) }
      return
    case .end:
      isReading = false
      since = context.eventLoop.now
      let wasAnswered = thrownAway != nil
      thrownAway = nil
      // A client that wants the connection closed sends no further request (RFC 9112 section 9.6).
      isDeaf = requests.last?.isLast ?? false
      context.fireChannelRead(data)
      if wasAnswered, isLastThrownAway { return close(context) }
    }
    arm(context)
  }

  // MARK: Responses

  package func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    guard !isClosing else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var head):
      isAnswering = true
      guard let request = requests.first, request.isLast else {
        return context.write(data, promise: promise)
      }
      // A response without a length can't be sent in chunks to an HTTP/1.0 client: the end of the connection marks its
      // end.
      head.version = request.version
      head.headers.replaceOrAdd(name: "connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end: finished(context, data, promise)
    }
  }

  private func finished(
    _ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?
  ) {
    isAnswering = false
    let isLast = requests.popFirst()?.isLast ?? false
    since = context.eventLoop.now
    if requests.isEmpty, isReading {
      // The response came before the request's end. Closing is delayed so that the client can read it before the
      // connection ends.
      thrownAway = 0
      isLastThrownAway = isLast
    } else if isLast {
      isClosing = true
      let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
      context.writeAndFlush(data, promise: sent)
      return closeWhenSent(sent, context)
    }
    context.write(data, promise: promise)
    arm(context)
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    blockedSince = context.channel.isWritable ? nil : context.eventLoop.now
    arm(context)
    context.fireChannelWritabilityChanged()
  }

  // MARK: Timeouts

  /// The time at which the wait for the client ends; nil while the server isn't waiting for the client.
  private var deadline: NIODeadline? {
    let wait: NIODeadline? =
      if thrownAway != nil {
        since + TimeAmount(limits.refused)
      } else if isReading {
        // The program may read a further request only after it has answered the ones before.
        requests.count > 1 ? nil : since + TimeAmount(limits.request)
      } else if requests.isEmpty {
        since + TimeAmount(places.isFull ? min(limits.crowdedIdle, limits.idle) : limits.idle)
      } else { nil }
    let block = blockedSince.map { $0 + TimeAmount(limits.write) }
    return [wait, block].compactMap(\.self).min()
  }

  /// Schedules the next check of the deadline.
  private func arm(_ context: ChannelHandlerContext) {
    guard hasPlace, !isClosing, var next = deadline else { return }
    let now = context.eventLoop.now
    if requests.isEmpty, thrownAway == nil, !isReading {
      // All places may be taken by then.
      next = min(next, max(since, now) + TimeAmount(limits.crowdedIdle))
    }
    if timer != nil, let timerDeadline, timerDeadline <= next { return }
    timer?.cancel()
    timerDeadline = next
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(deadline: next) {
      let (handler, context) = bound.value
      handler.look(context)
    }
  }

  private func look(_ context: ChannelHandlerContext) {
    timer = nil
    guard hasPlace, !isClosing else { return }
    guard let deadline, deadline <= context.eventLoop.now else { return arm(context) }
    if isReading, thrownAway == nil, !isAnswering, blockedSince == nil {
      refuse(.requestTimeout, context)
    } else {
      close(context)
    }
  }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
