/// The state machine of an engine: a value that receives inputs and returns the next action. It performs no actions
/// itself, and time and randomness are passed in, so that a test can replay everything.
package struct SyncMachine: Sendable {
  private enum Work: Equatable { case preparing, pushing, quarantine, pulling, probing, comparing }

  private let timing: SyncTiming
  private var work: Work?
  private var inFlight: [Item] = []
  private var wantsPush = true
  private var isEditedMeanwhile = false
  private var wantsPull = true
  private var nextPull: Duration = .zero
  private var isOnline = true
  private var backoff = Backoff()
  /// The number of units that are sent together: smaller after failures that one of them may have caused.
  private var window: Int
  /// The number of consecutive failures of the server with the current changes.
  private var strikes = 0
  private static let maximumStrikes = 4
  /// The number of consecutive exchanges that have changed nothing.
  private var idleRounds = 0
  /// The number of such exchanges without a pause: an object may be changed on the server several times just now.
  private static let maximumIdleRounds = 16
  /// The number of such exchanges, the later ones with growing pauses between them, after which the changes are
  /// quarantined.
  private static let patience = 24
  /// The number of consecutive exchanges without a rest.
  private var rounds = 0
  /// The number of full comparisons begun since everything had last been fetched.
  private var comparisons = 0
  package private(set) var pause: Pause?
  /// Whether nothing may be exchanged until the engine is started or asked to exchange everything.
  package private(set) var isStopped = false
  /// The last failure; nil after a success.
  package private(set) var failure: SyncFailure?

  package init(_ timing: SyncTiming, inFlight: [Item]) {
    self.timing = timing
    self.inFlight = inFlight
    window = max(1, timing.maximumBatch)
  }

  package var isBusy: Bool { work != nil }
  package var isPushing: Bool { work == .pushing || work == .preparing || work == .quarantine }
  package var isPulling: Bool { work == .pulling || work == .comparing }
  package var isOffline: Bool { !isOnline || failure?.kind == .offline }
  /// The number of failures in a row, after which the pauses grow.
  package var failures: Int { backoff.failures }
  /// The time of the next attempt after a failure.
  package var retryTime: Duration? { failure == nil ? nil : backoff.notBefore }

  /// Handles an input.
  ///
  /// - Parameters:
  ///   - now: Monotonic time since an arbitrary moment.
  ///   - random: The source of jitter.
  package mutating func handle(
    _ input: Input, now: Duration, using random: inout some RandomNumberGenerator
  ) -> Action {
    switch input {
    case .edited: edited()
    case .start:
      isStopped = false
      edited()
    case .pullRequested:
      isStopped = false
      wantsPull = true
      wantsPush = true
      if work == nil, !isThrottled { backoff.forgive() }
    case .connectivity(let online):
      if online, !isOnline { backoff.forgive() }
      isOnline = online
    case .resume:
      pause = nil
      failure = nil
      backoff.forgive()
      wantsPush = true
      wantsPull = true
    case .pause: pause = pause ?? .requested
    case .stop: isStopped = true
    case .timer: break
    case .prepared(let changes):
      if let action = prepared(changes) { return action }
    case .settled(let changes, let isProgress): settled(changes, isProgress, now, &random)
    case .pushFailed(let failure): return pushFailed(failure, now, &random)
    case .unsent(let changes, let failure):
      inFlight = changes
      wantsPush = true
      return pushFailed(failure, now, &random)
    case .pulled(let hasMore, let isProgress): pulled(hasMore, isProgress, now, &random)
    case .pullFailed(let failure): return pullFailed(failure, now, &random)
    case .transferred: if work != nil { backoff.succeed() }
    case .probed(let failure): return probed(failure, now, &random)
    case .comparisonBegun:
      work = nil
      wantsPull = true
    case .broken(let failure):
      work = nil
      self.failure = failure
      pause = .failure(failure)
    }
    return next(now)
  }

  private mutating func edited() {
    wantsPush = true
    isEditedMeanwhile = true
  }

  private var isThrottled: Bool { if case .throttled = failure?.kind { true } else { false } }

  // MARK: Next action

  private mutating func next(_ now: Duration) -> Action {
    guard work == nil, pause == nil, isOnline, !isStopped else { return .wait(until: nil) }
    if let interval = timing.pullInterval, now >= nextPull, nextPull > .zero || interval == .zero {
      wantsPull = true
    }
    guard !inFlight.isEmpty || wantsPush || wantsPull else {
      rounds = 0
      return .wait(until: timing.pullInterval == nil ? nil : nextPull)
    }
    guard now >= backoff.notBefore else { return .wait(until: backoff.notBefore) }
    if !inFlight.isEmpty {
      work = .pushing
      return .push(sent)
    }
    if wantsPush {
      work = .preparing
      isEditedMeanwhile = false
      return .prepare(limit: timing.maximumBatch)
    }
    // The engine pulls only when nothing is in flight: otherwise the page could contain changes that were sent and not
    // acknowledged yet.
    work = .pulling
    return .pull
  }

  private var units: [Int64] { Set(inFlight.map(\.unit)).sorted() }

  /// The IDs of the changes to send now, in the required order.
  private var sent: [String] {
    let chosen = Set(units.prefix(window))
    return inFlight.filter { chosen.contains($0.unit) }.map(\.id)
  }

  private mutating func prepared(_ changes: [Item]) -> Action? {
    work = nil
    inFlight = changes
    wantsPush = !changes.isEmpty || isEditedMeanwhile
    guard idleRounds >= Self.patience, !changes.isEmpty else { return nil }
    // The changes have repeatedly been neither accepted nor rejected: other changes get their turn.
    idleRounds = 0
    wantsPush = true
    work = .quarantine
    return .park(changes.map(\.id), .failing(message: Self.nowhere))
  }

  private static let nowhere = "The server's answers lead nowhere: they are the same each time"

  /// Counts an exchange. After too many exchanges without progress, or without a rest, a pause follows.
  ///
  /// - Returns: Whether a pause follows.
  private mutating func count(
    isProgress: Bool, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) -> Bool {
    rounds += 1
    idleRounds = isProgress ? 0 : idleRounds + 1
    guard idleRounds >= Self.maximumIdleRounds || rounds >= max(1, timing.maximumRounds) else {
      return false
    }
    let isIdle = idleRounds >= Self.maximumIdleRounds
    failure = SyncFailure(.server, isIdle ? Self.nowhere : "The server's news have no end")
    rounds = 0
    backoff.fail(
      at: now, timing, attempts: isIdle ? idleRounds - Self.maximumIdleRounds + 1 : 0,
      using: &random)
    return true
  }

  private mutating func settled(
    _ changes: [Item], _ isTaken: Bool, _ now: Duration,
    _ random: inout some RandomNumberGenerator
  ) {
    let wasQuarantined = work == .quarantine
    work = nil
    let isProgress = changes.count < inFlight.count
    inFlight = changes
    wantsPush = true
    strikes = 0
    guard isProgress else {
      // The response contains no outcome for any change.
      failure = SyncFailure(.server, "The server's answer names none of the changes")
      backoff.fail(at: now, timing, using: &random)
      return
    }
    // The status of the quarantined changes reports them.
    failure = nil
    guard !wasQuarantined else { return }
    guard !count(isProgress: isTaken, now, &random) else { return }
    backoff.succeed()
    window = min(max(1, timing.maximumBatch), window * 2)
  }

  private mutating func pulled(
    _ hasMore: Bool, _ isNews: Bool, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) {
    work = nil
    failure = nil
    backoff.succeed()
    if hasMore {
      _ = count(isProgress: isNews, now, &random)
    } else {
      (idleRounds, comparisons) = (0, 0)
    }
    wantsPull = hasMore
    // The merge may have produced changes to send.
    wantsPush = true
    nextPull = now + (timing.pullInterval ?? .zero)
  }
}

