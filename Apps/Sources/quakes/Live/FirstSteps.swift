import LocalCopy
import ServiceLifecycle

/// Informs the user who starts the server for the first time of the progress, and of the demo if
/// there is nothing to show.
struct FirstSteps: Service {
  let source: LiveSource

  func run() async throws {
    do {
      guard try await source.status().total == 0 else { return try await idle() }
      complain("The store is empty; loading the feed …")
      try await wait()
    } catch is CancellationError {
      return
    }
    try await idle()
  }

  /// Waits until the first refresh ends and reports the result.
  private func wait() async throws {
    for await state in source.states().cancelOnGracefulShutdown() {
      switch state {
      case .fresh, .stale:
        complain("\(try await source.status().total) events are there.")
        return
      case .offline(let error, _, _):
        complain("The feed cannot be loaded: \(error)")
        complain(
          "The page will fill itself when it can. `make demo` shows everything without a network.")
        return
      case .empty, .refreshing: continue
      }
    }
  }

  /// Waits for the shutdown: a service that returns would end the others.
  private func idle() async throws {
    try await gracefulShutdown()
  }
}
