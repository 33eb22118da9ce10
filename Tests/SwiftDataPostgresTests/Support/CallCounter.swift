import Synchronization

/// Counts calls, from any thread.
final class CallCounter: Sendable {
  private let number = Atomic<Int>(0)

  func increment() { number.add(1, ordering: .relaxed) }
  var count: Int { number.load(ordering: .relaxed) }
}
