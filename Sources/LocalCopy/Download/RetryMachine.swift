import WireFormats

/// Decides how to continue after a failed attempt. Time and randomness are passed in: the same calls with the same
/// generator produce the same decisions.
package struct RetryMachine {
  /// The kind of an attempt's failure.
  package enum Failure: Equatable, Sendable {
    /// A retry can't succeed.
    case permanent
    /// A retry may succeed.
    case transient
    /// The server requested a pause.
    case throttled(after: Duration)
  }

  /// The next step.
  package enum Action: Equatable, Sendable {
    /// Pause, then try again.
    case retry(after: Duration)
    /// Report the failure.
    case giveUp(Reason)
  }

  /// The reason why no further attempt is made.
  package enum Reason: Equatable, Sendable {
    case permanent, attemptsExhausted, pauseTooLong, deadline
  }

  private let policy: RetryPolicy
  private let deadline: Duration
  /// The number of failed attempts.
  package private(set) var failures = 0

  /// Creates a machine for one refresh.
  /// - Parameters:
  ///   - policy: the rules for repeating requests.
  ///   - deadline: the time for all attempts and pauses, counted from the start of the refresh.
  package init(_ policy: RetryPolicy, deadline: Duration) {
    self.policy = policy
    self.deadline = deadline
  }

  /// Records a failure and decides on the next step.
  /// - Parameters:
  ///   - failure: the kind of failure.
  ///   - elapsed: the time since the start of the refresh.
  ///   - random: the source of jitter.
  package mutating func failed(
    _ failure: Failure, elapsed: Duration, using random: inout some RandomNumberGenerator
  ) -> Action {
    failures += 1
    guard failure != .permanent else { return .giveUp(.permanent) }
    guard failures < policy.maximumAttempts else { return .giveUp(.attemptsExhausted) }
    var requested: Duration?
    if case .throttled(let pause) = failure {
      guard pause <= policy.maximumRetryAfter else { return .giveUp(.pauseTooLong) }
      requested = pause
    }
    let backoff = ExponentialBackoff(
      baseDelay: policy.baseDelay, maximumDelay: policy.maximumDelay)
    let delay = backoff.delay(afterFailures: failures, requested: requested, using: &random)
    guard elapsed + delay < deadline else { return .giveUp(.deadline) }
    return .retry(after: delay)
  }
}
