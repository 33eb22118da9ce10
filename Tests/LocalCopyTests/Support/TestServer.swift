import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The reply of a test server.
struct Reply: Sendable {
  enum Ending: Sendable { case complete, cut, hang }

  var status = 200
  var headers: [String: String] = [:]
  var pieces: [[UInt8]] = []
  var ending = Ending.complete

  static func json(_ text: String, headers: [String: String] = [:]) -> Reply {
    Reply(headers: headers, pieces: [Array(text.utf8)])
  }
}

/// A request that the server received.
struct SeenRequest: Sendable {
  let uri: String
  let headers: HTTPHeaders
}

/// A real HTTP server on a free port of the loopback interface.
final class TestServer: Sendable {
  typealias Script = @Sendable (_ request: SeenRequest, _ number: Int) -> Reply

  private let channel: any Channel
  private let log: Log

  var requests: [SeenRequest] { log.all }
  var port: Int { channel.localAddress?.port ?? 0 }
  var url: URL { url("/feed.json") }

  func url(_ path: String) -> URL {
    var parts = URLComponents()
    parts.scheme = "http"
    parts.host = "127.0.0.1"
    parts.port = port
    parts.path = path
    return parts.url ?? URL(filePath: "/")
  }

  private init(_ channel: any Channel, _ log: Log) {
    self.channel = channel
    self.log = log
  }

  /// The requests so far, in order, and the tasks that wait for one.
  final class Log: Sendable {
    private struct State {
      var requests: [SeenRequest] = []
      var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    var all: [SeenRequest] { state.withLock { $0.requests } }

    func add(_ request: SeenRequest) -> Int {
      let (count, due) = state.withLock { state in
        state.requests.append(request)
        let count = state.requests.count
        let due = state.waiters.filter { $0.count <= count }.map(\.continuation)
        state.waiters.removeAll { $0.count <= count }
        return (count, due)
      }
      for continuation in due { continuation.resume() }
      return count
    }

    func wait(for count: Int) async {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          guard state.requests.count < count else { return true }
          state.waiters.append((count, continuation))
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }

  /// Waits until the server has received a number of requests.
  func waitForRequests(_ count: Int) async { await log.wait(for: count) }

  /// Runs a server during a test and stops it afterwards.
  static func run<Result>(
    _ script: @escaping Script, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let log = Log()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(ReplyHandler(script, log))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let server = TestServer(channel, log)
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(server)) } catch { outcome = .failure(error) }
    try await channel.close()
    return try outcome.get()
  }
}

private final class ReplyHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let script: TestServer.Script
  private let log: TestServer.Log
  private var head: HTTPRequestHead?

  init(_ script: @escaping TestServer.Script, _ log: TestServer.Log) {
    self.script = script
    self.log = log
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body: break
    case .end:
      guard let head else { return }
      let request = SeenRequest(uri: head.uri, headers: head.headers)
      reply(script(request, log.add(request)), context)
    }
  }

  private func reply(_ reply: Reply, _ context: ChannelHandlerContext) {
    let head = HTTPResponseHead(
      version: .http1_1, status: .init(statusCode: reply.status),
      headers: HTTPHeaders(reply.headers.map { ($0, $1) }))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    for piece in reply.pieces {
      let buffer = context.channel.allocator.buffer(bytes: piece)
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }
    switch reply.ending {
    case .complete: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    case .hang: context.flush()
    case .cut:
      context.flush()
      context.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
