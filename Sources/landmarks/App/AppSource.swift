import Foundation
import LandmarksKit
import LocalCopy
import SwiftDataSync
import Synchronization

/// The device's store with its exchange with the server, as page and command line use it.
final class AppSource: Sendable {
  private struct Refresh {
    var isUnderWay = false
    var failure: LocalCopyError?
  }

  /// Whether the user wants an exchange, and not only the time has come.
  private let isWished = Mutex(false)

  let store: LandmarkStore
  let server: URL
  let sync: LandmarkSync
  private let feed: LandmarkFeed
  private let refresh = Mutex(Refresh())
  /// The last exchange before this program.
  private let lastPullBefore: Date?
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  private let wishes: AsyncStream<Void>
  private let wish: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - store: the device's store.
  ///   - server: the server's address.
  ///   - token: the bearer token; nil sends none.
  ///   - every: the time between exchanges when nothing happens.
  /// - Throws: `LocalCopyError` for an unusable address or store, `LandmarksError`.
  init(
    _ store: LandmarkStore, server: URL, token: String?, every: Duration = .seconds(30)
  ) throws {
    self.store = store
    self.server = server
    feed = try LandmarkFeed(server, token: token, into: store.container)
    var timing = SyncTiming()
    timing.pullInterval = every
    timing.maximumDelay = min(timing.maximumDelay, every)
    sync = try LandmarkSync(store, server: server, timing: timing, token: { token })
    lastPullBefore = sync.engine.status.state.lastPull
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Something that the page shows has changed. For one reader.
  var pageChanges: AsyncStream<Void> { changes }

  /// Somebody wants an exchange. For one reader.
  var exchangeWishes: AsyncStream<Void> { wishes }

  func status() async throws -> AppStatus { try status(try await sync.waiting()) }

  func status(_ waiting: [WaitingChange]) throws -> AppStatus {
    let (phase, message) = phase()
    return AppStatus(
      state: phase, lastUpdated: try feed.copy.state.lastGood ?? store.lastRefreshed(),
      pending: waiting.count, message: message, server: shownServer)
  }

  /// Address without anything that may be secret.
  var shownServer: String {
    "\(server.scheme ?? "http")://\(server.host() ?? "")" + (server.port.map { ":\($0)" } ?? "")
  }

  /// The store was changed here: tells the pages. The exchange follows from the store's history.
  func edited() { changed.yield() }

  /// Asks for an exchange as soon as one can be made, also of what was set aside.
  func wantExchange() {
    isWished.withLock { $0 = true }
    wish.yield()
  }

  /// Asks for the landmarks, as soon as they can be had.
  func wantRefresh() { wish.yield() }

  /// Whether somebody has wanted an exchange since this was asked last.
  func takeWish() -> Bool {
    isWished.withLock { isWished in
      defer { isWished = false }
      return isWished
    }
  }

  /// Tells the pages of changes to the store, by whichever program, until the task is cancelled.
  func followStore() async throws {
    for try await _ in store.container.remoteChanges() { changed.yield() }
  }

  /// Tells the pages what the exchange does, until the task is cancelled.
  func followExchange() async {
    var shown: AppStatus.State?
    var counts: [Int] = []
    for await state in sync.engine.status.states {
      // A push and the pull after it look the same.
      let (phase, now) = (phase().0, [state.pendingCount, state.parkedCount])
      guard phase != shown || now != counts else { continue }
      (shown, counts) = (phase, now)
      changed.yield()
    }
  }

  /// Brings the landmarks up to date.
  /// - Throws: `LocalCopyError` or `CancellationError`.
  func refreshLandmarks() async throws -> RefreshReport {
    note { $0.isUnderWay = true }
    do {
      let report = try await feed.copy.refresh(force: true)
      note { $0 = Refresh() }
      return report
    } catch {
      note { $0 = Refresh(failure: error as? LocalCopyError) }
      throw error
    }
  }

  /// Brings the landmarks up to date and exchanges what both sides changed.
  /// - Throws: `LandmarksError`, `LocalCopyError`, `SyncFailure` or `CancellationError`.
  func exchange() async throws -> (landmarks: RefreshReport, sync: SyncReport) {
    let landmarks = try await refreshLandmarks()
    return (landmarks, try await sync.exchange())
  }

  private func note(_ change: (inout Refresh) -> Void) {
    refresh.withLock { change(&$0) }
    changed.yield()
  }
}

// MARK: - How it stands

extension AppSource {
  private func phase() -> (AppStatus.State, message: String?) {
    let state = sync.engine.status.state
    let refresh = refresh.withLock { $0 }
    switch state.activity {
    case .paused(.authentication): return (.paused, Self.badToken)
    case .paused(.failure(let message)): return (.paused, message)
    case .paused(.requested): return (.paused, nil)
    case .offline: return (.offline, "The server does not answer; changes stay here and wait.")
    case .waiting(let message): return (.offline, message)
    case .pushing, .pulling: return (.syncing, nil)
    case .idle: break
    }
    if refresh.isUnderWay { return (.syncing, nil) }
    if let failure = refresh.failure {
      return (Self.isAway(failure) ? .offline : .paused, Self.message(failure))
    }
    return (state.lastPull == lastPullBefore ? .waiting : .synced, nil)
  }

  private static func isAway(_ error: LocalCopyError) -> Bool {
    if [401, 403].contains(error.httpStatus) { return false }
    let away: [LocalCopyError.Code] = [
      .connectionFailed, .timedOut, .throttled, .httpStatus, .truncated,
    ]
    return away.contains(error.code)
  }

  private static let badToken = "The server does not accept the token; check LANDMARKS_TOKEN."

  /// What to say of a failure of the exchange, safe to show.
  static func message(_ error: LocalCopyError) -> String {
    [401, 403].contains(error.httpStatus) ? badToken : error.description
  }

  /// What to say of a failure of the exchange, safe to show.
  static func message(_ failure: SyncFailure) -> String {
    switch failure.kind {
    case .authentication, .forbidden: badToken
    default: failure.message
    }
  }
}
