import Hummingbird
import Logging
import SwiftData
import SwiftDataSync
import SwiftDataSyncServer

/// A server of memos on loopback, assembled as in an application.
public struct MemoServer: Sendable {
  /// The maximum size of a push, in bytes.
  public static let maximumBody = 2_000_000

  private let server: SyncServer
  private let tokens: SyncTokens
  private let connections: SyncConnections
  private let limits: SyncRoutes.Limits

  /// - Parameters:
  ///   - container: The store.
  ///   - users: The users; the token of each is ``token(of:)``.
  ///   - connections: The number of connections and their time limits.
  ///   - limits: The limits of a request; the body of a push has at most ``maximumBody`` bytes.
  public init(
    _ container: ModelContainer, users: [String],
    connections: SyncConnections = SyncConnections(),
    limits: SyncRoutes.Limits = SyncRoutes.Limits()
  ) throws {
    server = try SyncServer(
      container, models: Memo.models(),
      rules: SyncServerRules(scope: { _, values in values["owner"]?.text }))
    self.connections = connections
    self.limits = limits
    tokens = try SyncTokens(users.map { ($0, Self.token(of: $0)) })
  }

  public static func token(of user: String) -> String { "the-token-of-\(user)-0123456789" }

  /// Serves until the task is cancelled.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for any free one.
  ///   - started: Called with the port.
  public func run(port: Int, started: @escaping @Sendable (Int) async -> Void) async throws {
    let router = Router()
    var limits = limits
    limits.maximumBody = Self.maximumBody
    SyncRoutes(server, limits: limits, tokens: tokens).add(to: router.group("sync"))
    var logger = Logger(label: "memos")
    logger.logLevel = .critical
    let application = connections.application(
      router, on: .hostname("127.0.0.1", port: port), logger: logger,
      onServerRunning: { channel in await started(channel.localAddress?.port ?? 0) })
    try await application.run()
  }
}
