/// What to do next: a value that is told what happened and answers with what to do. It does nothing itself, and time
/// and chance come from outside, so that a test can replay everything.
package struct SyncMachine: Sendable {
  /// A change in flight. Those with the same unit are sent together or not at all.
  package struct Item: Hashable, Sendable {
    package var id: String
    package var unit: Int64

    package init(id: String, unit: Int64) {
      self.id = id
      self.unit = unit
    }
  }

  /// Something that happened.
  package enum Input: Sendable {
    /// Somebody saved.
    case edited
    /// Somebody wants what is open to be sent, and the server's news, now.
    case pullRequested
    case connectivity(Bool)
    /// There are other credentials, or the user wants to go on.
    case resume
    case pause
    /// The time of ``Action/wait(until:)`` has come.
    case timer
    /// What is in flight, after ``Action/prepare(limit:)``.
    case prepared([Item])
    /// What is in flight still, after the answer to a push was taken or a change was set aside. It is progress when the
    /// server has taken or refused a change; a conflict is none.
    case settled([Item], isProgress: Bool = true)
    case pushFailed(SyncFailure)
    /// A push failed before anything reached the server; what is in flight still.
    case unsent([Item], SyncFailure)
    /// The answer to a pull was taken. It is progress when there was anything new in it.
    case pulled(hasMore: Bool, isProgress: Bool = true)
    case pullFailed(SyncFailure)
    /// The server answers to a pull, whatever it says, or doesn't.
    case probed(Bool)
    case comparisonBegun
    /// The local store fails: nothing goes on until somebody says so.
    case broken(SyncFailure)
  }

  /// Something to do. There is never more than one action besides waiting.
  package enum Action: Equatable, Sendable {
    /// Put the next edits in flight.
    case prepare(limit: Int)
    /// Send these of the changes in flight.
    case push([String])
    /// Set changes in flight aside.
    case park([String], SyncParking.Reason)
    case pull
    /// Ask for news without taking them: to tell a server in trouble from a change that gives it trouble.
    case probe
    case beginComparison
    /// Nothing until then, unless something happens; nil for no time.
    case wait(until: Duration?)
  }

  /// Why nothing is exchanged until somebody does something.
  package enum Pause: Hashable, Sendable {
    case requested
    case failure(SyncFailure)
  }

  private enum Work: Equatable { case preparing, pushing, parking, pulling, probing, comparing }

  private let timing: SyncTiming
  private var work: Work?
  private var inFlight: [Item] = []
  private var wantsPush = true
  private var isEditedMeanwhile = false
  private var wantsPull = true
  private var nextPull: Duration = .zero
  private var isOnline = true
  private var backoff = Backoff()
  /// How many units are sent at once: fewer after failures that one of them may have caused.
  private var window: Int
  /// How often in a row the server failed at what is sent now.
  private var strikes = 0
  private static let maximumStrikes = 4
  /// How many exchanges in a row have changed nothing.
  private var idleRounds = 0
  /// So many go without a pause: an object may be changed elsewhere just now, more than once.
  private static let maximumIdleRounds = 16
  /// After so many, the later ones of which had growing pauses between them, what gets nowhere is set aside.
  private static let patience = 24
  /// How many exchanges have followed each other without a rest.
  private var rounds = 0
  /// How often everything was begun anew since all of it had come.
  private var comparisons = 0
  package private(set) var pause: Pause?
  /// The last failure; nil after a success.
  package private(set) var failure: SyncFailure?

  package init(_ timing: SyncTiming, inFlight: [Item]) {
    self.timing = timing
    self.inFlight = inFlight
    window = max(1, timing.maximumBatch)
  }

  package var isBusy: Bool { work != nil }
  package var isPushing: Bool { work == .pushing || work == .preparing || work == .parking }
  package var isPulling: Bool { work == .pulling || work == .comparing }
  package var isOffline: Bool { !isOnline || failure?.kind == .offline }
  /// When the next attempt is made after a failure.
  package var retryTime: Duration? { failure == nil ? nil : backoff.notBefore }

  /// Takes note of what happened.
  ///
  /// - Parameters:
  ///   - now: Time that never jumps, from an arbitrary moment on.
  ///   - random: Where jitter comes from.
  package mutating func handle(
    _ input: Input, now: Duration, using random: inout some RandomNumberGenerator
  ) -> Action {
    switch input {
    case .edited:
      wantsPush = true
      isEditedMeanwhile = true
    case .pullRequested:
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
    case .probed(let isHealthy): return probed(isHealthy, now, &random)
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

  private var isThrottled: Bool { if case .throttled = failure?.kind { true } else { false } }

  // MARK: What comes next

  private mutating func next(_ now: Duration) -> Action {
    guard work == nil, pause == nil, isOnline else { return .wait(until: nil) }
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
    // Only when nothing is under way: else the news could be what was sent and not yet answered.
    work = .pulling
    return .pull
  }

  private var units: [Int64] { Set(inFlight.map(\.unit)).sorted() }

  /// What is sent now, in the order in which it has to be.
  private var sent: [String] {
    let chosen = Set(units.prefix(window))
    return inFlight.filter { chosen.contains($0.unit) }.map(\.id)
  }

  private mutating func prepared(_ changes: [Item]) -> Action? {
    work = nil
    inFlight = changes
    wantsPush = !changes.isEmpty || isEditedMeanwhile
    guard idleRounds >= Self.patience, !changes.isEmpty else { return nil }
    // Neither taken nor refused, again and again: others are to have their turn.
    idleRounds = 0
    wantsPush = true
    work = .parking
    return .park(changes.map(\.id), .failing(message: Self.nowhere))
  }

  private static let nowhere = "The server's answers lead nowhere: they are the same each time"

  /// Takes note of an exchange. When many of them have led nowhere, or there is no end of them, a pause follows.
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
    let wasParking = work == .parking
    work = nil
    let isProgress = changes.count < inFlight.count
    inFlight = changes
    wantsPush = true
    strikes = 0
    guard isProgress else {
      // An answer that says nothing of any change.
      failure = SyncFailure(.server, "The server's answer names none of the changes")
      backoff.fail(at: now, timing, using: &random)
      return
    }
    // What was set aside is told by its standing.
    failure = nil
    guard !wasParking else { return }
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
    // A merge may have left something to send.
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
        // Nothing to divide and nothing to set aside.
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
      } else if strikes >= Self.maximumStrikes {
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
      // Once is as agreed. Whoever says so again before everything has come would be asked without end.
      if comparisons > 1 {
        backoff.fail(at: now, timing, attempts: comparisons - 1, using: &random)
      }
      work = .comparing
      return .beginComparison
    }
    failed(failure, now, &random)
    return next(now)
  }

  /// What the push and the pull have in common.
  private mutating func failed(
    _ failure: SyncFailure, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) {
    switch failure.kind {
    case .authentication, .forbidden, .incompatible: pause = pause ?? .failure(failure)
    case .throttled(let pause): backoff.fail(at: now, timing, atLeast: pause, using: &random)
    default: backoff.fail(at: now, timing, using: &random)
    }
  }

  private mutating func probed(
    _ isHealthy: Bool, _ now: Duration, _ random: inout some RandomNumberGenerator
  ) -> Action {
    work = nil
    strikes = 0
    guard isHealthy, !inFlight.isEmpty else {
      backoff.fail(at: now, timing, using: &random)
      return next(now)
    }
    return park(.failing(message: failure?.message ?? ""), now)
  }

  private mutating func park(_ reason: SyncParking.Reason, _ now: Duration) -> Action {
    guard let first = units.first else { return next(now) }
    work = .parking
    return .park(inFlight.filter { $0.unit == first }.map(\.id), reason)
  }

  private static func rejection(_ failure: SyncFailure) -> SyncRejection {
    SyncRejection(
      code: failure.kind == .tooLarge ? "tooLarge" : "refused", message: failure.message)
  }
}
