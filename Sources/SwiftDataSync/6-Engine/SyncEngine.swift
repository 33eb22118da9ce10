import Foundation
import SwiftDataCore
import WireFormats

/// Synchronizes models with a server: sends local edits, stores the server's changes, resolves conflicts.
///
/// ```swift
/// let engine = try SyncEngine(
///   container,
///   models: [
///     SyncedModel(StoredLandmark.self, key: \.remoteID),
///     SyncedModel(StoredReservation.self, key: \.remoteID, policy: .clientWins),
///   ],
///   transport: transport)
/// await engine.start()
/// ```
///
/// The models need no special code: the engine sends the changes that other authors save, which it reads from the
/// store's history. All of the engine's state is in the store, so it continues after a crash where it stopped.
///
/// Only one engine should work on a store at a time; a second engine, in another process, does no harm. Each fetches
/// again what it had asked for when the other exchanged something meanwhile.
public actor SyncEngine {
  /// The engine's current state, observable.
  public nonisolated let status: SyncStatus

  let storage: ModelSyncStorage
  let ledger: SyncLedger
  let transport: any SyncTransport
  let clock: any TimeSource
  /// The exchange of attachments; nil for a transport that doesn't transfer them.
  let attachments: AttachmentExchange?
  /// The attachments that were fetched for pages which aren't stored yet.
  let fetched: FetchedAttachments?
  let attachmentLimits: SyncAttachmentLimits
  /// The attachment that is being transferred.
  var transfer: SyncTransfer?
  /// The attachments that were transferred completely while exchanges failed.
  var transferred: Set<SyncTransfer> = []
  private(set) var machine: SyncMachine
  private var random = SystemRandomNumberGenerator()
  private var isRunning = false
  private var timer: Task<Void, Never>?
  private var exchange: Task<Void, Never>?
  private var ahead: SyncReadAhead?
  /// The task of a page that was requested ahead and is no longer needed: the next exchange waits for its end.
  private var discarded: Task<SyncReadAhead.Answer, Never>?
  private var follower: Task<Void, Never>?
  /// The number of calls of ``stop()`` that wait.
  private var stops = 0
  private var subscription: StoreCommits.Subscription?
  private var waiters: [CheckedContinuation<Void, any Error>] = []
  /// The totals since the engine's creation.
  private var report = SyncReport()

  /// - Parameters:
  ///   - container: The container of the store; the engine's bookkeeping tables are in the same file as the models.
  ///   - models: The models to synchronize.
  ///   - transport: The connection to the server.
  ///   - timing: The pauses and limits of the engine.
  ///   - attachments: The limits on attachments, for a transport that transfers them.
  /// - Throws: ``SyncError`` when a model can't be synchronized, the store's error when the store can't be used.
  public init(
    _ container: ModelContainer, models: [SyncedModel], transport: any SyncTransport,
    timing: SyncTiming = SyncTiming(), attachments: SyncAttachmentLimits = SyncAttachmentLimits()
  ) throws {
    try self.init(
      container, models: models, transport: transport, timing: timing, attachments: attachments,
      clock: SystemTime())
  }

  package init(
    _ container: ModelContainer, models: [SyncedModel], transport: any SyncTransport,
    timing: SyncTiming, attachments limits: SyncAttachmentLimits = SyncAttachmentLimits(),
    clock: any TimeSource
  ) throws {
    let carrier = (transport as? any SyncAttachmentTransport)
      .flatMap { $0.transfersAttachments ? $0 : nil }
    storage = try ModelSyncStorage(container, models, separatesAttachments: carrier != nil)
    ledger = try SyncLedger(storage, storage.access.schema, client: UUID().uuidString)
    machine = SyncMachine(timing, inFlight: ledger.sendable)
    self.transport = transport
    self.clock = clock
    attachmentLimits = limits
    ledger.maximumWeight = limits.batchByteCount
    let client = ledger.progress.client
    let fetched = storage.access.attachments.map { FetchedAttachments($0) }
    self.fetched = fetched
    attachments = carrier.flatMap { carrier in
      fetched.map {
        AttachmentExchange(transport: carrier, folder: $0, limits: limits, client: client)
      }
    }
    status = SyncStatus(
      SyncState(
        activity: .idle, pendingCount: ledger.pendingCount,
        quarantinedCount: try storage.quarantinedCount(), lastPush: ledger.progress.lastPush,
        lastPull: ledger.progress.lastPull))
  }

  deinit {
    timer?.cancel()
    exchange?.cancel()
    ahead?.task.cancel()
    follower?.cancel()
    status.finish()
  }

  // MARK: Lifecycle

  /// Starts the engine: it sends edits as they are saved, and pulls at the interval that the timing specifies.
  public func start() {
    guard !isRunning else { return }
    isRunning = true
    let (edits, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    subscription = storage.access.store.commits.subscribe { commit in
      if commit.author != ModelSyncStorage.author { continuation.yield() }
    }
    follower = Task { [weak self] in
      for await _ in edits { await self?.noteEdits(.edited) }
    }
    noteEdits(.start)
  }

  /// Stops the engine: cancels the current exchange and waits for its end. Then nothing is sent or stored until
  /// ``start()`` or ``sync()`` is called. Nothing is lost; both continue where the engine stopped.
  ///
  /// A transport must not wait for this call: the call waits for the transport.
  public func stop() async {
    isRunning = false
    subscription = nil
    stops += 1
    defer { stops -= 1 }
    // From here on, the response of the current exchange doesn't begin another exchange.
    tell(.stop)
    discardAhead()
    follower?.cancel()
    timer?.cancel()
    exchange?.cancel()
    let (following, exchanging, reading) = (follower, exchange, discarded)
    await following?.value
    await exchanging?.value
    _ = await reading?.value
  }

  /// Sends and fetches everything once, for example for a command-line tool or on the user's request.
  ///
  /// - Throws: ``SyncFailure`` when the server can't be reached or refuses the exchange, or when the engine is stopped
  ///   meanwhile; work completed before the failure is kept. Quarantined changes don't throw: see ``unsynced()``.
  /// - Returns: The work that this engine has done during the call.
  @discardableResult
  public func sync() async throws -> SyncReport {
    if stops > 0, machine.isStopped { throw SyncMachine.stopped }
    let before = report
    try ledger.markEdits()
    try await withCheckedThrowingContinuation { continuation in
      waiters.append(continuation)
      tell(.pullRequested)
    }
    return report.since(before)
  }

  // MARK: State machine

  /// Marks edits and tells the state machine that another author saved, or that the engine starts.
  private func noteEdits(_ input: SyncMachine.Input) {
    do { try ledger.markEdits() } catch {
      // The marks are only for display; the next operation reports the store's error.
    }
    tell(input)
  }

  func tell(_ input: SyncMachine.Input) {
    let action = machine.handle(input, now: clock.uptime, using: &random)
    do { try perform(action) } catch {
      let failure = SyncFailure(.localStore, "The local store can't be used: \(error)")
      _ = machine.handle(.broken(failure), now: clock.uptime, using: &random)
      discardAhead()
      settle()
    }
    publish()
  }

  private func perform(_ action: SyncMachine.Action) throws {
    switch action {
    // No request is sent in between, so the page is the same as it would be a moment later.
    case .prepare, .pull: break
    case .wait where machine.isBusy: break
    default: discardAhead()
    }
    switch action {
    case .wait(let time):
      guard !machine.isBusy else { return }
      settle()
      schedule(time)
    case .prepare(let limit):
      try ledger.prepare(limit: limit, now: clock.now) { UUID().uuidString }
      tell(.prepared(ledger.sendable))
    case .park(let changes, let reason):
      try ledger.park(changes, reason, now: clock.now)
      report.quarantined += changes.count
      tell(.settled(ledger.sendable))
    case .beginComparison:
      try ledger.beginComparison()
      tell(.comparisonBegun)
    case .push(let changes): push(Set(changes))
    case .pull: try pull()
    case .probe: probe()
    }
  }

  private func schedule(_ time: Duration?) {
    timer?.cancel()
    guard isRunning, let time else { return }
    let pause = max(.zero, time - clock.uptime)
    timer = Task { [weak self, clock] in
      do { try await clock.sleep(for: pause) } catch { return }
      await self?.wake()
    }
  }

  /// Handles the end of a pause, unless its task was cancelled when the pause had just ended.
  private func wake() {
    if !Task.isCancelled { tell(.timer) }
  }

  /// Reports the result to the callers of ``sync()``, because no further work is possible now.
  private func settle() {
    guard !waiters.isEmpty else { return }
    let ended = waiters
    waiters = []
    let hindrance = machine.hindrance
    for waiter in ended {
      if let hindrance { waiter.resume(throwing: hindrance) } else { waiter.resume() }
    }
  }

  // MARK: Exchanges

  private func push(_ chosen: Set<String>) {
    let changes = ledger.inFlight.map(\.change).filter { chosen.contains($0.id) }
    exchange = Task { [weak self, discarded] in
      _ = await discarded?.value
      let answer = await SyncFailure.result { try await self?.send(changes) ?? Pushed() }
      await self?.take(.pushed(chosen, answer))
    }
    discarded = nil
  }

  private func pull() throws {
    let request = SyncPageRequest(try ledger.currentProgress())
    if let ahead, ahead.request != request { discardAhead() }
    exchange = Task { [weak self, transport, reader = storage.reader, ahead, discarded] in
      _ = await discarded?.value
      let incoming =
        if let ahead { await ahead.answer } else {
          await request.page(transport, reader)
        }
      let answer = await SyncFailure.result {
        let incoming = try incoming.get()
        try await self?.fetchAttachments(of: incoming.page.changes)
        return incoming
      }
      await self?.take(.pulled(answer))
    }
    (ahead, discarded) = (nil, nil)
  }

  private func probe() {
    let (cursor, client) = (ledger.progress.cursor, ledger.progress.client)
    exchange = Task { [weak self, transport, discarded] in
      _ = await discarded?.value
      let answer = await SyncFailure.result {
        try await transport.pull(after: cursor, client: client)
      }
      await self?.take(.probed(answer))
    }
    discarded = nil
  }

  /// Requests the page that follows a page about to be stored.
  private func readAhead(_ page: SyncPage) {
    guard page.hasMore, machine.pause == nil, !machine.isStopped else { return }
    var request = SyncPageRequest(ledger.progress)
    request.cursor = page.cursor
    // The page about to be stored begins a comparison.
    if page.coverage != .delta, !ledger.progress.isComparing { request.epoch &+= 1 }
    ahead = SyncReadAhead(request, transport, storage.reader)
  }

  private func discardAhead() {
    guard let ahead else { return }
    ahead.task.cancel()
    discarded = ahead.task
    self.ahead = nil
  }

  private enum Answer {
    case pushed(Set<String>, Result<Pushed, SyncFailure>)
    case pulled(Result<SyncIncoming, SyncFailure>)
    case probed(Result<SyncPage, SyncFailure>)
  }

  private func take(_ answer: Answer) {
    let input: SyncMachine.Input
    do {
      switch answer {
      case .pushed(let chosen, .success(let pushed)):
        var outcomes = pushed.outcomes.filter { chosen.contains($0.key) }
        ledger.noteUnanswered(pushed.unanswered.filter(chosen.contains))
        try settle(lost: pushed.lost, in: &outcomes)
        let isProgress = outcomes.values.contains { outcome in
          if case .conflict = outcome { false } else { true }
        }
        try ledger.acknowledge(outcomes, now: clock.now, &report)
        try sweepAttachments()
        input = .settled(ledger.sendable, isProgress: isProgress)
      case .pushed(let chosen, .failure(var failure)):
        // A change that the server refuses is searched for and quarantined, also when the refusal came before the
        // change was sent.
        if failure.isUnsent, failure.kind != .refused, failure.kind != .tooLarge {
          try ledger.withdraw(Array(chosen))
          input = .unsent(ledger.sendable, failure)
        } else {
          ledger.noteUnanswered(failure.uncertain(among: chosen))
          failure.unanswered = nil
          input = .pushFailed(failure)
        }
      case .pulled(.success(let incoming)):
        readAhead(incoming.page)
        let isElsewhere = incoming.page.cursor != ledger.progress.cursor
        try ledger.apply(incoming, now: clock.now, &report)
        try sweepAttachments()
        input = .pulled(
          hasMore: incoming.page.hasMore || ledger.lastPageIsOutdated,
          isProgress: isElsewhere && ledger.lastNews > 0 || ledger.lastPageIsOvertaken)
      case .pulled(.failure(let failure)): input = .pullFailed(failure)
      case .probed(.success): input = .probed(nil)
      case .probed(.failure(let failure)): input = .probed(failure)
      }
    } catch {
      input = .broken(SyncFailure(.localStore, "The local store can't be used: \(error)"))
    }
    tell(input)
  }

  // MARK: State

  func publish() {
    var state = SyncState(activity: machine.activity, pendingCount: ledger.pendingCount)
    state.transfer = machine.isBusy ? transfer : nil
    do { state.quarantinedCount = try storage.quarantinedCount() } catch {
      // The next operation reports the store's error.
      state.quarantinedCount = status.state.quarantinedCount
    }
    state.restoredCount = report.restored
    state.lastPush = ledger.progress.lastPush
    state.lastPull = ledger.progress.lastPull
    status.update(state)
  }
}
