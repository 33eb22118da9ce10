import SwiftData

/// Keeps models equal on both sides: sends local edits to a server, takes the server's, decides conflicts.
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
/// Nothing is asked of the models: what others than the engine save is in the store's history, and that is what is
/// sent. Everything that the engine knows is in the store, so it goes on after a crash where it was.
///
/// One engine at a time works on a store; a second one, in another process, harms nothing.
public actor SyncEngine {
  /// What the engine does now, to be observed.
  public nonisolated let status: SyncStatus

  let storage: ModelSyncStorage
  let ledger: SyncLedger
  let transport: any SyncTransport
  let clock: any SyncClock
  /// nil for a transport that doesn't carry attachments.
  let attachments: AttachmentExchange?
  let attachmentLimits: SyncAttachmentLimits
  /// The attachment that is on its way.
  var transfer: SyncTransfer?
  private var machine: SyncMachine
  private var random = SystemRandomNumberGenerator()
  private var isRunning = false
  private var timer: Task<Void, Never>?
  private var exchange: Task<Void, Never>?
  private var ahead: SyncReadAhead?
  /// A page that was asked for ahead and isn't wanted any more: the next exchange waits for its end.
  private var discarded: Task<SyncReadAhead.Answer, Never>?
  private var follower: Task<Void, Never>?
  private var subscription: StoreCommits.Subscription?
  private var waiters: [CheckedContinuation<Void, any Error>] = []
  /// All that this engine has done.
  private var report = SyncReport()

  /// - Parameters:
  ///   - container: The store; the file keeps the engine's books beside the models.
  ///   - models: What takes part.
  ///   - transport: How the server is reached.
  ///   - timing: How patient the engine is.
  ///   - attachments: How large attachments may be, with a transport that carries them.
  /// - Throws: ``SyncError`` when a model can't take part, the store's error when it can't be used.
  public init(
    _ container: ModelContainer, models: [SyncedModel], transport: any SyncTransport,
    timing: SyncTiming = SyncTiming(), attachments: SyncAttachmentLimits = SyncAttachmentLimits()
  ) throws {
    try self.init(
      container, models: models, transport: transport, timing: timing, attachments: attachments,
      clock: SystemSyncClock())
  }

  package init(
    _ container: ModelContainer, models: [SyncedModel], transport: any SyncTransport,
    timing: SyncTiming, attachments limits: SyncAttachmentLimits = SyncAttachmentLimits(),
    clock: any SyncClock
  ) throws {
    let carrier = transport as? any SyncAttachmentTransport
    storage = try ModelSyncStorage(container, models, separatesAttachments: carrier != nil)
    ledger = try SyncLedger(storage, storage.access.schema, client: UUID().uuidString)
    machine = SyncMachine(timing, inFlight: ledger.sendable)
    self.transport = transport
    self.clock = clock
    attachmentLimits = limits
    ledger.maximumWeight = limits.batchByteCount
    let (folder, client) = (storage.access.attachments, ledger.progress.client)
    attachments = carrier.flatMap { carrier in
      folder.map {
        AttachmentExchange(transport: carrier, folder: $0, limits: limits, client: client)
      }
    }
    status = SyncStatus(
      SyncState(
        activity: .idle, pendingCount: ledger.pendingCount,
        parkedCount: try storage.parkedCount(), lastPush: ledger.progress.lastPush,
        lastPull: ledger.progress.lastPull))
  }

  deinit {
    timer?.cancel()
    exchange?.cancel()
    ahead?.task.cancel()
    follower?.cancel()
    status.finish()
  }

  // MARK: Life

  /// Works from now on: sends what is saved, and pulls as often as the timing says.
  public func start() {
    guard !isRunning else { return }
    isRunning = true
    let (edits, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    subscription = storage.access.store.commits.subscribe { commit in
      if commit.author != ModelSyncStorage.author { continuation.yield() }
    }
    follower = Task { [weak self] in
      for await _ in edits { await self?.noteEdits() }
    }
    noteEdits()
  }

  /// Stops after what is being done. Nothing is lost; ``start()`` goes on.
  public func stop() async {
    isRunning = false
    subscription = nil
    follower?.cancel()
    timer?.cancel()
    exchange?.cancel()
    await exchange?.value
  }

  /// Sends and fetches all there is, once; for a command line, or a gesture of the user.
  ///
  /// - Throws: ``SyncFailure`` when the server can't be reached or doesn't want to; what was done until then stays.
  ///   Changes that were set aside don't throw: see ``unsynced()``.
  /// - Returns: What this engine has done meanwhile.
  @discardableResult
  public func sync() async throws -> SyncReport {
    let before = report
    try ledger.markEdits()
    try await withCheckedThrowingContinuation { continuation in
      waiters.append(continuation)
      tell(.pullRequested)
    }
    return report.since(before)
  }

  /// Nothing is exchanged until ``resume()``.
  public func pause() { tell(.pause) }

  /// Goes on after a pause: with other credentials, after the user has mended something, or wants it.
  public func resume() { tell(.resume) }

  /// Tells what the system says of the network; an engine that isn't told finds out by trying.
  public func setOnline(_ isOnline: Bool) { tell(.connectivity(isOnline)) }

  /// Sends edits again that were set aside.
  ///
  /// - Parameter objects: Which; nil for all.
  /// - Throws: the store's error.
  public func retryParked(_ objects: Set<SyncObjectID>? = nil) throws {
    try ledger.retryParked(objects)
    tell(.edited)
  }

  // MARK: The machine

  /// Somebody has saved.
  private func noteEdits() {
    do { try ledger.markEdits() } catch {
      // The marks are for display; what is wrong with the store is told by the next piece of work.
    }
    tell(.edited)
  }

  private func tell(_ input: SyncMachine.Input) {
    let action = machine.handle(input, now: clock.uptime, using: &random)
    do { try perform(action) } catch {
      let failure = SyncFailure(.incompatible, "The local store can't be used: \(error)")
      _ = machine.handle(.broken(failure), now: clock.uptime, using: &random)
      discardAhead()
      settle()
    }
    publish()
  }

  private func perform(_ action: SyncMachine.Action) throws {
    switch action {
    // Nothing is asked of the server in between, so the page is what it would be a moment later.
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
      report.setAside += changes.count
      tell(.settled(ledger.sendable))
    case .beginComparison:
      try ledger.beginComparison()
      tell(.comparisonBegun)
    case .push(let changes): push(Set(changes))
    case .pull: pull()
    case .probe: probe()
    }
  }

  private func schedule(_ time: Duration?) {
    timer?.cancel()
    guard isRunning, let time else { return }
    let pause = max(.zero, time - clock.uptime)
    timer = Task { [weak self, clock] in
      do { try await clock.sleep(for: pause) } catch { return }
      await self?.tell(.timer)
    }
  }

  /// Nothing more can be done now: whoever waits for that is told how it went.
  private func settle() {
    guard !waiters.isEmpty else { return }
    let ended = waiters
    waiters = []
    let failure: SyncFailure? =
      switch machine.pause {
      case .requested: SyncFailure(.incompatible, "The engine is paused")
      case .failure(let failure): failure
      case nil:
        machine.failure
          ?? (machine.isOffline ? SyncFailure(.offline, "There is no network") : nil)
      }
    for waiter in ended {
      if let failure { waiter.resume(throwing: failure) } else { waiter.resume() }
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

  private func pull() {
    let (cursor, client) = (ledger.progress.cursor, ledger.progress.client)
    if let ahead, !ahead.answers(after: cursor, client: client) { discardAhead() }
    exchange = Task { [weak self, transport, reader = storage.reader, ahead, discarded] in
      _ = await discarded?.value
      let incoming =
        if let ahead { await ahead.answer } else {
          await SyncReadAhead.page(after: cursor, client: client, transport, reader)
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

  /// Asks for the page behind one that is about to be stored.
  private func readAhead(_ page: SyncPage) {
    guard page.hasMore, machine.pause == nil else { return }
    ahead = SyncReadAhead(
      after: page.cursor, client: ledger.progress.client, transport, storage.reader)
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
        try settle(lost: pushed.lost, in: &outcomes)
        let isProgress = outcomes.values.contains { outcome in
          if case .conflict = outcome { false } else { true }
        }
        try ledger.acknowledge(outcomes, now: clock.now, &report)
        try sweepAttachments()
        input = .settled(ledger.sendable, isProgress: isProgress)
      case .pushed(let chosen, .failure(let failure)):
        // What the server won't have is looked for and set aside, also when it was refused before it was sent.
        if failure.isUnsent, failure.kind != .refused, failure.kind != .tooLarge {
          try ledger.withdraw(Array(chosen))
          input = .unsent(ledger.sendable, failure)
        } else {
          if failure.kind == .offline || failure.kind == .server {
            ledger.noteUnanswered(Array(chosen))
          }
          input = .pushFailed(failure)
        }
      case .pulled(.success(let incoming)):
        readAhead(incoming.page)
        let isElsewhere = incoming.page.cursor != ledger.progress.cursor
        try ledger.apply(incoming, now: clock.now, &report)
        try sweepAttachments()
        input = .pulled(
          hasMore: incoming.page.hasMore, isProgress: isElsewhere && ledger.lastNews > 0)
      case .pulled(.failure(let failure)): input = .pullFailed(failure)
      case .probed(.success): input = .probed(true)
      case .probed(.failure(let failure)): input = .probed(failure.kind == .cursorExpired)
      }
    } catch {
      input = .broken(SyncFailure(.incompatible, "The local store can't be used: \(error)"))
    }
    tell(input)
  }

  // MARK: State

  func publish() {
    var state = SyncState(activity: activity, pendingCount: ledger.pendingCount)
    state.transfer = machine.isBusy ? transfer : nil
    do { state.parkedCount = try storage.parkedCount() } catch {
      // Whatever is wrong with the store is told by the next piece of work.
      state.parkedCount = status.state.parkedCount
    }
    state.lastPush = ledger.progress.lastPush
    state.lastPull = ledger.progress.lastPull
    status.update(state)
  }

  private var activity: SyncState.Activity {
    switch machine.pause {
    case .requested: return .paused(.requested)
    case .failure(let failure):
      return .paused(
        failure.kind == .authentication ? .authentication : .failure(failure.message))
    case nil: break
    }
    if machine.isOffline { return .offline }
    if machine.isPushing { return .pushing }
    if machine.isPulling { return .pulling }
    return machine.failure.map { .waiting($0.message) } ?? .idle
  }
}
