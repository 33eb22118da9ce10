/// How patient an engine is.
public struct SyncTiming: Hashable, Sendable {
  /// The bound of the first pause after a failure.
  public var baseDelay: Duration = .seconds(1)
  /// The bound of every pause.
  public var maximumDelay: Duration = .seconds(300)
  /// The longest `Retry-After` that is obeyed.
  public var maximumRetryAfter: Duration = .seconds(3_600)
  /// How long after a pull the next one follows by itself; nil for never.
  public var pullInterval: Duration? = .seconds(60)
  /// How many changes are sent at once.
  public var maximumBatch = 500
  /// How many exchanges follow each other without a rest, whatever they bring; then there is a pause.
  public var maximumRounds = 10_000

  public init() {}
}

/// The pause after failures: exponential, with full jitter, so that clients that were cut off together don't return
/// together.
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
      // A server that says "at once" each time would be asked without end: then the growing pauses count.
      delay = obeyed < timing.baseDelay ? max(delay, obeyed) : obeyed + min(delay, obeyed / 10)
    }
    notBefore = now + delay
  }

  /// The network is back, or the user is impatient.
  mutating func forgive() { notBefore = .zero }
}
