import Testing
import WireFormats

@Suite("Exponential backoff with full jitter")
struct ExponentialBackoffTests {
  private let backoff = ExponentialBackoff(baseDelay: .seconds(1), maximumDelay: .seconds(30))

  @Test(
    "The longest pause doubles up to the maximum",
    arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 4), (5, 16), (6, 30), (7, 30), (.max, 30)])
  func longestDelay(failures: Int, seconds: Int) {
    #expect(backoff.longestDelay(afterFailures: failures) == .seconds(seconds))
  }

  @Test("Pauses are spread over the whole range", arguments: [(1, 1.0), (4, 8), (40, 30)])
  func spread(failures: Int, bound: Double) {
    var random = StridingGenerator(seed: 1)
    let delays = (0..<200).map { _ in
      backoff.delay(afterFailures: failures, using: &random) / .seconds(1)
    }
    #expect(delays.allSatisfy { (0...bound).contains($0) })
    #expect(delays.contains { $0 < 0.05 * bound })
    #expect(delays.contains { $0 > 0.95 * bound })
  }

  @Test("The pause that a server asks for is kept, with at most a tenth more")
  func requested() {
    var random = StridingGenerator(seed: 1)
    for failures in 1...10 {
      let delay = backoff.delay(
        afterFailures: failures, requested: .seconds(60), using: &random)
      #expect((Duration.seconds(60)...Duration.seconds(66)).contains(delay))
    }
  }

  @Test("A server that allows an immediate retry isn't asked earlier than one without a request")
  func immediately() {
    for seed in UInt64(0)..<50 {
      var (one, other) = (StridingGenerator(seed: seed), StridingGenerator(seed: seed))
      let delay = backoff.delay(afterFailures: 3, requested: .zero, using: &one)
      #expect(delay == backoff.delay(afterFailures: 3, using: &other))
    }
    var random = StridingGenerator(seed: 1)
    for _ in 0..<50 {
      let short = backoff.delay(
        afterFailures: 1, requested: .milliseconds(900), using: &random)
      #expect((Duration.milliseconds(900)...Duration.seconds(1)).contains(short))
    }
  }
}
