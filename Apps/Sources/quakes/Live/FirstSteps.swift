import LocalCopy
import ServiceLifecycle

/// Informs the user who starts the server for the first time of the progress, and of the demo if
/// there is nothing to show. A store that can't be read is reported, and doesn't end the server.
struct FirstSteps: Service {
  /// Returns the number of events in the store.
  private let count: @Sendable () async throws -> Int
  /// Returns the copy's states from now on, the current one first.
  private let states: @Sendable () -> AsyncStream<LocalCopyState>

  init(
    count: @escaping @Sendable () async throws -> Int,
    states: @escaping @Sendable () -> AsyncStream<LocalCopyState>
  ) {
    self.count = count
    self.states = states
  }

  init(_ source: LiveSource) {
    self.init(count: { try await source.status().total }, states: { source.states() })
  }

  func run() async throws {
    do {
      if try await count() == 0 {
        complain("The store is empty; loading the feed …")
        try await wait()
      }
    } catch is CancellationError {
      return
    } catch {
      complain("\(error)")
    }
    try await idle()
  }

  /// Waits until the first refresh ends and reports the result.
  private func wait() async throws {
    for await state in states().cancelOnGracefulShutdown() {
      switch state {
      case .fresh, .stale:
        complain("\(try await count()) events are there.")
        return
      case .offline(let error, _, _):
        complain("The feed cannot be loaded: \(error)")
        let demo =
          [.connectionFailed, .timedOut].contains(error.code)
          ? " `quakes demo-feed` is a feed that needs no network." : ""
        complain("The page will fill itself when it can.\(demo)")
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