// MARK: - Failures

extension SyncMachine {
  private mutating func pushFailed(
    _ failure: SyncFailure, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) -> Action {
    work = nil
    self.failure = failure
    switch failure.kind {
    case .tooLarge, .refused:
      guard !inFlight.isEmpty else {
        // There is nothing to divide and nothing to park.
        backoff.fail(at: now, timing, using: &random)
        return next(now)
      }
      let count = min(window, units.count)
      guard count <= 1 else {
        window = count / 2
        return next(now)
      }
      return park(.rejected(Self.rejection(failure)), now)
    case .server, .cursorExpired:
      strikes += 1
      let count = min(window, units.count)
      if count > 1, strikes > 1 {
        window = count / 2
        strikes = 0
      } else if strikes >= Self.maximumStrikes, !isStopped {
        work = .probing
        return .probe
      }
      backoff.fail(at: now, timing, using: &random)
    default: failed(failure, now, &random)
    }
    return next(now)
  }

  private mutating func pullFailed(
    _ failure: SyncFailure, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) -> Action {
    work = nil
    self.failure = failure
    if failure.kind == .cursorExpired {
      comparisons += 1
      // The first expiry is part of the protocol. A server that expires the cursor again before everything has been
      // fetched would otherwise be asked endlessly.
      if comparisons > 1 {
        backoff.fail(at: now, timing, attempts: comparisons - 1, using: &random)
      }
      work = .comparing
      return .beginComparison
    }
    failed(failure, now, &random)
    return next(now)
  }

  /// Handles failures that pushes, pulls and probes have in common.
  private mutating func failed(
    _ failure: SyncFailure, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) {
    switch failure.kind {
    case .authentication, .forbidden, .incompatible, .suspended, .localStore:
      pause = pause ?? .failure(failure)
    case .throttled(let pause): backoff.fail(at: now, timing, atLeast: pause, using: &random)
    default: backoff.fail(at: now, timing, using: &random)
    }
  }

  /// Handles the end of a probe. Its failure is treated like a pull's: a server that refuses the credentials or asks
  /// for a pause doesn't show whether the change is at fault. A server that reports an expired cursor is healthy.
  private mutating func probed(
    _ failure: SyncFailure?, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) -> Action {
    work = nil
    strikes = 0
    if let failure, failure.kind != .cursorExpired {
      self.failure = failure
      failed(failure, now, &random)
      return next(now)
    }
    guard !inFlight.isEmpty else {
      backoff.fail(at: now, timing, using: &random)
      return next(now)
    }
    return park(.failing(message: self.failure?.message ?? ""), now)
  }

  private mutating func park(_ reason: SyncQuarantine.Reason, _ now: Duration) -> Action {
    guard let first = units.first else { return next(now) }
    work = .quarantine
    return .park(inFlight.filter { $0.unit == first }.map(\.id), reason)
  }

  private static func rejection(_ failure: SyncFailure) -> SyncRejection {
    SyncRejection(
      code: failure.kind == .tooLarge ? "tooLarge" : "refused", message: failure.message)
  }
}
