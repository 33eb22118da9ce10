import NIOCore
import NIOHTTP1

/// Keeps one connection of a server within its limits, between the HTTP decoder and everything else.
///
/// It also keeps two rules of RFC 9112 that the library below leaves open: a request names one host (section 3.2), and a
/// connection of HTTP/1.0, or one whose client says so, ends with the answer (section 9.3).
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

  /// Requests whose answers haven't ended.
  private var open = 0
  /// Whether a request's head is here and its end isn't.
  private var isReading = false
  /// Whether an answer has begun and not ended.
  private var isAnswering = false
  /// Whether the rest of a request is thrown away, and how many bytes of it were.
  private var thrownAway: Int?
  /// Whether the connection ends with the answer.
  private var isLast = false
  private var version = HTTPVersion.http1_1
  /// When what is waited for began.
  private var since = NIODeadline.now()
  /// Since when the client doesn't read.
  private var blockedSince: NIODeadline?

  /// - Parameters:
  ///   - limits: How long it waits for the client.
  ///   - places: The server's connections.
  package init(_ limits: ConnectionLimits, _ places: ConnectionPlaces) {
    self.limits = limits
    self.places = places
  }

  // MARK: The connection

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

  /// Answers by itself and closes.
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
    guard !isClosing else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      version = head.version
      let isOld = head.version.major < 1 || head.version == .http1_0
      isLast = isOld || !head.isKeepAlive
      guard isOld || head.headers["host"].count == 1 else {
        return refuse(.badRequest, context)
      }
      open += 1
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
      context.fireChannelRead(data)
      if wasAnswered, isLast { return close(context) }
    }
    arm(context)
  }

  // MARK: Answers

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
      guard isLast else { return context.write(data, promise: promise) }
      // What has no length can't be sent in chunks to a client of HTTP/1.0: the end of the connection is its end.
      head.version = version
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
    open = max(0, open - 1)
    since = context.eventLoop.now
    if open == 0, isReading {
      // Answered early: the client is given a moment to notice, so that the answer isn't lost with the connection.
      thrownAway = 0
    } else if open == 0, isLast {
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

  // MARK: Time

  /// When the client has used up its time; nil while it isn't the client who is waited for.
  private var deadline: NIODeadline? {
    let wait: NIODeadline? =
      if thrownAway != nil {
        since + TimeAmount(limits.refused)
      } else if isReading {
        since + TimeAmount(limits.request)
      } else if open == 0 {
        since + TimeAmount(places.isFull ? min(limits.crowdedIdle, limits.idle) : limits.idle)
      } else { nil }
    let block = blockedSince.map { $0 + TimeAmount(limits.write) }
    return [wait, block].compactMap(\.self).min()
  }

  /// Sees to it that the time is looked at when it may be up.
  private func arm(_ context: ChannelHandlerContext) {
    guard hasPlace, !isClosing, var next = deadline else { return }
    let now = context.eventLoop.now
    if open == 0, thrownAway == nil, !isReading {
      // The places may all be taken by then.
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
