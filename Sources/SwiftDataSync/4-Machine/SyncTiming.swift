/// The pauses and limits of an engine.
public struct SyncTiming: Hashable, Sendable {
  /// The maximum length of the first pause after a failure.
  public var baseDelay: Duration = .seconds(1)
  /// The maximum length of every pause.
  public var maximumDelay: Duration = .seconds(300)
  /// The longest `Retry-After` that the engine obeys.
  public var maximumRetryAfter: Duration = .seconds(3_600)
  /// The time from a pull to the next automatic one; nil for no automatic pulls.
  public var pullInterval: Duration? = .seconds(60)
  /// The maximum number of changes that are sent together.
  public var maximumBatch = 500
  /// The maximum number of consecutive exchanges, whatever their results; then a pause follows.
  public var maximumRounds = 10_000

  public init() {}
}

/// The pause after failures: exponential, with full jitter, so that clients that were disconnected at the same time
/// don't return at the same time.
struct Backoff: Sendable {
  private(set) var failures = 0
  private(set) var notBefore: Duration = .zero

  mutating func succeed() { self = Backoff() }

  mutating func fail(
    at now: Duration, _ timing: SyncTiming, atLeast pause: Duration? = nil,
    attempts: Int = 0, using random: inout some RandomNumberGenerator
  ) {
    failures = max(failures + 1, attempts)
    let bound = min(timing.maximumDelay, timing.baseDelay * (1 << min(failures - 1, 30)))
    var delay = bound * Double.random(in: 0...1, using: &random)
    if let pause {
      let obeyed = min(pause, timing.maximumRetryAfter)
      // A server that allows an immediate retry each time would be asked endlessly; the growing pauses apply then.
      delay = obeyed < timing.baseDelay ? max(delay, obeyed) : obeyed + min(delay, obeyed / 10)
    }
    notBefore = now + delay
  }

  /// Ends the pause because the network is back or the user requested an exchange.
  mutating func forgive() { notBefore = .zero }
}
