import Foundation
import LandmarksKit
import LocalApp
import Logging
import ServiceLifecycle

/// The REST server of `landmarks serve`.
struct LandmarksServer: Sendable {
  private let place: LocalServer.Settings
  private let responder: ServerResponder
  private let logger: Logger

  /// - Parameters:
  ///   - place: The address and the limits of the server.
  ///   - store: The store that it serves.
  ///   - tokens: The users with tokens that were given to the server; nil for none.
  ///   - signIn: The sign-in for users with passwords; nil for none.
  ///   - faults: Its faults on purpose.
  ///   - logger: The logger for failures.
  init(
    _ place: LocalServer.Settings, store: ServedStore, tokens: BearerTokens?,
    signIn: SignIn? = nil, faults: ServerFaults = ServerFaults(percentage: 0), logger: Logger
  ) {
    self.place = place
    self.logger = logger
    responder = ServerResponder(
      store: store, tokens: tokens, signIn: signIn, faults: faults, logger: logger)
  }

  /// Runs until the task is cancelled or its service group shuts down.
  func run(onListening: @escaping @Sendable (String) async -> Void) async throws {
    try await LocalServer(place, services: [], logger: logger)
      .run(responder, onListening: onListening)
  }
}
