import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// What an ``AnswerServer`` says to one request.
package enum Answer: Sendable {
  case json(Int, String)
  /// Sends the client to another path.
  case redirect(String)
  /// Hangs up.
  case nothing
}

extension Answer {
  /// It as it goes over the line; nil when nothing does.
  fileprivate var text: String? {
    switch self {
    case .json(let status, let body):
      "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    case .redirect(let path):
      "HTTP/1.1 307 X\r\nLocation: \(path)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    case .nothing: nil
    }
  }
}

/// A server on loopback that gives prepared answers, one after the other, and keeps the requests.
/// When the answers are used up, it hangs up.
package final class AnswerServer: Sendable {
  private struct State {
    var answers: [Answer]
    var requests: [String] = []
  }

  private let state: Mutex<State>
  private let channel: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>
  /// Where it listens.
  package let address: String

  fileprivate init(_ answers: [Answer]) async throws {
    state = Mutex(State(answers: answers))
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { child in
        child.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: child)
        }
      }
    address = "http://127.0.0.1:\(channel.channel.localAddress?.port ?? 0)"
  }

  /// The requests so far: heads and bodies as they came.
  package var requests: [String] { state.withLock { $0.requests } }

  fileprivate func run() async throws {
    try await channel.executeThenClose { clients in
      for try await client in clients { try await serve(client) }
    }
  }

  private func serve(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
    try await client.executeThenClose { inbound, outbound in
      var text = ""
      for try await piece in inbound {
        text += String(buffer: piece)
        guard Self.isComplete(text) else { continue }
        let answer = state.withLock { state in
          state.requests.append(text)
          return state.answers.isEmpty ? Answer.nothing : state.answers.removeFirst()
        }
        if let text = answer.text { try await outbound.write(ByteBuffer(string: text)) }
        return
      }
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

/// Runs a server with prepared answers while a test works with it.
package func withAnswers<Result: Sendable>(
  _ answers: [Answer], _ body: (AnswerServer) async throws -> Result
) async throws -> Result {
  let server = try await AnswerServer(answers)
  let running = Task { try await server.run() }
  defer { running.cancel() }
  return try await body(server)
}
