import Hummingbird
import Logging
import SwiftData
import SwiftDataSync
import SwiftDataSyncServer

/// A server of memos on loopback, as an application would put it together.
public struct MemoServer: Sendable {
  /// The most bytes of a push.
  public static let maximumBody = 2_000_000

  private let server: SyncServer
  private let tokens: SyncTokens
  private let connections: SyncConnections
  private let limits: SyncRoutes.Limits

  /// - Parameters:
  ///   - container: The store.
  ///   - users: Who may use it; the token of each is ``token(of:)``.
  ///   - connections: How many there may be, and how patient it is.
  ///   - limits: How much a request may bring; the body of a push is at most ``maximumBody``.
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
  ///   - port: 0 for any that is free.
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
