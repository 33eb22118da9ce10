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

/// The store and its feed, as the web server and the terminal show them. What changes is read from
/// the store, so that refreshes of other processes show as this one's own do.
package final class LiveSource: QuakeSource {
  /// What was not told yet: however much happens, no more than that.
  private struct News {
    var changes = EventChanges()
    var hasStatus = false

    mutating func take() -> FeedUpdate? {
      if !changes.isEmpty {
        defer { changes = EventChanges() }
        return .changes(changes)
      }
      defer { hasStatus = false }
      return hasStatus ? .status : nil
    }
  }

  /// Time between two looks at what others noted of the copy: a refresh that finds nothing new
  /// changes no event, and nothing else tells of it.
  private static let lookInterval = Duration.seconds(2)
  /// The pause after the store could not be read.
  private static let failurePause = Duration.seconds(5)

  private let store: QuakeStore
  private let feed: QuakeFeed
  private let follower: StoreFollower
  /// Time between refreshes.
  package let every: Duration
  private let maximumAge: Duration
  private let logger: Logger
  /// When the feed is loaded next.
  let plan = RefreshPlan()
  private let isAsked = Mutex(false)
  private let news = Mailbox(News())

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
    follower = try StoreFollower(store)
    feed = try QuakeFeed(selection, into: store, rule: rule) {
      $0.maximumAge = maximumAge
      adjust(&$0)
    }
  }

  // MARK: What the server asks

  package func page(_ query: EventQuery) async throws -> EventPage { try store.page(query) }

  package func event(id: String) async throws -> Event? { try store.event(id: id) }

  package func status() async throws -> FeedStatus {
    let state = feed.copy.state
    let report = feed.copy.lastReport
    var status = FeedStatus(
      state: .empty, lastUpdated: state.lastGood.map(Self.milliseconds),
      nextRefresh: plan.date.map(Self.milliseconds), feedName: feed.selection.name,
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
    let isFirst = isAsked.withLock { isAsked in
      defer { isAsked = true }
      return !isAsked
    }
    guard isFirst else { return }
    var states = feed.copy.states().makeAsyncIterator()
    let before = await states.next()
    Task {
      _ = await refreshOnce(force: true)
      isAsked.withLock { $0 = false }
    }
    // The answer should say that a refresh is running; its start is always a new state.
    if case .refreshing = before { return }
    _ = await states.next()
  }

  package func updates() async -> AsyncStream<FeedUpdate> {
    AsyncStream(unfolding: { [news] in await news.next { $0.take() } })
  }

  // MARK: What the refresh loop does

  /// Refreshes, or joins the refresh that is running. What it changes is told by ``keepUp()``.
  package func refreshOnce(force: Bool) async -> RefreshOutcome {
    await outcome {
      let report = try await feed.copy.refresh(force: force)
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

  /// Plans the next refresh.
  /// - Parameter pause: the time until then; nil when it begins now.
  func planNext(_ pause: Duration?) {
    plan.set(pause)
    news.put { $0.hasStatus = true }
  }

  // MARK: Keeping up

  /// Tells the pages what happens to the store and to the copy, by whomever, until the task is
  /// cancelled.
  package func keepUp() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followStates() }
      group.addTask { await self.followStore() }
      group.addTask { await self.lookForOthers() }
      await group.waitForAll()
    }
  }

  private func followStates() async {
    for await state in feed.copy.states() {
      news.put { $0.hasStatus = true }
      guard case .refreshing = state else { continue }
      // Progress comes as fast as the feed is read; the newest state waits for us meanwhile.
      guard await Self.pause(.milliseconds(200)) else { return }
    }
  }

  private func followStore() async {
    var follower = follower
    while !Task.isCancelled {
      do {
        try await follower.run { changes in
          // First the state: who is told of the changes may ask for it.
          self.catchUp()
          self.news.put { news in
            news.changes.merge(changes)
            news.hasStatus = true
          }
        }
      } catch {
        logger.warning("the store cannot be followed: \(error)")
        guard await Self.pause(Self.failurePause) else { return }
        do {
          follower = try StoreFollower(store)
          // Whatever happened in between.
          news.put { $0.changes.merge(.unknown) }
        } catch {
          logger.warning("the store cannot be followed: \(error)")
        }
      }
    }
  }

  private func lookForOthers() async {
    while await Self.pause(Self.lookInterval) { catchUp() }
  }

  /// Takes over the state of a copy that another process has refreshed; the next refresh is due
  /// that much later.
  private func catchUp() {
    do {
      guard try feed.copy.catchUp(), case .fresh(let since) = feed.copy.state else { return }
      plan.putOff(every - .seconds(max(0, Date().timeIntervalSince(since))))
    } catch {
      logger.warning("the state of the copy cannot be read: \(error)")
    }
  }

  /// Waits; false when the task is cancelled.
  static func pause(_ duration: Duration) async -> Bool {
    do {
      try await Task.sleep(for: duration)
      return true
    } catch {
      return false
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
