import NIOCore
import NIOPosix
import Synchronization

/// Passes connections on to several servers in turn, as a plain proxy in front of them does; to the next one when a
/// server is gone.
final class TCPProxy: Sendable {
  private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private struct NoServer: Error {}

  private let ports: [Int]
  private let turn = Mutex(0)

  private init(_ ports: [Int]) { self.ports = ports }

  /// Runs a proxy while `body` runs.
  /// - Parameter ports: The ports of the servers on this machine.
  static func run<Result: Sendable>(
    to ports: [Int], _ body: @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let proxy = TCPProxy(ports)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try Connection(wrappingChannelSynchronously: channel)
        }
      }
    let port = listener.channel.localAddress?.port ?? 0
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await proxy.accept(listener) }
      defer { group.cancelAll() }
      return try await body(port)
    }
  }

  private func accept(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
    try await listener.executeThenClose { clients in
      await withDiscardingTaskGroup { group in
        do {
          for try await client in clients {
            group.addTask {
              // A connection that breaks concerns its two ends only.
              do { try await self.relay(client) } catch {}
            }
          }
        } catch {}
        group.cancelAll()
      }
    }
  }

  private func relay(_ client: Connection) async throws {
    try await client.executeThenClose { request, response in
      let server = try await connect()
      try await server.executeThenClose { answer, question in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { for try await piece in request { try await question.write(piece) } }
          group.addTask { for try await piece in answer { try await response.write(piece) } }
          // The end of one side ends the other.
          try await group.next()
          group.cancelAll()
        }
      }
    }
  }

  private func connect() async throws -> Connection {
    for _ in ports {
      let place = turn.withLock { turn in
        turn += 1
        return turn % ports.count
      }
      do {
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .connect(host: "127.0.0.1", port: ports[place]) { channel in
            channel.eventLoop.makeCompletedFuture {
              try Connection(wrappingChannelSynchronously: channel)
            }
          }
      } catch { continue }
    }
    throw NoServer()
  }
}
