import Synchronization

/// Keeps what has come since it was last emptied, merged, so that a slow reader costs no memory.
/// Anybody puts things in, one task at a time takes them out.
final class Mailbox<Contents: Sendable>: Sendable {
  private let contents: Mutex<Contents>
  private let bell: AsyncStream<Void>
  private let ringing: AsyncStream<Void>.Continuation

  /// - Parameter contents: what it holds at first.
  init(_ contents: Contents) {
    self.contents = Mutex(contents)
    (bell, ringing) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds something, and wakes who waits.
  func put(_ add: @Sendable (inout Contents) -> Void) {
    contents.withLock { add(&$0) }
    ringing.yield()
  }

  /// Waits until there is something.
  /// - Parameter take: takes it out; gives nil when there is nothing yet.
  /// - Returns: nil when the task is cancelled. Nothing can be taken out after that.
  func next<Piece: Sendable>(
    _ take: @Sendable (inout Contents) -> Piece?
  ) async -> Piece? {
    while true {
      if let piece = contents.withLock({ take(&$0) }) { return piece }
      var rings = bell.makeAsyncIterator()
      guard await rings.next() != nil else { return nil }
    }
  }
}
