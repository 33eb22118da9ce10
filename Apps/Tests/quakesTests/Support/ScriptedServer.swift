import NIOCore
import NIOPosix
import Synchronization

/// A server on a free loopback port that answers each connection's request with any bytes, and closes it.
final class ScriptedServer: Sendable {
  /// Returns the bytes of the answer to a request's head; nil never answers.
  typealias Script = @Sendable (_ head: String) -> String?

  private let channel: any Channel
  private let heads: Heads

  /// The paths that were asked for, in order.
  var paths: [String] {
    heads.all.withLock { $0 }.map { String($0.split(separator: " ").dropFirst().first ?? "") }
  }

  var base: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  private init(_ channel: any Channel, _ heads: Heads) {
    self.channel = channel
    self.heads = heads
  }

  /// Runs a server during `body`, and stops it afterwards.
  static func run<Result>(
    _ script: @escaping Script, _ body: (ScriptedServer) async throws -> Result
  ) async throws -> Result {
    let heads = Heads()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(script, heads))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(ScriptedServer(channel, heads))) } catch {
      outcome = .failure(error)
    }
    try await channel.close()
    return try outcome.get()
  }

  /// Returns an answer with a body.
  static func answer(_ body: String, status: String = "200 OK", headers: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n"
      + body
  }

  private final class Heads: Sendable {
    let all = Mutex<[String]>([])
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: Script
    private let heads: Heads
    private var head = ""

    init(_ script: @escaping Script, _ heads: Heads) {
      self.script = script
      self.heads = heads
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      head += String(buffer: unwrapInboundIn(data))
      guard head.contains("\r\n\r\n") else { return }
      let request = head
      head = ""
      heads.all.withLock { $0.append(request) }
      guard let answer = script(request) else { return }
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
      context.close(promise: nil)
    }
  }
}
