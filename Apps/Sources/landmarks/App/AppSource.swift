import Foundation
import LandmarksKit
import LocalCopy
import SwiftData
import SwiftDataSync
import Synchronization

/// The device's store and its exchange with the server, for the page and the command line.
final class AppSource: Sendable {
  private struct Refresh {
    var isUnderWay = false
    var failure: LocalCopyError?
    /// Why a token that was given at the start can't be used.
    var refusal: LandmarksError?
  }

  /// Whether the user has switched the exchange off.
  private let isOff = Mutex(false)
  /// Whether the user requested an exchange, in contrast to one that is merely due.
  private let isWished = Mutex(false)

  let store: LandmarkStore
  /// The clock by which dates and edits are judged.
  let clock: DeviceClock
  let account: DeviceAccount
  let sync: LandmarkSync
  /// The copy of the landmarks, with the token that it sends.
  private let feeds: Mutex<(token: String?, feed: LandmarkFeed)>
  private let refresh = Mutex(Refresh())
  /// The time at which the server was last found to go on with an older copy of its data.
  private let restored = Mutex(Date?.none)
  /// Held while an edit is made: of two deliveries of one edit, the second must find the key of the first.
  private let editing = Mutex(())
  /// The time of the last exchange before this program started.
  private let lastPullBefore: Date?
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  private let wishes: AsyncStream<Void>
  private let wish: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - store: The device's store.
  ///   - server: The server's address.
  ///   - token: The bearer token that was given at the start; nil takes that of a session, which is kept beside a store
  ///     in a file.
  ///   - every: The time between exchanges when there are no changes.
  ///   - clock: The device's clock.
  ///   - session: The file of the session; nil takes the one beside the store.
  /// - Throws: `LocalCopyError` for an unusable address or store, `LandmarksError`.
  init(
    _ store: LandmarkStore, server: URL, token: String?, every: Duration = .seconds(30),
    clock: DeviceClock = DeviceClock(), session: SessionFile? = nil
  ) throws {
    self.store = store
    self.clock = clock
    let account = DeviceAccount(
      server, token: token, file: session ?? store.file.map(SessionFile.init),
      hasOwner: try store.owner() != nil)
    self.account = account
    feeds = Mutex((token, try LandmarkFeed(server, token: token, into: store.container)))
    var timing = SyncTiming()
    timing.pullInterval = every
    timing.maximumDelay = min(timing.maximumDelay, every)
    sync = try LandmarkSync(store, server: server, timing: timing, token: { try account.token() })
    lastPullBefore = sync.engine.status.state.lastPull
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Signals that the page's contents have changed. For one reader.
  var pageChanges: AsyncStream<Void> { changes }

  /// Signals that an exchange was requested. For one reader.
  var exchangeWishes: AsyncStream<Void> { wishes }

  func status() async throws -> AppStatus { try status(try await sync.waiting()) }

  func status(_ waiting: [WaitingChange]) throws -> AppStatus {
    let (phase, message) = phase()
    var (signIn, user) = (DeviceAccount.State.signedOut, String?.none)
    do { (signIn, user) = try account.state() } catch {
      // The message has the reason, and another sign-in replaces the file.
    }
    let feed = feeds.withLock { $0.feed }
    return AppStatus(
      state: phase, lastUpdated: try feed.copy.state.lastGood ?? store.lastRefreshed(),
      pending: waiting.count, message: message, server: shownServer,
      signIn: signIn == .signedIn && isTokenRefused ? .ended : AppStatus.SignIn(signIn),
      user: try user ?? store.owner()?.user, restored: restored.withLock { $0 })
  }

  /// The server's address without parts that may be secret.
  var shownServer: String {
    let server = account.server
    return "\(server.scheme ?? "http")://\(server.host() ?? "")"
      + (server.port.map { ":\($0)" } ?? "")
  }

  /// Notifies the pages that this program changed the store. The exchange starts from the store's
  /// history.
  func edited() { changed.yield() }

  /// Makes an edit of the page, once for each key.
  /// - Throws: as `LandmarkStore.make(_:key:now:)`.
  func make(_ edit: LandmarkEdit, key: EditKey?) throws {
    try editing.withLock { _ in _ = try store.make(edit, key: key, now: clock.now) }
    edited()
  }

  /// Requests an exchange as soon as possible, including the changes that were set aside. Switches it on.
  func wantExchange() {
    isOff.withLock { $0 = false }
    isWished.withLock { $0 = true }
    wish.yield()
  }

  /// Whether the user has switched the exchange off, so that no exchange begins.
  var isWorkingOffline: Bool { isOff.withLock { $0 } }

  /// Switches the exchange off until it is switched on or requested, or the program ends. A request that is under way
  /// ends as it would.
  func workOffline() async {
    isOff.withLock { $0 = true }
    await sync.engine.pause()
    // It was switched on meanwhile.
    if !isWorkingOffline { await sync.engine.resume() }
    changed.yield()
  }

  /// Resumes the exchange if it is paused, unless the user has switched it off.
  func resume() async {
    await sync.resume()
    if isWorkingOffline { await sync.engine.pause() }
  }

  /// Retries everything that was set aside, unless the user has switched the exchange off.
  /// - Throws: `LandmarksError`.
  func retry() async throws {
    try await sync.retry()
    if isWorkingOffline { await sync.engine.pause() }
  }

  /// Requests the landmarks as soon as possible.
  func wantRefresh() { wish.yield() }

  /// Returns whether an exchange was requested since the last call.
  func takeWish() -> Bool {
    isWished.withLock { isWished in
      defer { isWished = false }
      return isWished
    }
  }

  /// Notifies the pages of changes to the store by any program, until the task is cancelled.
  ///
  /// Changes whose history was deleted before they were read count as one change of anything, and so do those that were
  /// made while the store could not be read.
  /// - Parameters:
  ///   - token: The position in the history to begin after; nil begins now.
  ///   - pause: The delay after a failure.
  ///   - onFailure: Receives the failures.
  func followStore(
    after token: DefaultHistoryToken? = nil, pause: Duration = .seconds(5),
    onFailure: (any Error) -> Void = { _ in }
  ) async {
    var changes = store.container.remoteChanges(after: token)
    while !Task.isCancelled {
      do {
        for try await _ in changes { changed.yield() }
        return
      } catch is CancellationError {
        return
      } catch SwiftDataError.historyTokenExpired {
      } catch {
        onFailure(error)
        do { try await Task.sleep(for: pause) } catch { return }
      }
      // Begin before the signal: the pages read the store after it.
      changes = store.container.remoteChanges()
      changed.yield()
    }
  }

  /// Notifies the pages of the progress of the exchange, until the task is cancelled.
  func followExchange() async {
    var shown: AppStatus.State?
    var counts: [Int] = []
    var restoredCount = 0
    for await state in sync.engine.status.states {
      if state.restoredCount > restoredCount { restored.withLock { $0 = clock.now } }
      restoredCount = state.restoredCount
      // A push and the pull that follows it have the same state.
      let (phase, now) = (
        phase().0, [state.pendingCount, state.quarantinedCount, restoredCount]
      )
      guard phase != shown || now != counts else { continue }
      (shown, counts) = (phase, now)
      changed.yield()
    }
  }

  /// Returns the copy of the landmarks with the present token.
  private func feed() throws -> LandmarkFeed {
    let token = try account.token()
    return try feeds.withLock { feeds in
      if feeds.token != token {
        feeds = (
          token, try LandmarkFeed(account.server, token: token, into: store.container)
        )
      }
      return feeds.feed
    }
  }

  /// Forgets the last failure of the landmarks: a sign-in may have ended its cause.
  func forgetFailure() { note { $0 = Refresh() } }

  /// Brings the landmarks up to date.
  /// - Throws: `LandmarksError` when nobody is signed in, `LocalCopyError` or `CancellationError`.
  func refreshLandmarks() async throws -> RefreshReport {
    do { try await confirmOwner() } catch let error as LandmarksError {
      note { $0 = Refresh(refusal: error) }
      throw error
    }
    let feed = try feed()
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

// MARK: - Status

extension AppSource {
  private func phase() -> (AppStatus.State, message: String?) {
    let state = sync.engine.status.state
    let refresh = refresh.withLock { $0 }
    if store.isGone { return (.paused, "The store can't be used: \(LandmarkStore.gone).") }
    if isWorkingOffline { return (.off, nil) }
    do {
      switch try account.state().state {
      case .signedOut: return (.paused, Self.signedOut)
      case .signedIn where isTokenRefused: return (.paused, Self.ended)
      case .token where account.unconfirmedToken != nil: return unconfirmedPhase(refresh.refusal)
      default: break
      }
    } catch { return (.paused, (error as? LandmarksError)?.description ?? "\(error)") }
    switch state.activity {
    case .paused(.authentication): return (.paused, Self.badToken)
    case .paused(.failure(let message)): return (.paused, message)
    // It was switched on, and continues soon.
    case .paused(.requested): return (.syncing, nil)
    case .offline: return (.offline, Self.away)
    case .waiting(let message): return (.offline, message)
    case .pushing, .pulling: return (.syncing, nil)
    case .idle: break
    }
    if refresh.isUnderWay { return (.syncing, nil) }
    if let failure = refresh.failure {
      return (Self.isAway(failure) ? .offline : .paused, Self.message(failure))
    }
    return (state.lastPull == lastPullBefore ? .idle : .synced, nil)
  }

  /// The state as long as it isn't known whose token was given at the start.
  private func unconfirmedPhase(_ refusal: LandmarksError?) -> (AppStatus.State, message: String?) {
    switch refusal?.code {
    case nil: (.idle, nil)
    case .serverUnavailable: (.offline, Self.away)
    case .unauthorized: (.paused, Self.badToken)
    default: (.paused, refusal?.description)
    }
  }

  static func isAway(_ error: LocalCopyError) -> Bool {
    if [401, 403].contains(error.httpStatus) { return false }
    let away: [LocalCopyError.Code] = [
      .connectionFailed, .timedOut, .throttled, .httpStatus, .truncated,
    ]
    return away.contains(error.code)
  }

  /// Whether the server doesn't accept the token.
  private var isTokenRefused: Bool {
    if case .paused(.authentication) = sync.engine.status.state.activity { return true }
    return refresh.withLock { $0.failure?.httpStatus == 401 }
  }

  private static let away = "The server does not answer; changes stay here and wait."
  private static let badToken =
    "The server does not accept the token; sign in again, or check LANDMARKS_TOKEN."
  private static let signedOut = "Changes are kept here and wait until you sign in."
  private static let ended =
    "The sign-in has ended. Changes are kept here and wait until you sign in again."

  /// Returns the message for a failure of the exchange, safe to show.
  /// - Parameter kept: The fate of the changes that the user has made.
  static func message(_ error: LocalCopyError, kept: String = kept) -> String {
    if [401, 403].contains(error.httpStatus) { return badToken }
    let place = error.source.map { " (\($0))" } ?? ""
    switch error.code {
    case .connectionFailed: return "The server can't be reached\(place). \(kept)"
    case .timedOut: return "The server did not answer in time\(place). \(kept)"
    case .throttled: return "The server is busy\(place). \(kept)"
    case .httpStatus:
      return "The server answered with status \(error.httpStatus ?? 0)\(place). \(kept)"
    case .truncated: return "The server's answer broke off\(place). \(kept)"
    case .limitExceeded, .refusedDocument:
      return "The server's answer can't be taken\(place): \(error.reason)."
    case .redirectRefused:
      return "The server leads to another place\(place): \(error.reason). Check its address."
    case .invalidSource, .storeFailed, .stateUnreadable, .fileUnreadable: return error.description
    default:
      return "The server sent something other than landmarks\(place): \(error.reason). "
        + "Check its address."
    }
  }

  static let kept = "Changes are kept here and wait."

  /// Returns the message for a failure of the exchange, safe to show.
  static func message(_ failure: SyncFailure) -> String {
    switch failure.kind {
    case .authentication, .forbidden: badToken
    default: failure.message
    }
  }
}
