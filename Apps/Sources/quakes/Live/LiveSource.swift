import Foundation
import LocalCopy
import Logging
import QuakesKit
import Synchronization
import WireFormats

/// The result of a refresh.
package enum RefreshOutcome: Hashable, Sendable {
  /// The copy is up to date, or the refresh was stopped.
  case done
  /// The copy is unchanged. The feed's server may have asked for a pause, in seconds.
  case failed(retryAfter: Double?)
}

/// The store and its feed, for the web server and the terminal. Changes are read from the store, so
/// that refreshes of other processes are shown like this process's own.
package final class LiveSource: QuakeSource {
  /// The updates that weren't delivered yet; its size is bounded, regardless of the number of
  /// updates.
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

  /// The time between two checks of the copy's state as other processes recorded it. A refresh that
  /// finds nothing new changes no event, and can't be noticed in any other way.
  private static let lookInterval = Duration.seconds(2)
  /// The delay after the store could not be read.
  private static let failurePause = Duration.seconds(5)

  private let store: QuakeStore
  private let feed: QuakeFeed
  private let loader: DetailsLoader
  private let follower: StoreFollower
  /// The time between refreshes.
  package let every: Duration
  private let maximumAge: Duration
  private let logger: Logger
  /// The time of the next refresh.
  let plan = RefreshPlan()
  private let isAsked = Mutex(false)
  /// The refreshes of this program that run, or wait for another program's.
  private let running = Mutex<[UUID: Task<RefreshReport, any Error>]>([:])
  /// The failure of the last look at the copy's state, which is logged once however often it recurs.
  private let lookFailure = Mutex("")
  private let news: Mailbox<News>
  private let backfills: Backfills

  /// - Parameters:
  ///   - selection: The feed.
  ///   - store: The store that it fills.
  ///   - rule: The rule for the events that are kept.
  ///   - service: An event service whose server may be asked for details of events.
  ///   - backfill: Loads the events of the past that the page asks for, if a service has them.
  ///   - every: The time between refreshes; the copy counts as stale after three of them.
  ///   - logger: The logger for failures.
  ///   - adjust: Changes the copy's configuration, for tests.
  /// - Throws: ``QuakesError`` when the store cannot be read, `LocalCopyError` for an unusable
  ///   address.
  package init(
    _ selection: FeedSelection, store: QuakeStore, rule: MagnitudeRule,
    service: EventService? = nil, backfill: Backfill? = nil, every: Duration,
    logger: Logger, adjust: (inout LocalCopyConfiguration) -> Void = { _ in }
  ) throws {
    self.store = store
    self.every = every
    self.logger = logger
    let news = Mailbox(News())
    self.news = news
    backfills = Backfills(backfill) { news.put { $0.hasStatus = true } }
    let maximumAge = every * 3
    self.maximumAge = maximumAge
    loader = DetailsLoader(store, feed: selection, service: service, logger: logger)
    follower = try StoreFollower(store)
    feed = try QuakeFeed(selection, into: store, rule: rule, logger: logger) {
      $0.maximumAge = maximumAge
      adjust(&$0)
    }
  }

  // MARK: Requests of the server

  package func page(_ query: EventQuery) async throws -> EventPage { try store.page(query) }

  package func cursor(_ query: EventQuery) async throws -> EventCursor {
    try store.cursor(query)
  }

  package func event(id: String) async throws -> Event? { try store.event(id: id) }

  package func revisions(of event: Event) async throws -> [Revision] {
    try store.revisions(of: event.id)
  }

  package func details(
    of event: Event, loads: Bool
  ) async throws -> DetailsLoader.Answer {
    try await loader.details(of: event, loads: loads)
  }

  package func statistics(_ query: EventQuery) async throws -> EventStatistics {
    try store.statistics(query)
  }

  package func status() async throws -> FeedStatus {
    let state = feed.copy.state
    let report = feed.copy.lastReport
    var status = FeedStatus(
      state: .empty, lastUpdated: state.lastGood?.milliseconds,
      nextRefresh: plan.date?.milliseconds, feedName: feed.selection.name,
      feedURL: FeedAddress.shown(feed.selection), every: Self.seconds(every),
      maximumAge: Self.seconds(maximumAge), total: try store.count(),
      lastReport: report.map { FeedStatus.Report($0) }, coverage: try store.loadedRanges(),
      archive: backfills.service?.description, backfill: backfills.status)
    switch state {
    case .empty: status.state = .empty
    case .fresh: status.state = .fresh
    case .stale: status.state = .stale
    case .refreshing(let progress, _):
      status.state = .refreshing
      status.progress = .init(bytes: progress.bytesReceived, events: progress.elements)
    case .offline(let error, let at, _):
      status.state = .offline
      status.lastError = .init(
        kind: .init(error, isFile: feed.selection.isFile),
        message: feed.selection.explained(error).description, at: at.milliseconds)
    }
    // Another program loads the feed.
    if feed.isWaiting { status.state = .refreshing }
    return status
  }

  package func refresh() async {
    let isFirst = isAsked.withLock { isAsked in
      defer { isAsked = true }
      return !isAsked
    }
    guard isFirst else { return }
    let states = feed.copy.states()
    let (steps, step) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    Task {
      _ = await refreshOnce(force: true) { step.yield() }
      step.finish()
      isAsked.withLock { $0 = false }
    }
    // The response should show that a refresh is running, here or in another program.
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await state in states { if case .refreshing = state { return } }
      }
      group.addTask { for await _ in steps { return } }
      await group.next()
      group.cancelAll()
    }
  }

  package func stop() async {
    for task in running.withLock({ Array($0.values) }) { task.cancel() }
  }

  package func startBackfill(_ request: BackfillRequest) async throws(BackfillRefusal) {
    try backfills.start(request)
  }

  package func stopBackfill() async { backfills.stop() }

  package func updates() async -> AsyncStream<FeedUpdate> {
    AsyncStream(unfolding: { [news] in await news.next { $0.take() } })
  }

  // MARK: Refresh loop

  /// Refreshes, or waits for the refresh that is running, here or in another program. ``keepUp()`` reports its changes.
  /// - Parameter onWait: Called when it waits for another program.
  package func refreshOnce(
    force: Bool, onWait: @escaping @Sendable () -> Void = {}
  ) async -> RefreshOutcome {
    await outcome {
      defer { news.put { $0.hasStatus = true } }
      let report = try await stoppable { [feed, news] in
        try await feed.refresh(force: force) {
          news.put { $0.hasStatus = true }
          onWait()
        }
      }
      logger.info(
        "refreshed", metadata: ["inserted": "\(report.inserted)", "updated": "\(report.updated)"])
    }
  }

  /// Runs a refresh that ``stop()`` ends, too.
  private func stoppable(
    _ work: @escaping @Sendable () async throws -> RefreshReport
  ) async throws -> RefreshReport {
    let task = Task { try await work() }
    let id = UUID()
    running.withLock { $0[id] = task }
    defer { running.withLock { $0[id] = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func outcome(_ work: () async throws -> Void) async -> RefreshOutcome {
    do {
      try await work()
      return .done
    } catch is CancellationError {
      return .done  // The server ends, or the user has stopped the refresh.
    } catch {
      logger.warning("the refresh failed: \(error)")
      return .failed(retryAfter: (error as? LocalCopyError)?.retryAfter)
    }
  }

  /// Plans the next refresh.
  /// - Parameter pause: The time until then; nil when it starts now.
  func planNext(_ pause: Duration?) {
    plan.set(pause)
    news.put { $0.hasStatus = true }
  }

  // MARK: Following changes

  /// Notifies the pages of changes to the store and to the copy by any process, and runs back-fills, until the task is
  /// cancelled.
  package func keepUp() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followStates() }
      group.addTask { await self.followStore() }
      group.addTask { await self.lookForOthers() }
      group.addTask { await self.backfills.run() }
      await group.waitForAll()
    }
  }

  private func followStates() async {
    for await state in feed.copy.states() {
      news.put { $0.hasStatus = true }
      guard case .refreshing = state else { continue }
      // Progress arrives as fast as the feed is read; the stream keeps the newest state during the
      // pause.
      guard await Self.pause(.milliseconds(200)) else { return }
    }
  }

  private func followStore() async {
    var follower = follower
    while !Task.isCancelled {
      do {
        try await follower.run { changes in
          // Update the state first: receivers of the changes may ask for it.
          self.catchUp()
          self.news.put { news in
            news.changes.merge(changes.withoutReplaced)
            news.hasStatus = true
          }
        }
      } catch {
        logger.warning("the store cannot be followed: \(error)")
        guard await Self.pause(Self.failurePause) else { return }
        do {
          follower = try StoreFollower(store)
          // Anything may have changed in between.
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

  /// Takes over the state of a copy that another process has refreshed, and postpones the next
  /// refresh accordingly.
  private func catchUp() {
    do {
      let isNew = try feed.copy.catchUp()
      lookFailure.withLock { $0 = "" }
      guard isNew, case .fresh(let since) = feed.copy.state else { return }
      plan.putOff(every - .seconds(max(0, Date().timeIntervalSince(since))))
    } catch {
      let message = "\(error)"
      let isKnown = lookFailure.withLock { known in
        defer { known = message }
        return known == message
      }
      if !isKnown { logger.warning("the state of the copy cannot be read: \(message)") }
    }
  }

  /// Waits; returns false when the task is cancelled.
  static func pause(_ duration: Duration) async -> Bool {
    do {
      try await Task.sleep(for: duration)
      return true
    } catch {
      return false
    }
  }

  /// Returns the copy's states from now on, the current one first.
  func states() -> AsyncStream<LocalCopyState> { feed.copy.states() }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }
}

extension FeedStatus.Failure.Kind {
  /// The kind of a failed refresh, of a server's feed or of a file.
  package init(_ error: LocalCopyError, isFile: Bool) {
    switch error.code {
    case .connectionFailed: self = .noConnection
    case .timedOut: self = .timedOut
    case .throttled: self = .busy
    case .httpStatus: self = [429, 503].contains(error.httpStatus) ? .busy : .refused
    case .truncated: self = .brokenOff
    case .malformedDocument, .notJSON, .elementsNotFound, .compressionInvalid:
      self = isFile ? .unusableFile : .unusable
    case .fileUnreadable: self = .file
    case .storeFailed, .stateUnreadable: self = .store
    default: self = .other
    }
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
