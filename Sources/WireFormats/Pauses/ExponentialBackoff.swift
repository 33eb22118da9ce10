/// The pauses between attempts that fail: exponential backoff with full jitter, so that clients that lost a server at
/// the same time don't return at the same time.
///
/// The longest pause doubles with each failure, up to a maximum, and the pause is a random share of it. Randomness is
/// passed in: the same calls with the same generator produce the same pauses.
public struct ExponentialBackoff: Sendable, Hashable {
  /// The number of doublings after which the longest pause grows no further, whatever ``maximumDelay`` is.
  private static let maximumDoublings = 30

  /// The longest pause after a first failure.
  public var baseDelay: Duration
  /// The longest pause after any number of failures.
  public var maximumDelay: Duration

  /// Creates a backoff.
  /// - Parameters:
  ///   - baseDelay: the longest pause after a first failure; not negative.
  ///   - maximumDelay: the longest pause after any number of failures; not negative.
  public init(baseDelay: Duration, maximumDelay: Duration) {
    self.baseDelay = baseDelay
    self.maximumDelay = maximumDelay
  }

  /// Returns the longest pause after a number of failures.
  /// - Parameter failures: the number of consecutive failures; fewer than one count as one.
  public func longestDelay(afterFailures failures: Int) -> Duration {
    let doublings = min(max(failures, 1) - 1, Self.maximumDoublings)
    return min(maximumDelay, baseDelay * (1 << doublings))
  }

  /// Returns the pause before the next attempt.
  /// - Parameters:
  ///   - failures: the number of consecutive failures; fewer than one count as one.
  ///   - requested: the pause that the server asked for (`Retry-After`, RFC 9110 section 10.2.3); nil when it named
  ///     none. The result is never shorter.
  ///   - random: the source of jitter; it is used once.
  /// - Returns: a random duration from zero to the longest pause. After a request of the server, its pause and up to a
  ///   tenth more: clients that were rejected at the same time would otherwise return at the same time.
  public func delay(
    afterFailures failures: Int, requested: Duration? = nil,
    using random: inout some RandomNumberGenerator
  ) -> Duration {
    let delay = longestDelay(afterFailures: failures) * Double.random(in: 0...1, using: &random)
    guard let requested else { return delay }
    // A server that allows an immediate retry each time would be asked endlessly: it isn't asked earlier than a server
    // that names no pause.
    return requested < baseDelay ? max(delay, requested) : requested + min(delay, requested / 10)
  }
}
