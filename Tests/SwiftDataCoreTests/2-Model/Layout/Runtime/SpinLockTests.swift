import Testing

@testable import SwiftDataCore

@Suite("A lock for a few instructions")
struct SpinLockTests {
  private final class Counter: Sendable {
    let lock = SpinLock()
    nonisolated(unsafe) var value = 0
  }

  private struct Failure: Error {}

  @Test("lets one in at a time")
  func exclusive() async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20_000 { counter.lock.withLock { counter.value += 1 } }
        }
      }
    }
    #expect(counter.value == 160_000)
  }

  @Test("is given back when the code under it throws")
  func throwing() {
    let counter = Counter()
    #expect(throws: Failure.self) { try counter.lock.withLock { throw Failure() } }
    #expect(counter.lock.withLock { 7 } == 7)
  }
}
