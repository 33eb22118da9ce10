import Synchronization

/// The messages of work that holds a lock: the handler of a program may wait for what another thread does with it.
final class HeldMessages: Sendable {
  /// Inherited by tasks that are created by code that the work runs, and that may outlive the work.
  @TaskLocal static var current: HeldMessages?

  private struct State {
    var waiting: [SwiftDataLog.Message] = []
    var isOver = false
  }

  private let state = Mutex(State())
  private let thread = CurrentThread.number

  /// Whether the work runs on the calling thread.
  var isOfThisThread: Bool {
    thread == CurrentThread.number && state.withLock { !$0.isOver }
  }

  /// - Returns: False for a message of another thread and after the end of the work.
  func append(_ message: SwiftDataLog.Message) -> Bool {
    guard thread == CurrentThread.number else { return false }
    return state.withLock { state in
      if !state.isOver { state.waiting.append(message) }
      return !state.isOver
    }
  }

  /// Ends the work.
  ///
  /// - Returns: Its messages in their order.
  func end() -> [SwiftDataLog.Message] {
    state.withLock { state in
      defer { state = State(isOver: true) }
      return state.waiting
    }
  }
}
