import Foundation
import SwiftDataSync

/// A client of a simulation: its engine is lost with every kill, its store stays.
///
/// Like everything in a simulation it is used on one thread only.
package final class SimulatedReplica: @unchecked Sendable {
  /// The request belongs to a process that no longer exists.
  private struct Gone: Error {}

  let index: Int
  let store: any ReplicaStore
  private let skew: Double
  unowned let simulation: Simulation
  var ledger: SyncLedger?
  private var machine: SyncMachine?
  /// Identifies the current process; answers to requests of earlier ones are discarded.
  private var incarnation = 0
  private var request = 0
  private var isConnected = true
  private var isAtRest = false
  var number: Int64 = 0
  /// The last value of the property that only this replica writes, by object.
  var ownValues: [SyncObjectID: Int64] = [:]
  /// The same for sights whose rows were never removed here.
  var ownSights: [SyncObjectID: SyncValue] = [:]
  var removedSights: Set<SyncObjectID> = []
  /// The photos of snaps that were created here; no other replica changes them.
  var ownPhotos: [SyncObjectID: SyncValue] = [:]
  var ownPairs: [(SyncObjectID, SyncObjectID)] = []
  /// The objects that were created here and are never deleted.
  var keptObjects: Set<SyncObjectID> = []

  init(_ index: Int, skew: Double, _ store: any ReplicaStore, _ simulation: Simulation) {
    self.index = index
    self.skew = skew
    self.simulation = simulation
    self.store = store
    if abs(skew) > 3_600 { simulation.note("clocks wrong") }
    store.onCommit = { [unowned self] isDone, writes in try committed(isDone, writes) }
  }

  /// The user's clock, wrong by up to a day.
  var clock: Date {
    let seconds = Double(simulation.now.components.seconds)
    return Date(timeIntervalSinceReferenceDate: 800_000_000 + seconds + skew)
  }

  var isQuiet: Bool { isAtRest && !(ledger?.hasPending ?? true) }
  package var summary: String {
    "\((try? store.storage.position()) ?? -1)/\(ledger?.pendingCount ?? -1) "
  }

  // MARK: Life cycle

  func start() throws {
    incarnation += 1
    let ledger = try SyncLedger(store.storage, simulation.schema, client: "replica \(index)")
    self.ledger = ledger
    var timing = SyncTiming()
    timing.pullInterval = .seconds(15)
    timing.maximumDelay = .seconds(30)
    timing.maximumBatch = 8
    machine = SyncMachine(timing, inFlight: ledger.sendable)
    try tell(.timer)
  }

  func kill() {
    guard machine != nil else { return }
    simulation.note("replicas killed")
    incarnation += 1
    ledger = nil
    machine = nil
    let delay = Int.random(in: 1...20_000, using: &simulation.random)
    simulation.after(.milliseconds(delay)) { if self.machine == nil { try self.start() } }
  }

  func setConnected(_ connected: Bool) throws {
    isConnected = connected
    if !connected { simulation.note("cut off") }
    // Not every system reports that the network is lost; here its return is always reported.
    if simulation.random.chance(0.5) {
      try tell(.connectivity(connected))
    } else if connected {
      try tell(.connectivity(true))
    }
  }

  /// Ends the faults: fixes the changes that the server refused.
  func calm() throws {
    if machine == nil { try start() }
    try setConnected(true)
    for (object, values) in store.objects where values["bad"] == .boolean(true) {
      var mended = values
      mended["bad"] = .null
      store.save([object: mended])
    }
    try ledger?.retryQuarantined()
    try tell(.resume)
  }

  func askForNews() throws {
    for (object, quarantine) in try store.storage.quarantined().sorted(by: { $0.key < $1.key }) {
      mend(object, quarantine)
    }
    try ledger?.retryQuarantined()
    try tell(.pullRequested)
  }

  /// Resolves an obstacle: gives up a badge that another place has, takes visits away from a place that is to be
  /// deleted, restores a place that can't be deleted.
  private func mend(_ object: SyncObjectID, _ quarantine: SyncQuarantine) {
    switch quarantine.reason {
    case .rejected(let rejection) where rejection.code == "duplicate":
      guard var values = store.objects[object] else { return }
      values["badge"] = .null
      store.save([object: values])
    case .rejected(let rejection) where rejection.code == "unknownReference":
      guard var values = store.objects[object] else { return }
      values["place"] = .null
      store.save([object: values])
    case .rejected(let rejection) where rejection.code == "denied":
      if store.objects[object] == nil { store.save([object: new([:], object.entity)]) }
    case .denied(let visit):
      guard var values = store.objects[visit] else { return }
      values["place"] = .null
      store.save([visit: values])
    default: return
    }
  }

  private func committed(_ isDone: Bool, _ writes: SyncWrites) throws {
    // A store of models reads all of its rows for this.
    let objects = store.objects
    if simulation.isRestored {
      simulation.disputed.formUnion(writes.resolutions.map(\.conflict.object))
    }
    if isDone {
      for _ in writes.resolutions { simulation.note("conflicts") }
      try simulation.checkPairs(objects, "replica \(index)")
      try simulation.checkBadges(objects, "replica \(index)")
    } else {
      for object in writes.arrivals?.objects ?? [] {
        simulation.note("newcomers")
        if objects[object] != nil {
          throw simulation.violation("replica \(index): \(object) is taken for new")
        }
      }
      for (object, values) in writes.values where !simulation.disputed.contains(object) {
        try checkSight(object, values)
        try checkUnsent(object, objects[object], values, writes)
      }
    }
    if simulation.isRough, simulation.random.chance(0.01) { throw Killed() }
  }

  /// Checks that a user's annotation of an imported row, which no other replica writes, is never overwritten.
  private func checkSight(_ object: SyncObjectID, _ values: SyncValues?) throws {
    // Objects removed in a state that the server lost come back.
    if simulation.isRestored, ownSights[object] == .null { return }
    guard let own = ownSights[object], store.sights[object]?["own\(index)"] == own else { return }
    guard values?["own\(index)"] ?? .null == own else {
      throw simulation.violation(
        "replica \(index): \(own) of \(object) is overwritten by \(values ?? [:])")
    }
  }

  /// Checks that a user's value that the server doesn't have is never overwritten, except by a recorded decision.
  private func checkUnsent(
    _ object: SyncObjectID, _ here: SyncValues?, _ values: SyncValues?, _ writes: SyncWrites
  ) throws {
    guard let here, let values else { return }
    let base = store.base(of: object)
    let own = here["own\(index)"] ?? .null
    // Restored by a replica that knew an older state: either nothing is to be sent here, or both sides have changed it.
    let isDecided = writes.resolutions.contains { $0.conflict.object == object }
    let isBroughtBack =
      simulation.deleted.contains(object) && (base?["own\(index)"] == own || isDecided)
    guard own == .null || values["own\(index)"] == own || isBroughtBack else {
      throw simulation.violation(
        "replica \(index): \(own) of \(object) is overwritten by \(values), upon \(base ?? [:])")
    }
    // Every replica writes this property: only a policy may overwrite an edit that wasn't sent. A sent edit is the
    // server's.
    guard here["shared"] != base?["shared"], here["shared"] != values["shared"],
      try !storedInFlight().contains(object)
    else { return }
    guard writes.resolutions.contains(where: { $0.conflict.object == object }) else {
      throw simulation.violation(
        "replica \(index): \(here) of \(object) is overwritten by \(values) without a decision, upon"
          + " \(base ?? [:])")
    }
  }

  private func storedInFlight() throws -> Set<SyncObjectID> {
    Set(try store.storage.inFlight().map(\.change.object))
  }

  // MARK: The engine

  func tell(_ input: SyncMachine.Input) throws {
    guard var machine, ledger != nil else { return }
    let action = machine.handle(input, now: simulation.now, using: &simulation.random)
    self.machine = machine
    do { try perform(action) } catch is Killed { kill() }
  }

  private func perform(_ action: SyncMachine.Action) throws {
    guard let ledger else { return }
    isAtRest = false
    switch action {
    case .wait(let time):
      isAtRest = !(machine?.isPushing ?? true) && !(machine?.isPulling ?? true)
      guard let time else { return }
      let born = incarnation
      simulation.after(max(.zero, time - simulation.now)) {
        if self.incarnation == born { try self.tell(.timer) }
      }
    case .prepare(let limit):
      try ledger.prepare(limit: limit, now: clock) {
        String(UInt64.random(in: 0 ... .max, using: &simulation.random), radix: 16)
      }
      try tell(.prepared(ledger.sendable))
    case .push(let ids):
      let changes = ledger.inFlight.map(\.change).filter { ids.contains($0.id) }
      exchange { replica in
        let answer = await SyncFailure.result { try await replica.send(changes) }
        return { try replica.pushed(changes, answer) }
      }
    case .park(let changes, let reason):
      try ledger.park(changes, reason, now: clock)
      try tell(.settled(ledger.sendable))
    case .pull:
      let cursor = ledger.progress.cursor
      let client = ledger.progress.client
      exchange { replica in
        let answer = await SyncFailure.result {
          let page = try await SimulatedLine(replica: replica).pull(after: cursor, client: client)
          try await replica.fetchAttachments(of: page.changes)
          return page
        }
        return { try replica.pulled(answer) }
      }
    case .probe:
      exchange { replica in
        let answer = await SyncFailure.result {
          try await replica.ask { try $0.pull(after: nil, limit: 1) }
        }
        return { if case .failure(let failure) = answer { .probed(failure) } else { .probed(nil) } }
      }
    case .beginComparison:
      try ledger.beginComparison()
      try tell(.comparisonBegun)
    }
  }

  /// Sends a request to the server, and passes the result to the machine, unless the process has ended meanwhile.
  private func exchange(
    _ body: @escaping @Sendable (SimulatedReplica) async -> @Sendable () throws -> SyncMachine.Input
  ) {
    let born = incarnation
    simulation.tasks.begin { [self] in
      let conclude = await body(self)
      guard incarnation == born else { return }
      do { try tell(try conclude()) } catch is Killed { kill() }
    }
  }

  // MARK: Copies of the engine's steps

  private struct Pushed {
    var outcomes: [String: SyncOutcome] = [:]
    var lost: Set<String> = []
  }

  private var attachments: AttachmentExchange {
    var limits = SyncAttachmentLimits()
    limits.portion = 7_000
    return AttachmentExchange(
      transport: SimulatedLine(replica: self), folder: store.folder, limits: limits,
      client: "replica \(index)")
  }

  private func send(_ changes: [SyncChange]) async throws -> Pushed {
    let born = incarnation
    let references = changes.flatMap { change in
      store.references(in: change).map { (change: change.id, reference: $0) }
    }
    var obstacles = AttachmentExchange.Obstacles()
    if !references.isEmpty {
      do {
        obstacles = try await attachments.send(
          references, from: { try self.store.portion(of: $0, from: $1, length: $2) },
          progress: { _ in })
      } catch let failure as SyncFailure {
        throw SyncFailure(failure.kind, failure.message, isUnsent: true)
      }
    }
    var pushed = Pushed(
      outcomes: obstacles.refused.mapValues { .rejected($0) }, lost: obstacles.lost)
    let rest = changes.filter { pushed.outcomes[$0.id] == nil && !pushed.lost.contains($0.id) }
    guard !rest.isEmpty else { return pushed }
    let answer = try await SimulatedLine(replica: self).push(rest, client: "replica \(index)")
    if incarnation == born { try simulation.noteAcknowledged(rest, answer) }
    pushed.outcomes.merge(answer) { first, _ in first }
    let news = rest.compactMap { change -> SyncRemote? in
      switch answer[change.id] {
      case .conflict(let remote):
        SyncRemote(object: change.object, version: remote.version, values: remote.values)
      case .accepted(let version, _, .some(let values)):
        SyncRemote(object: change.object, version: version, values: values)
      default: nil
      }
    }
    // The push's response is processed for any result of this fetch.
    do { try await fetchAttachments(of: news) } catch {}
    return pushed
  }

  private func fetchAttachments(of news: [SyncRemote]) async throws {
    let wanted = try store.wantedAttachments(for: news)
    guard !wanted.isEmpty else { return }
    do { try await attachments.fetch(wanted) { _ in } } catch let failure as SyncFailure
      where failure.kind == .offline
    {
      simulation.note("photos late")
    }
  }

  private func pushed(
    _ changes: [SyncChange], _ answer: Result<Pushed, SyncFailure>
  ) throws -> SyncMachine.Input {
    guard let ledger else { throw Killed() }
    let ids = changes.map(\.id)
    switch answer {
    case .success(let pushed):
      var outcomes = pushed.outcomes
      for change in pushed.lost where ledger.uncertain.contains(change) {
        outcomes[change] = .rejected(SyncRejection(code: "attachmentLost", message: "gone"))
      }
      try ledger.withdraw(Array(pushed.lost))
      try checkParents(of: changes, outcomes)
      let isProgress = outcomes.values.contains { outcome in
        if case .conflict = outcome { false } else { true }
      }
      _ = try ledger.acknowledge(outcomes, now: clock)
      try noteRestored(ledger)
      try store.sweepAttachments()
      return .settled(ledger.sendable, isProgress: isProgress)
    case .failure(let failure):
      if failure.isUnsent, failure.kind != .refused, failure.kind != .tooLarge {
        try ledger.withdraw(ids)
        return .unsent(ledger.sendable, failure)
      }
      if failure.kind == .offline || failure.kind == .server { ledger.noteUnanswered(ids) }
      return .pushFailed(failure)
    }
  }

  /// Counts what is sent again because the server lost it, which must not happen to a server that lost nothing.
  private func noteRestored(_ ledger: SyncLedger) throws {
    guard ledger.lastRestored > 0 else { return }
    for _ in 0..<ledger.lastRestored { simulation.note("objects restored") }
    guard !simulation.isRestored else { return }
    throw simulation.violation("replica \(index) takes objects for lost")
  }

  /// Checks that a child is sent with its parent or after it, for a parent of any class of the family.
  private func checkParents(of changes: [SyncChange], _ outcomes: [String: SyncOutcome]) throws {
    for change in changes {
      guard case .rejected(let rejection) = outcomes[change.id],
        rejection.code == "unknownReference", let place = change.values?["place"]?.text,
        let parent = Simulation.destination("Place", place, in: store.objects)
      else { continue }
      simulation.note("parents unknown")
      guard
        simulation.isRestored || simulation.deleted.contains(parent)
          || changes.contains(where: { $0.object == parent })
      else {
        throw simulation.violation("\(change.object) is sent by replica \(index) before \(parent)")
      }
    }
  }

  private func pulled(_ answer: Result<SyncPage, SyncFailure>) throws -> SyncMachine.Input {
    guard let ledger else { throw Killed() }
    switch answer {
    case .success(let page):
      let isElsewhere = page.cursor != ledger.progress.cursor
      _ = try ledger.apply(page, now: clock)
      try noteRestored(ledger)
      try store.sweepAttachments()
      return .pulled(
        hasMore: page.hasMore || ledger.lastPageIsOutdated,
        isProgress: isElsewhere && ledger.lastNews > 0)
    case .failure(let failure): return .pullFailed(failure)
    }
  }

  // MARK: The network

  /// Sends a request through a network that loses, delays, duplicates and reorders messages.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedServer) throws -> Answer
  ) async throws -> Answer {
    let born = incarnation
    let answer = try await withCheckedThrowingContinuation { continuation in
      send(body, Waiter<Result<Answer, SyncFailure>>(continuation))
    }
    guard incarnation == born else { throw Gone() }
    return try answer.get()
  }

  private func send<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedServer) throws -> Answer,
    _ waiter: Waiter<Result<Answer, SyncFailure>>
  ) {
    simulation.atTheEnd { waiter.end(.failure(Gone())) }
    request += 1
    let mine = request
    let born = incarnation
    // Some messages arrive when no task waits for them any more.
    func delay() -> Duration {
      let isLate = simulation.isRough && simulation.random.chance(0.03)
      if isLate { simulation.note("late") }
      return .milliseconds(
        Int.random(in: isLate ? 10_000...60_000 : 1...3_000, using: &simulation.random))
    }
    func lost() -> Bool {
      guard simulation.isRough, simulation.random.chance(0.08) else { return false }
      simulation.note("messages lost")
      return true
    }
    let refusal = simulation.server.refusal()
    let isUnsent = !isConnected
    let copies = simulation.isRough && simulation.random.chance(0.1) ? 2 : 1
    if copies > 1 { simulation.note("doubled") }
    for _ in 0..<copies where isConnected && !lost() {
      simulation.after(delay()) {
        self.simulation.server.noteArrival(of: mine, from: (self.index, born))
        guard let answer = try self.simulation.server.answer(refusal, body), !lost() else { return }
        self.simulation.after(delay()) {
          guard self.incarnation == born, self.isConnected else { return }
          waiter.end(.success(answer))
        }
      }
    }
    simulation.after(.seconds(10)) {
      waiter.end(.success(.failure(SyncFailure(.offline, "no answer", isUnsent: isUnsent))))
    }
  }
}
