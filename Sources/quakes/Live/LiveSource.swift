import Foundation
import LocalCopy
import Logging
import QuakesKit
import Synchronization

/// How a refresh ended.
package enum RefreshOutcome: Hashable, Sendable {
  /// The copy is up to date, or the server ends.
  case done
  /// The copy is as it was. The feed's server may have asked for a pause, in seconds.
  case failed(retryAfter: Double?)
}

/// The store and its feed, as the web server shows them.
package final class LiveSource: QuakeSource {
  private struct Schedule {
    var nextRefresh: Date?
    var isRefreshing = false
  }

  private let store: QuakeStore
  private let feed: QuakeFeed
  private let tracker: ChangeTracker
  /// Time between refreshes.
  package let every: Duration
  private let maximumAge: Duration
  private let logger: Logger
  private let schedule = Mutex(Schedule())
  private let stream: AsyncStream<FeedUpdate>
  private let continuation: AsyncStream<FeedUpdate>.Continuation

  /// - Parameters:
  ///   - selection: the feed.
  ///   - store: the store that it fills.
  ///   - rule: which events are kept.
  ///   - every: time between refreshes; the copy counts as stale after three of them.
  ///   - logger: where failures go.
  ///   - adjust: changes the copy's configuration, for tests.
  /// - Throws: ``QuakesError`` when the store cannot be read, `LocalCopyError` for an unusable
  ///   address.
  package init(
    _ selection: FeedSelection, store: QuakeStore, rule: MagnitudeRule, every: Duration,
    logger: Logger, adjust: (inout LocalCopyConfiguration) -> Void = { _ in }
  ) throws {
    self.store = store
    self.every = every
    self.logger = logger
    let maximumAge = every * 3
    self.maximumAge = maximumAge
    tracker = ChangeTracker(limit: EventChanges.limit)
    try tracker.learn(store)
    feed = try QuakeFeed(selection, into: store, rule: rule, tracker: tracker) {
      $0.maximumAge = maximumAge
      adjust(&$0)
    }
    (stream, continuation) = AsyncStream.makeStream(
      of: FeedUpdate.self, bufferingPolicy: .bufferingNewest(64))
  }

  // MARK: What the server asks

  package func page(_ query: EventQuery) async throws -> EventPage { try store.page(query) }

  package func event(id: String) async throws -> Event? { try store.event(id: id) }

  package func status() async throws -> FeedStatus {
    let state = feed.copy.state
    let report = feed.copy.lastReport
    let next = schedule.withLock { $0.nextRefresh }
    var status = FeedStatus(
      state: .empty, lastUpdated: state.lastGood.map(Self.milliseconds),
      nextRefresh: next.map(Self.milliseconds), feedName: feed.selection.name,
      feedURL: FeedAddress.shown(feed.selection), every: Self.seconds(every),
      maximumAge: Self.seconds(maximumAge), total: try store.count(),
      lastReport: report.map { FeedStatus.Report($0) })
    switch state {
    case .empty: status.state = .empty
    case .fresh: status.state = .fresh
    case .stale: status.state = .stale
    case .refreshing(let progress, _):
      status.state = .refreshing
      status.progress = .init(bytes: progress.bytesReceived, events: progress.elements)
    case .offline(let error, let at, _):
      status.state = .offline
      status.lastError = .init(message: error.description, at: Self.milliseconds(at))
    }
    return status
  }

  package func refresh() async {
    guard claimRefresh() else { return }
    var states = feed.copy.states().makeAsyncIterator()
    let before = await states.next()
    Task { _ = await trackedRefresh(force: true) }
    // The answer should say that a refresh is running; its start is always a new state.
    if case .refreshing = before { return }
    _ = await states.next()
  }

  package func updates() async -> AsyncStream<FeedUpdate> { stream }

  // MARK: What the refresh loop does

  /// Refreshes and tells the pages what changed, or joins the refresh that is running.
  package func refreshOnce(force: Bool) async -> RefreshOutcome {
    if claimRefresh() { return await trackedRefresh(force: force) }
    return await outcome { _ = try await self.feed.copy.refresh(force: force) }
  }

  /// Only one refresh at a time may use the tracker.
  private func claimRefresh() -> Bool {
    schedule.withLock { schedule in
      defer { schedule.isRefreshing = true }
      return !schedule.isRefreshing
    }
  }

  private func trackedRefresh(force: Bool) async -> RefreshOutcome {
    defer { schedule.withLock { $0.isRefreshing = false } }
    tracker.begin()
    return await outcome {
      let report = try await feed.copy.refresh(force: force)
      let changes = tracker.commit()
      if !changes.isEmpty {
        continuation.yield(
          .changes(
            EventChanges(
              inserted: changes.inserted, updated: changes.updated,
              reload: changes.isIncomplete)))
      }
      logger.info(
        "refreshed", metadata: ["inserted": "\(report.inserted)", "updated": "\(report.updated)"])
    }
  }

  private func outcome(_ work: () async throws -> Void) async -> RefreshOutcome {
    do {
      try await work()
      return .done
    } catch is CancellationError {
      return .done  // The server ends.
    } catch {
      logger.warning("the refresh failed: \(error)")
      return .failed(retryAfter: (error as? LocalCopyError)?.retryAfter)
    }
  }

  /// Notes when the next refresh will be.
  package func planNext(_ date: Date?) {
    schedule.withLock { $0.nextRefresh = date }
    continuation.yield(.status)
  }

  /// Tells the pages of every change of the copy's state, until the task is cancelled.
  package func watch() async {
    for await state in feed.copy.states() {
      continuation.yield(.status)
      guard case .refreshing = state else { continue }
      do {
        // Progress comes as fast as the feed is read; the newest state waits for us meanwhile.
        try await Task.sleep(for: .milliseconds(200))
      } catch {
        return  // cancelled: the server ends
      }
    }
  }

  /// The copy's states from now on, the current one first.
  func states() -> AsyncStream<LocalCopyState> { feed.copy.states() }

  private static func milliseconds(_ date: Date) -> Int {
    Int((date.timeIntervalSince1970 * 1_000).rounded())
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }
}

extension FeedStatus.Report {
  fileprivate init(_ report: RefreshReport) {
    self.init(
      inserted: report.inserted, updated: report.updated, unchanged: report.unchanged,
      skipped: report.skipped, bytes: report.bytesReceived, duration: report.duration,
      notModified: report.notModified)
  }
}
