import Foundation
import Synchronization
import Testing

@testable import landmarks

/// A clock that stands until it is moved.
final class StandingClock: Sendable {
  private let time = Mutex(Date(timeIntervalSinceReferenceDate: 800_000_000))

  var now: Date { time.withLock { $0 } }
  func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

@Suite("Limits on attempts to sign in")
struct SignInLimitsTests {
  private let clock = StandingClock()

  private func limits(most: Int = 100) -> SignInLimits {
    SignInLimits(
      user: .init(attempts: 3, pause: 60), address: .init(attempts: 5, pause: 10), most: most,
      now: { [clock] in clock.now })
  }

  @Test("a name has its attempts, which come back one after the other")
  func names() {
    let limits = limits()
    for _ in 0..<3 { #expect(limits.take("ann", from: nil) == nil) }
    #expect(limits.take("ann", from: nil) == 60)
    #expect(limits.take("bob", from: nil) == nil)
    clock.advance(30)
    #expect(limits.take("ann", from: nil) == 30, "a refused attempt doesn't count")
    clock.advance(30)
    #expect(limits.take("ann", from: nil) == nil)
    #expect(limits.take("ann", from: nil) == 60)
    clock.advance(1_000)
    for _ in 0..<3 { #expect(limits.take("ann", from: nil) == nil) }
    #expect(limits.take("ann", from: nil) == 60)
  }

  @Test("an address has its attempts, whatever the names; what was right doesn't count")
  func addresses() {
    let limits = limits()
    for number in 0..<5 { #expect(limits.take("user\(number)", from: "10.0.0.1") == nil) }
    #expect(limits.take("ann", from: "10.0.0.1") == 10)
    #expect(limits.take("ann", from: "10.0.0.2") == nil)
    limits.giveBack("user1", from: "10.0.0.1")
    #expect(limits.take("ann", from: "10.0.0.1") == nil)
    for _ in 0..<20 {
      #expect(limits.take("cid", from: nil) == nil)
      limits.giveBack("cid", from: nil)
    }
  }

  @Test("a clock that was set back blocks no longer than the limit does")
  func clockSetBack() {
    let limits = limits()
    for _ in 0..<3 { _ = limits.take("ann", from: nil) }
    clock.advance(-1_000_000)
    #expect(limits.take("ann", from: nil) == 60)
    clock.advance(60)
    #expect(limits.take("ann", from: nil) == nil)
    #expect(limits.take("ann", from: nil) == 60)
  }

  @Test("memory is bounded, and the names with the most failures stay")
  func bounded() {
    let limits = limits(most: 100)
    for _ in 0..<3 { _ = limits.take("ann", from: "10.0.0.1") }
    for number in 0..<5_000 {
      #expect(limits.take("user\(number)", from: "10.1.\(number / 250).\(number % 250)") == nil)
      #expect(limits.count <= 202)
    }
    #expect(limits.take("ann", from: nil) == 60)
  }
}
