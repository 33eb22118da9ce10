import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The answer of an ``AnswerServer`` to one request.
package enum Answer: Sendable {
  case json(Int, String)
  /// Redirects the client to another path.
  case redirect(String)
  /// Sends bytes unchanged, and closes the connection.
  case raw(String)
  /// Sends bytes unchanged, and nothing more: the client has to give up.
  case stall(String)
  /// Sends bytes unchanged, and waits for the next request on the same connection.
  case kept(String)
  /// Sends bytes unchanged, and the rest in front of the next answer on the same connection, as of a body whose length
  /// was announced too small.
  case overlong(String, rest: String)
  /// Closes the connection.
  case nothing
  /// Closes the connection, and accepts no other one.
  case end
}

extension Answer {
  /// The bytes to send; nil when there are none.
  fileprivate var text: String? {
    switch self {
    case .json(let status, let body):
      "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    case .redirect(let path):
      "HTTP/1.1 307 X\r\nLocation: \(path)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    case .raw(let text), .stall(let text), .kept(let text), .overlong(let text, _): text
    case .nothing, .end: nil
    }
  }
}

/// A server on loopback that sends prepared answers in sequence, and records the requests. When the
/// answers are used up, it closes the connection.
package final class AnswerServer: Sendable {
  private struct State {
    var answers: [Answer]
    var requests: [String] = []
    var connections = 0
  }

  private let state: Mutex<State>
  private let listening = Mutex<(any Channel)?>(nil)

  private init(_ answers: [Answer]) { state = Mutex(State(answers: answers)) }

  /// The address that the server listens on.
  package var address: String {
    "http://127.0.0.1:\(listening.withLock { $0?.localAddress?.port ?? 0 })"
  }

  /// The requests so far: heads and bodies as received.
  package var requests: [String] { state.withLock { $0.requests } }

  /// The number of connections so far.
  package var connections: Int { state.withLock { $0.connections } }

  fileprivate static func start(_ answers: [Answer]) async throws -> AnswerServer {
    let server = AnswerServer(answers)
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { child in
        server.state.withLock { $0.connections += 1 }
        return child.eventLoop.makeCompletedFuture {
          try child.pipeline.syncOperations.addHandler(Replier(server))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    server.listening.withLock { $0 = channel }
    return server
  }

  fileprivate func stop() async throws {
    guard let channel = listening.withLock({ $0 }), channel.isActive else { return }
    try await channel.close()
  }

  /// Closes a connection when no other one can be made.
  fileprivate func end(_ connection: any Channel) {
    guard let listener = listening.withLock({ $0 }) else { return }
    listener.close().whenComplete { _ in connection.close(promise: nil) }
  }

  fileprivate func answer(_ text: String) -> Answer? {
    guard Self.isComplete(text) else { return nil }
    return state.withLock { state in
      state.requests.append(text)
      return state.answers.isEmpty ? .nothing : state.answers.removeFirst()
    }
  }

  private static func isComplete(_ text: String) -> Bool {
    guard let end = text.range(of: "\r\n\r\n") else { return false }
    let length = text[..<end.lowerBound].split(separator: "\r\n").lazy
      .first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
    return text[end.upperBound...].utf8.count >= length ?? 0
  }
}

/// Answers one request of a connection, or several with answers that keep it.
private final class Replier: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: AnswerServer
  private var text = ""
  private var rest = ""
  private var isAnswered = false

  init(_ server: AnswerServer) { self.server = server }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isAnswered else { return }
    text += String(buffer: unwrapInboundIn(data))
    guard let answer = server.answer(text) else { return }
    isAnswered = true
    let bytes = rest + (answer.text ?? "")
    rest = ""
    switch answer {
    case .kept: (isAnswered, text) = (false, "")
    case .overlong(_, let rest): (isAnswered, text, self.rest) = (false, "", rest)
    default: break
    }
    let channel = context.channel
    if case .end = answer { return server.end(channel) }
    let sent = context.eventLoop.makePromise(of: Void.self)
    switch answer {
    case .stall, .kept, .overlong: break
    default: sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: bytes)), promise: sent)
  }

  /// Some answers are meant to make the client give up.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// Runs a server with prepared answers during a test.
package func withAnswers<Result: Sendable>(
  _ answers: [Answer], _ body: (AnswerServer) async throws -> Result
) async throws -> Result {
  let server = try await AnswerServer.start(answers)
  let outcome: Swift.Result<Result, any Error>
  do { outcome = .success(try await body(server)) } catch { outcome = .failure(error) }
  try await server.stop()
  return try outcome.get()
}
