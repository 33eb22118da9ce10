import WireFormats

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

  /// Creates the default timing.
  public init() {}
}

/// The number of consecutive failures and the end of the pause after the last one.
struct Backoff: Sendable {
  private(set) var failures = 0
  private(set) var notBefore: Duration = .zero

  mutating func succeed() { self = Backoff() }

  mutating func fail(
    at now: Duration, _ timing: SyncTiming, atLeast pause: Duration? = nil,
    attempts: Int = 0, using random: inout some RandomNumberGenerator
  ) {
    failures = max(failures + 1, attempts)
    let backoff = ExponentialBackoff(
      baseDelay: timing.baseDelay, maximumDelay: timing.maximumDelay)
    let requested = pause.map { min($0, timing.maximumRetryAfter) }
    notBefore = now + backoff.delay(afterFailures: failures, requested: requested, using: &random)
  }

  /// Ends the pause because the network is back or the user requested an exchange.
  mutating func forgive() { notBefore = .zero }
}
