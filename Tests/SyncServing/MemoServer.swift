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

  /// - Parameters:
  ///   - container: The store.
  ///   - users: Who may use it; the token of each is ``token(of:)``.
  public init(_ container: ModelContainer, users: [String]) throws {
    server = try SyncServer(
      container, models: Memo.models(),
      rules: SyncServerRules(scope: { _, values in values["owner"]?.text }))
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
    var limits = SyncRoutes.Limits()
    limits.maximumBody = Self.maximumBody
    SyncRoutes(server, limits: limits, tokens: tokens).add(to: router.group("sync"))
    var logger = Logger(label: "memos")
    logger.logLevel = .critical
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in await started(channel.localAddress?.port ?? 0) },
      logger: logger)
    try await application.run()
  }
}
