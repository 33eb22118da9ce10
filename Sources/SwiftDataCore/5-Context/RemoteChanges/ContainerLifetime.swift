import Synchronization

/// Reports the end of a container to objects that must not keep it alive.
final class ContainerLifetime: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isOver = false
    var endings: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  /// Calls `ending` when the container is released, or immediately if it already was.
  ///
  /// - Returns: The number to pass to ``forget(_:)``.
  func onRelease(_ ending: @escaping @Sendable () -> Void) -> Int {
    let number = state.withLock { state -> Int? in
      guard !state.isOver else { return nil }
      state.next += 1
      state.endings[state.next] = ending
      return state.next
    }
    if number == nil { ending() }
    return number ?? 0
  }

  func forget(_ number: Int) {
    let forgotten = state.withLock { $0.endings.removeValue(forKey: number) }
    withExtendedLifetime(forgotten) {}
  }

  func end() {
    let endings = state.withLock { state in
      state.isOver = true
      defer { state.endings = [:] }
      return Array(state.endings.values)
    }
    for ending in endings { ending() }
  }
}
