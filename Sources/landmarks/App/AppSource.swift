import Foundation
import LandmarksKit
import LocalCopy
import Synchronization

/// The device's store with its exchange with the server, as page and command line use it.
final class AppSource: Sendable {
  private struct State {
    var phase = AppStatus.State.waiting
    var message: String?
  }

  let store: LandmarkStore
  let server: URL
  private let feed: LandmarkFeed
  private let sync: any LandmarksSync
  private let state = Mutex(State())
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  private let wishes: AsyncStream<Void>
  private let wish: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - store: the device's store.
  ///   - server: the server's address.
  ///   - token: the bearer token; nil sends none.
  ///   - sync: exchanges favourites and reservations; by default with the server, by resource.
  /// - Throws: `LocalCopyError` for an unusable address or store.
  init(
    _ store: LandmarkStore, server: URL, token: String?, sync: (any LandmarksSync)? = nil
  ) throws {
    self.store = store
    self.server = server
    feed = try LandmarkFeed(server, token: token, into: store.container)
    self.sync = sync ?? RESTSync(store, server: server, token: { token })
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Something that the page shows has changed. For one reader.
  var pageChanges: AsyncStream<Void> { changes }

  /// Somebody wants an exchange. For one reader.
  var exchangeWishes: AsyncStream<Void> { wishes }

  func status() throws -> AppStatus {
    let (phase, message) = state.withLock { ($0.phase, $0.message) }
    return AppStatus(
      state: phase, lastUpdated: feed.copy.state.lastGood,
      pending: try store.pendingChanges().count, message: message, server: shownServer)
  }

  /// Address without anything that may be secret.
  var shownServer: String {
    "\(server.scheme ?? "http")://\(server.host() ?? "")" + (server.port.map { ":\($0)" } ?? "")
  }

  /// The store was changed here: tells the pages. The exchange follows from the store's history.
  func edited() { changed.yield() }

  /// Asks for an exchange as soon as one can be made.
  func wantExchange() { wish.yield() }

  /// Tells the pages of changes to the store, and asks for an exchange after edits, by whichever
  /// program, until the task is cancelled.
  func follow() async throws {
    for try await transaction in store.container.remoteChanges() {
      changed.yield()
      if transaction.author == nil { wish.yield() }
    }
  }

  /// Brings the landmarks up to date and exchanges what both sides changed.
  /// - Throws: `LandmarksError`, `LocalCopyError` or `CancellationError`.
  func exchange() async throws -> (landmarks: RefreshReport, sync: SyncReport) {
    note(.syncing, nil)
    do {
      let landmarks = try await feed.copy.refresh(force: true)
      let report = try await sync.synchronize()
      note(.synced, nil)
      return (landmarks, report)
    } catch {
      note(Self.phase(after: error), Self.message(error))
      throw error
    }
  }

  private func note(_ phase: AppStatus.State, _ message: String?) {
    state.withLock { state in
      state.phase = phase
      state.message = message
    }
    changed.yield()
  }

  private static func phase(after error: any Error) -> AppStatus.State {
    switch error {
    case is CancellationError: return .waiting
    case let error as LandmarksError: return error.code == .serverUnavailable ? .offline : .paused
    case let error as LocalCopyError:
      if [401, 403].contains(error.httpStatus) { return .paused }
      let isAway: [LocalCopyError.Code] = [
        .connectionFailed, .timedOut, .throttled, .httpStatus, .truncated,
      ]
      return isAway.contains(error.code) ? .offline : .paused
    default: return .paused
    }
  }

  static func message(_ error: any Error) -> String? {
    switch error {
    case is CancellationError: nil
    case let error as LocalCopyError where [401, 403].contains(error.httpStatus):
      "The server does not accept the token; check LANDMARKS_TOKEN."
    case let error as LocalCopyError: error.description
    case let error as LandmarksError: error.description
    default: "Unexpected: \(error)"
    }
  }
}
