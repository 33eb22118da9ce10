import Testing

@testable import LocalCopy

@Suite("Retries: exponential backoff with full jitter, within the deadline")
struct RetryMachineTests {
  private func policy(_ change: (inout RetryPolicy) -> Void = { _ in }) -> RetryPolicy {
    var policy = RetryPolicy()
    policy.maximumAttempts = 20
    policy.baseDelay = .seconds(1)
    policy.maximumDelay = .seconds(30)
    change(&policy)
    return policy
  }

  @Test("Pauses stay below a bound that doubles up to the maximum, and use all of it")
  func backoff() {
    let bounds: [Double] = [1, 2, 4, 8, 16, 30, 30]
    var longest = [Double](repeating: 0, count: bounds.count)
    for seed in 0..<TestEnvironment.rounds(200) {
      var random = SeededGenerator(seed: UInt64(seed))
      var machine = RetryMachine(policy(), deadline: .seconds(10_000))
      for (index, bound) in bounds.enumerated() {
        guard
          case .retry(let pause) = machine.failed(.transient, elapsed: .zero, using: &random)
        else {
          Issue.record("gave up")
          return
        }
        #expect((0...bound).contains(pause.inSeconds))
        longest[index] = max(longest[index], pause.inSeconds / bound)
      }
    }
    for share in longest { #expect(share > 0.95) }
  }

  @Test("The same seed gives the same pauses") func replay() {
    func pauses() -> [RetryMachine.Action] {
      var random = SeededGenerator(seed: 42)
      var machine = RetryMachine(policy(), deadline: .seconds(1000))
      return (0..<10).map { _ in machine.failed(.transient, elapsed: .zero, using: &random) }
    }
    #expect(pauses() == pauses())
  }

  @Test("A permanent failure ends it at once") func permanent() {
    var random = SeededGenerator(seed: 1)
    var machine = RetryMachine(policy(), deadline: .seconds(1000))
    let action = machine.failed(.permanent, elapsed: .zero, using: &random)
    #expect(action == .giveUp(.permanent))
  }

  @Test("Attempts are counted") func attempts() {
    var random = SeededGenerator(seed: 1)
    var machine = RetryMachine(policy { $0.maximumAttempts = 2 }, deadline: .seconds(1000))
    if case .giveUp = machine.failed(.transient, elapsed: .zero, using: &random) {
      Issue.record("gave up after one")
    }
    let action = machine.failed(.transient, elapsed: .zero, using: &random)
    #expect(action == .giveUp(.attemptsExhausted))
  }

  @Test("A server that allows an immediate retry isn't asked earlier than one without a request")
  func throttledForNothing() {
    var (one, other) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
    var said = RetryMachine(policy(), deadline: .seconds(10))
    var silent = RetryMachine(policy(), deadline: .seconds(10))
    #expect(
      said.failed(.throttled(after: .zero), elapsed: .zero, using: &one)
        == silent.failed(.transient, elapsed: .zero, using: &other))
  }

  @Test("The server's pause is kept, with a little jitter on top, or refused") func throttled() {
    var random = SeededGenerator(seed: 1)
    var machine = RetryMachine(
      policy { $0.maximumRetryAfter = .seconds(60) }, deadline: .seconds(1000))
    guard
      case .retry(let pause) = machine.failed(
        .throttled(after: .seconds(60)), elapsed: .zero, using: &random)
    else {
      Issue.record("gave up")
      return
    }
    #expect((60...66).contains(pause.inSeconds))
    let action = machine.failed(.throttled(after: .seconds(61)), elapsed: .zero, using: &random)
    #expect(action == .giveUp(.pauseTooLong))
  }

  @Test("A pause beyond the deadline is not begun") func deadline() {
    var random = SeededGenerator(seed: 1)
    var machine = RetryMachine(policy(), deadline: .seconds(10))
    let action = machine.failed(
      .throttled(after: .seconds(5)), elapsed: .seconds(5), using: &random)
    #expect(action == .giveUp(.deadline))
  }
}
