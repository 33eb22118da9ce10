/// Decides what follows a failed attempt. Time and chance come from outside: the same calls with
/// the same generator give the same decisions.
package struct RetryMachine {
  /// What kind of failure an attempt met.
  package enum Failure: Equatable, Sendable {
    /// Repeating can't help.
    case permanent
    /// Repeating may help.
    case transient
    /// The server asked for a pause.
    case throttled(after: Duration)
  }

  /// What to do.
  package enum Action: Equatable, Sendable {
    /// Pause, then try again.
    case retry(after: Duration)
    /// Report the failure.
    case giveUp(Reason)
  }

  /// Why no further attempt is made.
  package enum Reason: Equatable, Sendable {
    case permanent, attemptsExhausted, pauseTooLong, deadline
  }

  private let policy: RetryPolicy
  private let deadline: Duration
  /// The number of attempts that failed.
  package private(set) var failures = 0

  /// Makes a machine for one refresh.
  /// - Parameters:
  ///   - policy: when and how often to repeat.
  ///   - deadline: the time for all attempts and pauses, counted from the start of the refresh.
  package init(_ policy: RetryPolicy, deadline: Duration) {
    self.policy = policy
    self.deadline = deadline
  }

  /// Takes note of a failure.
  /// - Parameters:
  ///   - failure: what the attempt met.
  ///   - elapsed: the time since the start of the refresh.
  ///   - random: the source of jitter.
  package mutating func failed(
    _ failure: Failure, elapsed: Duration, using random: inout some RandomNumberGenerator
  ) -> Action {
    failures += 1
    guard failure != .permanent else { return .giveUp(.permanent) }
    guard failures < policy.maximumAttempts else { return .giveUp(.attemptsExhausted) }
    var delay = jitter(using: &random)
    if case .throttled(let pause) = failure {
      guard pause <= policy.maximumRetryAfter else { return .giveUp(.pauseTooLong) }
      // Some jitter on top, so that clients that were turned away together don't return together. A server that says
      // "at once" is asked no sooner than one that says nothing.
      delay = pause < policy.baseDelay ? max(delay, pause) : pause + min(delay, pause / 10)
    }
    guard elapsed + delay < deadline else { return .giveUp(.deadline) }
    return .retry(after: delay)
  }

  /// Full jitter: anything between nothing and the exponential bound.
  private func jitter(using random: inout some RandomNumberGenerator) -> Duration {
    let doublings = min(failures - 1, 30)
    let bound = min(policy.maximumDelay, policy.baseDelay * (1 << doublings))
    return bound * Double.random(in: 0...1, using: &random)
  }
}
